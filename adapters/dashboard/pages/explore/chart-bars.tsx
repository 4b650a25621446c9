import { useId } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { tickText, timeTicks } from '../time/ticks.ts';
import { partClass } from './chart-words.tsx';
import type { EventSeries } from './series.ts';

/** The most of its room and the most pixels that a bar takes, so that a few bars are no blocks. */
const BAR_SHARE = 0.84;
const BAR_MAX = 48;
/** The room of a label below the axis, in pixels. */
const LABEL_WIDTH = 72;

/** What the parts of a drawing share. */
export interface Drawing {
  readonly series: EventSeries;
  readonly totals: readonly number[];
  /** Of each bucket, why its figure is not that of a whole one. */
  readonly marks: readonly (string | undefined)[];
  /** The figures of the axis; the last is its end. */
  readonly ticks: readonly number[];
  /** The height and the width of the drawing, and the width of the room of each bar. */
  readonly height: number;
  readonly width: number;
  readonly slot: number;
}

/** The height of a count. The smallest stays visible. */
export function heightOf({ ticks, height }: Pick<Drawing, 'ticks' | 'height'>, value: number): number {
  return value === 0 ? 0 : Math.max(1.5, (value / ticks.at(-1)!) * height);
}

const tickFigure = (count: number) => (count < 1_000_000 ? figure(count) : `${count / 1_000_000}M`);

/** The axes: round figures with lines, and round times. */
export function Axes({ series: { edges, unit, zone }, ticks, height, width, slot }: Drawing) {
  const top = ticks.at(-1)!;
  const labelled = timeTicks(edges.slice(0, -1), unit, zone, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  return (
    <>
      {ticks.map((tick) => {
        const y = height - (tick / top) * height;
        return (
          <g key={tick} class="tick">
            <line x1={0} x2={width} y1={y} y2={y} />
            <text x={-8} y={y + 4} text-anchor="end">
              {tickFigure(tick)}
            </text>
          </g>
        );
      })}
      {labelled.map((i) => {
        const x = (i + (unit === 'minute' || unit === 'hour' ? 0 : 0.5)) * slot;
        return (
          <text key={i} class="label" x={x} y={height + 18} text-anchor={x < 20 ? 'start' : 'middle'}>
            {tickText(unit, zone, edges[i]!)}
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
  const { slot, height, totals } = drawing;
  return (
    <>
      <Hatches id={id} />
      {totals.map((_, i) => {
        const isIn = i >= low && i <= high;
        const isOver = isIn || i === over;
        return (
          <g key={i} class={isOver ? 'over' : ''}>
            {isOver && (
              <rect class={isIn ? 'band in' : 'band'} x={i * slot} y={0} width={slot} height={height} />
            )}
            <Bar {...drawing} id={id} at={i} />
          </g>
        );
      })}
    </>
  );
}

function Bar({ id, at, ...drawing }: Drawing & { readonly id: string; readonly at: number }) {
  const { series, totals, marks, ticks, slot, height: top } = drawing;
  const { parts, before } = series;
  const total = totals[at]!;
  const middle = (at + 0.5) * slot;
  const room = Math.min(BAR_MAX, slot * (slot < 4 ? 1 : BAR_SHARE));
  const width = before === undefined ? room : room * 0.6;
  const rect = (thick: number, y: number, height: number) => ({
    ...{ x: middle - thick / 2, y, width: thick, height },
  });
  const behind = heightOf(drawing, before?.counts[at] ?? 0);
  let y = top;
  return (
    <>
      {before !== undefined && <rect class="before" {...rect(room, top - behind, behind)} />}
      {parts.map((part, k) => {
        const share = (part.counts[at]! / ticks.at(-1)!) * top;
        const height = parts.length === 1 ? heightOf(drawing, total) : share;
        y -= height;
        return height === 0 ? null : (
          <rect key={k} class={`bar ${partClass(parts, k)}`} {...rect(width, y, height)} />
        );
      })}
      {marks[at] !== undefined && total > 0 && (
        <rect class="open" fill={`url(#${id}-open)`} {...rect(width, y, top - y)} />
      )}
      {marks[at] !== undefined && total === 0 && (
        <rect class="open" fill={`url(#${id}-empty)`} {...rect(width, top - 6, 6)} />
      )}
    </>
  );
}
