import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Mark } from '../../../../src/index.ts';
import { isWholeNumber, measureWords } from '../address/measure.ts';
import { seen } from '../address/written.ts';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { figure, figureOrNone } from '../parts/figure.ts';
import { bucketText, partialOf, rangeOfBars } from '../time/buckets.ts';
import { valueTicks } from '../time/ticks.ts';
import { Axes, Bars, yOf, type Drawing } from './chart-bars.tsx';
import { Legend, partClass, partText, Swatch, Tip } from './chart-words.tsx';
import { Figures } from './figures.tsx';
import { marksWithin, namedOf } from './marked.ts';
import { isBroken, isStacked, type EventSeries } from './series.ts';
import { narrow } from './time.ts';

/** The marks. Only a chart that has some needs their code. */
const MARKS = lazy(async () => (await import('./chart-marks.tsx')).ChartMarks);

/** The size of an element in pixels; zero before it is known. */
function useSize() {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element.current!;
      setSize((last) => (last.width === width && last.height === height ? last : { width, height }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return [element, size] as const;
}

/** The bars of a series, before their room is known. */
function drawingOf(series: EventSeries, { width, height }: Pick<Drawing, 'width' | 'height'>): Drawing {
  const { totals, measure } = series;
  const partials = totals.map((_, i) => partialOf(series, i));
  const drawn = drawnIn(series);
  const ticks = valueTicks(Math.max(0, ...drawn), Math.min(0, ...drawn), isWholeNumber(measure));
  return { series, partials, ticks, width, height, slot: width / totals.length };
}

/** All figures that are drawn. */
function drawnIn(series: EventSeries): readonly number[] {
  const { totals, parts, before } = series;
  const now = isStacked(series) ? totals : parts.flatMap(({ figures }) => figures);
  return [...now, ...(before?.figures ?? [])].filter((each) => each !== null);
}

/** Why there is nothing to draw; undefined if there is something. */
function nothingIn(series: EventSeries): string | undefined {
  const isWithout = series.events === 0 && (series.before?.whole ?? 0) === 0;
  if (isWithout) return `No events ${series.isFiltered ? 'match ' : ''}in this time range.`;
  return drawnIn(series).length > 0 ? undefined : 'No numbers there in this time range.';
}

/** The bar that a pointer reads. */
interface Over {
  readonly at: number;
  readonly byTouch: boolean;
}

interface ChartProps {
  readonly series: EventSeries;
  /** The marks within the range, by time. */
  readonly marks: readonly Mark[];
}

/**
 * A bar chart over time. A drag over the bars narrows the question to that time, and a click to that of one.
 * A tap reads a bar, and a second one narrows.
 */
export function Chart({ series, marks }: ChartProps) {
  const [room, size] = useSize();
  const [over, setOver] = useState<Over>();
  const drawing = drawingOf(series, size);
  const { partials } = drawing;
  const nothing = nothingIn(series);
  const ask = (a: number, b: number) => narrow(rangeOfBars(series, a, b));
  if (nothing !== undefined) {
    return (
      <div class="plot" ref={room}>
        <p class="nothing muted">{nothing}</p>
      </div>
    );
  }
  return (
    <>
      <div class="plot" ref={room}>
        <Plot {...drawing} over={over} setOver={setOver} ask={ask} />
        {marks.length > 0 && size.width > 0 && (
          <Loaded of={MARKS} props={{ series, marks, ...size }} isDialog />
        )}
        {over !== undefined && over.at < series.totals.length && size.width > 0 && (
          <Reading {...drawing} over={over} marks={marks} />
        )}
      </div>
      <Legend {...series} />
      <div class="below-chart">
        <p class="axis-hint">
          Drag over the bars or click one to zoom in.
          {isStacked(series) &&
            partials.some((partial) => partial !== undefined) &&
            ` Hatched bars are not a whole ${series.unit}.`}
        </p>
        <Figures series={series} partials={partials} only={(i) => ask(i, i)} />
      </div>
    </>
  );
}

interface PlotProps extends Drawing {
  readonly over: Over | undefined;
  readonly setOver: (over: Over | undefined) => void;
  readonly ask: (a: number, b: number) => void;
}

/** The drawing, and what a pointer does on it. */
function Plot({ over, setOver, ask, ...drawing }: PlotProps) {
  const { series, width, height, slot } = drawing;
  const [drag, setDrag] = useState<readonly [from: number, to: number]>();
  const last = series.totals.length - 1;
  const largest = Math.max(...series.totals.filter((each) => each !== null));
  const inWords =
    `${series.totals.length} buckets from ${bucketText(series, 0)} to ${bucketText(series, last)}; ` +
    `${seen(measureWords(series.measure))}, at most ${figure(largest)}. The table below lists all figures.`;
  const indexAt = (event: PointerEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor((event.clientX - left) / slot)));
  };
  const release = (event: PointerEvent) => {
    setDrag(undefined);
    if (drag === undefined) return;
    const [from, to] = drag;
    const isRead = from !== to || (over?.byTouch === true && over.at === to);
    if (event.pointerType !== 'touch' || isRead) ask(from, to);
    else setOver({ at: to, byTouch: true });
  };
  return (
    <svg
      class="chart"
      width={width}
      height={height}
      role="img"
      aria-label={inWords}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const i = indexAt(event);
        setDrag([i, i]);
      }}
      onPointerMove={(event) => {
        const i = indexAt(event);
        if (event.pointerType !== 'touch') setOver({ at: i, byTouch: false });
        if (drag !== undefined) setDrag([drag[0], i]);
      }}
      onPointerUp={release}
      onPointerCancel={() => setDrag(undefined)}
      onPointerLeave={(event) => event.pointerType !== 'touch' && setOver(undefined)}
    >
      {width > 0 && (
        <>
          <Axes {...drawing} />
          <Bars
            {...drawing}
            drag={drag === undefined ? [-1, -1] : [Math.min(...drag), Math.max(...drag)]}
            over={over?.at}
          />
        </>
      )}
    </svg>
  );
}

interface ReadingProps extends Drawing, Pick<ChartProps, 'marks'> {
  readonly over: Over;
}

/** The figures of the bar that a pointer reads. */
function Reading({ over: { at, byTouch }, marks, ...drawing }: ReadingProps) {
  const { series, partials, width, slot } = drawing;
  const { parts, before, totals, measure } = series;
  const shown = isStacked(series) ? [totals[at]!] : parts.map(({ figures }) => figures[at] ?? null);
  const highest = Math.max(0, ...[...shown, before?.figures[at] ?? 0].map((each) => each ?? 0));
  const total = totals[at]!;
  const { named, more } = namedOf(marksWithin(marks, rangeOfBars(series, at, at)));
  return (
    <Tip x={(at + 0.5) * slot} width={width} top={yOf(drawing, highest)}>
      <strong>{bucketText(series, at)}</strong>
      <span>
        {measure.take === 'events'
          ? `${figureOrNone(total)} ${total === 1 ? 'event' : 'events'}`
          : `${seen(measureWords(measure))}: ${figureOrNone(total)}`}
      </span>
      {isBroken(parts) &&
        parts.map((part, k) => (
          <span key={k}>
            <Swatch of={partClass(parts, k)} /> <bdi>{partText(part)}</bdi>{' '}
            {figureOrNone(part.figures[at] ?? null)}
          </span>
        ))}
      {before !== undefined && (
        <span>
          <Swatch of="before" /> period before {figureOrNone(before.figures[at] ?? null)}
        </span>
      )}
      {partials[at] !== undefined && <em>{partials[at]}</em>}
      {named.map(({ id, name }) => (
        <span key={id}>
          ⚑ <bdi>{seen(name)}</bdi>
        </span>
      ))}
      {more}
      {byTouch && <em>Tap again to zoom in.</em>}
    </Tip>
  );
}
