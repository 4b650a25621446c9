import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Mark } from '../../../../src/index.ts';
import { seen } from '../address/written.ts';
import { useLeaving } from '../parts/leaving.ts';
import { textIn } from '../time/zone.ts';
import { sideOf } from './chart-words.tsx';
import { flagsOf, type MarkFlag } from './mark-flags.ts';
import { namedOf } from './marked.ts';
import type { EventSeries } from './series.ts';

interface MarksProps {
  readonly series: EventSeries;
  /** By time. */
  readonly marks: readonly Mark[];
  /** The size of the drawing. */
  readonly width: number;
  readonly height: number;
}

/** The marks of the chart: a line at each, with a flag that tells their names. */
export function ChartMarks({ series, marks, width, height }: MarksProps) {
  const flags = flagsOf(series, marks, width);
  return (
    <>
      <svg class="mark-lines" width={width} height={height} aria-hidden="true">
        {flags
          .flatMap(({ lines }) => lines)
          .map((x) => (
            <line key={x} x1={x} x2={x} y1={0} y2={height} />
          ))}
      </svg>
      <ul class="marks" aria-label="Marks">
        {flags.map((flag) => (
          <li key={flag.marks[0].id}>
            <Flag {...flag} zone={series.zone} width={width} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A flag. The pointer and the focus open what it tells; Escape closes that, wherever the focus is. */
function Flag({ lines: [x], marks, zone, width }: MarkFlag & Pick<MarksProps, 'width'> & Zoned) {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  const close = () => setOpen(false);
  const leaving = useLeaving(isOpen, close);
  const root = leaving.ref;
  const button = useRef<HTMLButtonElement>(null);
  // As soon as it is open, and not a moment later: a key may come at once.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      // What is closed cannot have the focus.
      if (root.current!.contains(document.activeElement)) button.current!.focus();
      close();
    };
    addEventListener('keydown', closeByKey);
    return () => removeEventListener('keydown', closeByKey);
  }, [isOpen]);
  useLayoutEffect(() => root.current!.style.setProperty('--x', `${x}px`), [x]);
  const { named, more } = namedOf(marks);
  const texts = [
    ...named.map((mark) => `${seen(mark.name)}, ${timeOf(mark, zone)}`),
    ...(more ? [more] : []),
  ];
  return (
    <div
      {...leaving}
      onMouseEnter={open}
      onMouseLeave={() => root.current!.contains(document.activeElement) || close()}
      onFocusIn={open}
    >
      <button
        type="button"
        ref={button}
        class="mark"
        aria-label={`${marks.length === 1 ? 'Mark' : `${marks.length} marks`}: ${texts.join('; ')}`}
        aria-expanded={isOpen}
        onClick={open}
      >
        <svg viewBox="0 0 10 14" aria-hidden="true">
          <path d="M1 14V1h8L6.5 4 9 7H1" />
        </svg>
      </button>
      {/* It stays on the page, so that the focus can go from its last link to what comes next. */}
      <ul class={`tip told ${sideOf(x, width)}`} hidden={!isOpen}>
        {named.map((mark) => (
          <li key={mark.id}>
            <Name of={mark} /> <span class="muted">{timeOf(mark, zone)}</span>
          </li>
        ))}
        {more !== undefined && <li class="muted">{more}</li>}
      </ul>
    </div>
  );
}

interface Zoned {
  readonly zone: string;
}

const timeOf = ({ time }: Mark, zone: string) => textIn(zone, Date.parse(time));

/** The name of a mark, which leads to the page about it. */
function Name({ of: { name, url } }: { readonly of: Mark }) {
  const text = <bdi>{seen(name)}</bdi>;
  if (url === null) return <strong>{text}</strong>;
  return (
    <a class="strong" href={url} target="_blank" rel="noopener">
      {text}
      <span class="hidden"> (in a new tab)</span>
    </a>
  );
}
