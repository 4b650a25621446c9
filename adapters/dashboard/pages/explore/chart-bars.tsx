import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import type { MaybeFigure } from '../address/measure.ts';
import { shortFigure } from '../parts/figure.ts';
import { tickTexts, timeTicks } from '../time/ticks.ts';
import { partClass } from './chart-words.tsx';
import { isStacked, type BarPart, type EventSeries } from './series.ts';

/** The most of its room and the most pixels that a bar takes, so that a few bars are no blocks. */
const BAR_SHARE = 0.84;
const BAR_MAX = 48;
/** The room of a label below the axis, in pixels. */
const LABEL_WIDTH = 72;

/** What the parts of a drawing share. */
export interface Drawing {
  readonly series: EventSeries;
  /** Of each bucket, why its figure is not that of a whole one. */
  readonly partials: readonly (string | undefined)[];
  /** The figures of the axis, from its lower end to its upper one. */
  readonly ticks: readonly number[];
  /** The height and the width of the drawing, and the width of the room of each bar. */
  readonly height: number;
  readonly width: number;
  readonly slot: number;
}

/** Where a figure is, in pixels from the top. */
export function yOf({ ticks, height }: Pick<Drawing, 'ticks' | 'height'>, value: number): number {
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  // Halves, as the distance of the two largest numbers is none.
  return height * ((high / 2 - value / 2) / (high / 2 - low / 2));
}

/** The least height of a bar, so that the smallest stays visible. */
const BAR_MIN = 1.5;

/** Where a bar from zero to a figure is. */
function barTo(drawing: Pick<Drawing, 'ticks' | 'height'>, value: MaybeFigure): Extent {
  const zero = yOf(drawing, 0);
  if (value === null || value === 0) return { y: zero, height: 0 };
  const height = Math.max(BAR_MIN, Math.abs(zero - yOf(drawing, value)));
  return { y: value > 0 ? zero - height : zero, height };
}

/** Where a rectangle begins, from the top, and how high it is. */
interface Extent {
  readonly y: number;
  readonly height: number;
}

/** The axes: round figures with lines, and round times. */
export function Axes({ series: { edges, unit, zone, since }, ticks, height, width, slot }: Drawing) {
  const labelled = timeTicks(edges.slice(0, -1), unit, zone, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  const texts = tickTexts(
    unit,
    zone,
    labelled.map((i) => edges[i]!),
    since,
  );
  return (
    <>
      {ticks.map((tick) => {
        const y = yOf({ ticks, height }, tick);
        return (
          <g key={tick} class="tick">
            <line x1={0} x2={width} y1={y} y2={y} />
            <text x={-8} y={y + 4} text-anchor="end">
              {shortFigure(tick)}
            </text>
          </g>
        );
      })}
      {labelled.map((i, at) => {
        const x = (i + (unit === 'minute' || unit === 'hour' ? 0 : 0.5)) * slot;
        return (
          <text key={i} class="label" x={x} y={height + 18} text-anchor={x < 20 ? 'start' : 'middle'}>
            {texts[at]}
          </text>
        );
      })}
    </>
  );
}

/** The patterns that hatch a bar, and the room of one without events. */
function Hatches({ id }: { readonly id: string }) {
  return (
    <>
      <pattern
        id={`${id}-open`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <line class="hatch" x1="0" y1="0" x2="0" y2="6" />
      </pattern>
      <pattern id={`${id}-empty`} width="6" height="6" patternUnits="userSpaceOnUse">
        <line class="hatch empty" x1="0" y1="6" x2="6" y2="0" />
      </pattern>
    </>
  );
}

interface BarsProps extends Drawing {
  /** The first and the last bar of a drag. */
  readonly drag: readonly [low: number, high: number];
  readonly over: number | undefined;
}

/** The bars, with their parts and the period before. */
export function Bars({ drag: [low, high], over, ...drawing }: BarsProps) {
  const id = useId();
  const { series, slot, height } = drawing;
  const areLines = !isStacked(series);
  return (
    <>
      <Hatches id={id} />
      {series.totals.map((_, i) => {
        const isIn = i >= low && i <= high;
        const isOver = isIn || i === over;
        return (
          <g key={i} class={isOver ? 'over' : ''}>
            {isOver && (
              <rect class={isIn ? 'band in' : 'band'} x={i * slot} y={0} width={slot} height={height} />
            )}
            {!areLines && <Bar {...drawing} id={id} at={i} />}
          </g>
        );
      })}
      {areLines &&
        series.parts.map((part, k) => (
          <Fragment key={k}>
            <path class={`line ${partClass(series.parts, k)}`} d={lineOf(drawing, part)} />
            <path class={`line dots ${partClass(series.parts, k)}`} d={dotsOf(drawing, part)} />
          </Fragment>
        ))}
    </>
  );
}

const placeOf = (drawing: Drawing, at: number, value: number) =>
  `${(at + 0.5) * drawing.slot},${yOf(drawing, value)}`;

/** The line through the figures of a part, with gaps where it has none. */
function lineOf(drawing: Drawing, { figures }: BarPart): string {
  return figures
    .map((value, i) => {
      if (value === null) return '';
      return ((figures[i - 1] ?? null) === null ? 'M' : 'L') + placeOf(drawing, i, value);
    })
    .join('');
}

/** The figures of a part that stand between two gaps: no line shows them. */
function dotsOf(drawing: Drawing, { figures }: BarPart): string {
  const isNone = (at: number) => (figures[at] ?? null) === null;
  return figures
    .map((value, i) =>
      value !== null && isNone(i - 1) && isNone(i + 1) ? `M${placeOf(drawing, i, value)}h0` : '',
    )
    .join('');
}

function Bar({ id, at, ...drawing }: Drawing & { readonly id: string; readonly at: number }) {
  const { series, partials, slot } = drawing;
  const { parts, before, totals } = series;
  const whole = barTo(drawing, totals[at]!);
  const middle = (at + 0.5) * slot;
  const room = Math.min(BAR_MAX, slot * (slot < 4 ? 1 : BAR_SHARE));
  const width = before === undefined ? room : room * 0.6;
  const rect = (thick: number, extent: Extent) => ({ x: middle - thick / 2, width: thick, ...extent });
  const zero = yOf(drawing, 0);
  let y = zero;
  return (
    <>
      {before !== undefined && (
        <rect class="before" {...rect(room, barTo(drawing, before.figures[at] ?? null))} />
      )}
      {parts.map((part, k) => {
        const height = zero - yOf(drawing, part.figures[at] ?? 0);
        const extent = parts.length === 1 ? whole : { y: (y -= height), height };
        return extent.height === 0 ? null : (
          <rect key={k} class={`bar ${partClass(parts, k)}`} {...rect(width, extent)} />
        );
      })}
      {partials[at] !== undefined && whole.height > 0 && (
        <rect class="open" fill={`url(#${id}-open)`} {...rect(width, whole)} />
      )}
      {partials[at] !== undefined && whole.height === 0 && (
        <rect class="open" fill={`url(#${id}-empty)`} {...rect(width, { y: zero - 6, height: 6 })} />
      )}
    </>
  );
}
