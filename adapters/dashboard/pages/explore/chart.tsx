import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { bucketText, markOf, rangeOfBars } from '../time/marks.ts';
import { valueTicks } from '../time/ticks.ts';
import { Axes, Bars, heightOf, type Drawing } from './chart-bars.tsx';
import { Legend, partClass, partText, Swatch, Tip } from './chart-words.tsx';
import { Figures } from './figures.tsx';
import { sumOf, type EventSeries } from './series.ts';
import { narrow } from './time.ts';

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
  const { edges, parts, before } = series;
  const starts = edges.slice(0, -1);
  const totals = starts.map((_, i) => sumOf(parts.map(({ counts }) => counts[i]!)));
  const marks = starts.map((_, i) => markOf(series, i));
  const ticks = valueTicks(Math.max(0, ...totals, ...(before?.counts ?? [])));
  return { series, totals, marks, ticks, width, height, slot: width / starts.length };
}

/** The bar that a pointer reads. */
interface Over {
  readonly at: number;
  readonly byTouch: boolean;
}

/**
 * A bar chart over time. A drag over the bars narrows the question to that time, and a click to that of one.
 * A tap reads a bar, and a second one narrows.
 */
export function Chart({ series }: { readonly series: EventSeries }) {
  const [room, size] = useSize();
  const [over, setOver] = useState<Over>();
  const drawing = drawingOf(series, size);
  const { totals, marks } = drawing;
  const ask = (a: number, b: number) => narrow(rangeOfBars(series, a, b));
  if (Math.max(0, ...totals, ...(series.before?.counts ?? [])) === 0) {
    return (
      <div class="plot" ref={room}>
        <p class="nothing muted">No events in this time range.</p>
      </div>
    );
  }
  return (
    <>
      <div class="plot" ref={room}>
        <Plot {...drawing} over={over} setOver={setOver} ask={ask} />
        {over !== undefined && over.at < totals.length && size.width > 0 && (
          <Reading {...drawing} over={over} />
        )}
      </div>
      <Legend {...series} />
      <div class="below-chart">
        <p class="axis-hint">
          Drag over the bars or click one to zoom in.
          {marks.some((mark) => mark !== undefined) && ` Hatched bars are not a whole ${series.unit}.`}
        </p>
        <Figures series={series} totals={totals} marks={marks} only={(i) => ask(i, i)} />
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
  const { series, totals, width, height, slot } = drawing;
  const [drag, setDrag] = useState<readonly [from: number, to: number]>();
  const last = totals.length - 1;
  const inWords =
    `${totals.length} buckets from ${bucketText(series, 0)} to ${bucketText(series, last)}; ` +
    `the largest has ${Math.max(...totals)} events. The table below lists all figures.`;
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

/** The figures of the bar that a pointer reads. */
function Reading({ over: { at, byTouch }, ...drawing }: Drawing & { readonly over: Over }) {
  const { series, totals, marks, width, height, slot } = drawing;
  const { parts, before } = series;
  const highest = Math.max(totals[at]!, before?.counts[at] ?? 0);
  return (
    <Tip x={(at + 0.5) * slot} width={width} top={height - heightOf(drawing, highest)}>
      <strong>{bucketText(series, at)}</strong>
      <span>
        {figure(totals[at]!)} {totals[at] === 1 ? 'event' : 'events'}
      </span>
      {parts.length > 1 &&
        parts.map((part, k) => (
          <span key={k}>
            <Swatch of={partClass(parts, k)} /> <bdi>{partText(part)}</bdi> {figure(part.counts[at]!)}
          </span>
        ))}
      {before !== undefined && (
        <span>
          <Swatch of="before" /> period before {figure(before.counts[at]!)}
        </span>
      )}
      {marks[at] !== undefined && <em>{marks[at]}</em>}
      {byTouch && <em>Tap again to zoom in.</em>}
    </Tip>
  );
}
