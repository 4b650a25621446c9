import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { written } from '../address/question.ts';
import { figure } from '../parts/figure.ts';
import { bucketText, markOf, rangeOfBars } from '../time/marks.ts';
import { tickText, timeTicks, valueTicks } from '../time/ticks.ts';
import { Figures } from './figures.tsx';
import type { BarPart, EventSeries } from './series.ts';
import { narrow } from './time.ts';

const HEIGHT = 160;
/** The most of its room and the most pixels that a bar takes, so that a few bars are no blocks. */
const BAR_SHARE = 0.84;
const BAR_MAX = 48;
/** The room of a label below the axis, in pixels. */
const LABEL_WIDTH = 72;

/** The name of a part of the bars. */
export function partText({ value }: BarPart, count: number): string {
  if (count === 1) return 'events';
  return value === undefined ? 'all others' : value === '' ? '(empty text)' : written(value);
}

const tickFigure = (count: number) => (count < 1_000_000 ? figure(count) : `${count / 1_000_000}M`);

/** The width of an element in pixels; zero before it is known. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(element.current!.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}

/**
 * A bar chart over time. A drag over the bars narrows the question to that time, and a click to that of a bar.
 * A tap reads a bar, and a second one narrows.
 */
export function Chart({ series }: { readonly series: EventSeries }) {
  const { unit, zone, edges, parts, before } = series;
  const [room, width] = useWidth();
  const [drag, setDrag] = useState<readonly [from: number, to: number]>();
  const [over, setOver] = useState<{ readonly at: number; readonly byTouch: boolean }>();
  const id = useId();
  const count = edges.length - 1;
  const totals = edges.slice(0, -1).map((_, i) => parts.reduce((sum, part) => sum + part.counts[i]!, 0));
  const most = Math.max(0, ...totals, ...(before?.counts ?? []));
  const most1 = Math.max(0, ...totals);
  if (most === 0) {
    return (
      <div class="plot" ref={room}>
        <p class="nothing muted">No events in this time range.</p>
      </div>
    );
  }
  const ticks = valueTicks(most);
  const top = ticks.at(-1)!;
  const slot = width / count;
  const bar = Math.min(BAR_MAX, slot * (slot < 4 ? 1 : BAR_SHARE));
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / top) * HEIGHT));
  const marks = totals.map((_, i) => markOf(series, i));
  const labelled = timeTicks(edges.slice(0, -1), unit, zone, Math.max(1, Math.floor(width / LABEL_WIDTH)));
  const inWords =
    `${count} buckets from ${bucketText(series, 0)} to ${bucketText(series, count - 1)}; ` +
    `the largest has ${most1} events. The table below lists all figures.`;
  const indexAt = (event: PointerEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.min(count - 1, Math.max(0, Math.floor((event.clientX - left) / slot)));
  };
  const ask = (a: number, b: number) => narrow(rangeOfBars(series, a, b));
  const release = (event: PointerEvent) => {
    setDrag(undefined);
    if (drag === undefined) return;
    const [from, to] = drag;
    const isRead = event.pointerType !== 'touch' || from !== to || (over?.byTouch === true && over.at === to);
    if (isRead) ask(from, to);
    else setOver({ at: to, byTouch: true });
  };
  const [low, high] = drag === undefined ? [-1, -1] : [Math.min(...drag), Math.max(...drag)];
  return (
    <>
      <div class="plot" ref={room}>
        <svg
          class="chart"
          width={width}
          height={HEIGHT}
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
          {ticks.map((tick) => {
            const y = HEIGHT - (tick / top) * HEIGHT;
            return (
              <g key={tick} class="tick">
                <line x1={0} x2={width} y1={y} y2={y} />
                <text x={-8} y={y + 4} text-anchor="end">
                  {tickFigure(tick)}
                </text>
              </g>
            );
          })}
          {width > 0 &&
            totals.map((total, i) => {
              const middle = (i + 0.5) * slot;
              const isIn = i >= low && i <= high;
              const isOver = isIn || i === over?.at;
              const thickness = before === undefined ? bar : bar * 0.6;
              let y = HEIGHT;
              return (
                <g key={i} class={isOver ? 'over' : ''}>
                  {isOver && (
                    <rect class={isIn ? 'band in' : 'band'} x={i * slot} y={0} width={slot} height={HEIGHT} />
                  )}
                  {before !== undefined && (
                    <Rect class="before" middle={middle} width={bar} height={heightOf(before.counts[i]!)} />
                  )}
                  {parts.map((part, k) => {
                    const height = parts.length === 1 ? heightOf(total) : (part.counts[i]! / top) * HEIGHT;
                    y -= height;
                    if (height === 0) return null;
                    return (
                      <rect
                        key={k}
                        class={`bar ${partClass(parts, k)}`}
                        x={middle - thickness / 2}
                        y={y}
                        width={thickness}
                        height={height}
                      />
                    );
                  })}
                  {marks[i] !== undefined && (
                    <rect
                      class="open"
                      fill={`url(#${id}-${total === 0 ? 'empty' : 'open'})`}
                      x={middle - thickness / 2}
                      y={total === 0 ? HEIGHT - 6 : y}
                      width={thickness}
                      height={total === 0 ? 6 : HEIGHT - y}
                    />
                  )}
                </g>
              );
            })}
          {labelled.map((i) => {
            const x = (i + (unit === 'minute' || unit === 'hour' ? 0 : 0.5)) * slot;
            return (
              <text key={i} class="label" x={x} y={HEIGHT + 18} text-anchor={x < 20 ? 'start' : 'middle'}>
                {tickText(unit, zone, edges[i]!)}
              </text>
            );
          })}
        </svg>
        {over !== undefined && over.at < count && width > 0 && (
          <Tip
            x={(over.at + 0.5) * slot}
            width={width}
            bottom={heightOf(Math.max(totals[over.at]!, before?.counts[over.at] ?? 0))}
          >
            <strong>{bucketText(series, over.at)}</strong>
            <span>
              {figure(totals[over.at]!)} {totals[over.at] === 1 ? 'event' : 'events'}
            </span>
            {parts.length > 1 &&
              parts.map((part, k) => (
                <span key={k}>
                  <Swatch of={partClass(parts, k)} /> <bdi>{partText(part, parts.length)}</bdi>{' '}
                  {figure(part.counts[over.at]!)}
                </span>
              ))}
            {before !== undefined && (
              <span>
                <Swatch of="before" /> period before {figure(before.counts[over.at]!)}
              </span>
            )}
            {marks[over.at] !== undefined && <em>{marks[over.at]}</em>}
            {over.byTouch && <em>Tap again to zoom in.</em>}
          </Tip>
        )}
      </div>
      {(parts.length > 1 || before !== undefined) && (
        <ul class="legend">
          {parts.map((part, k) => (
            <li key={k}>
              <Swatch of={partClass(parts, k)} /> <bdi>{partText(part, parts.length)}</bdi>{' '}
              <span class="muted">{figure(part.counts.reduce((sum, each) => sum + each, 0))}</span>
            </li>
          ))}
          {before !== undefined && (
            <li>
              <Swatch of="before" /> period before
            </li>
          )}
        </ul>
      )}
      <p class="axis-hint">
        Drag over the bars or click one to zoom in.
        {marks.some((mark) => mark !== undefined) && ' Hatched bars are not a whole ' + unit + '.'}
      </p>
      <Figures series={series} marks={marks} only={(i) => ask(i, i)} />
    </>
  );
}

/** The class of a part's color. */
function partClass(parts: readonly BarPart[], at: number): string {
  if (parts.length === 1) return 'whole';
  return parts[at]!.value === undefined ? 'rest' : `part-${at}`;
}

function Rect({
  middle,
  width,
  height,
  ...more
}: {
  readonly class: string;
  readonly middle: number;
  readonly width: number;
  readonly height: number;
}) {
  return <rect {...more} x={middle - width / 2} y={HEIGHT - height} width={width} height={height} />;
}

function Swatch({ of }: { readonly of: string }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={of === 'before' ? 'before' : `bar ${of}`} width="10" height="10" />
    </svg>
  );
}

/** The figures of the bar below the pointer. The table says the same to those who use none. */
function Tip({
  x,
  width,
  bottom,
  children,
}: {
  readonly x: number;
  readonly width: number;
  readonly bottom: number;
  readonly children: ComponentChildren;
}) {
  const side = x < width / 3 ? 'right' : x > (width * 2) / 3 ? 'left' : 'middle';
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    tip.current!.style.setProperty('--x', `${x}px`);
    tip.current!.style.setProperty('--above', `${bottom}px`);
  });
  return (
    <div class={`tip ${side}`} ref={tip} aria-hidden="true">
      {children}
    </div>
  );
}
