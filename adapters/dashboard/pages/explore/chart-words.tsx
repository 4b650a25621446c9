import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { cut, seen, written } from '../address/written.ts';
import { measureLabel } from '../address/measure.ts';
import { figureOrNone } from '../parts/figure.ts';
import { askFor } from './filter/ask-for.ts';
import { hasValue } from './filter/comparisons.ts';
import { isBroken, type BarPart, type EventSeries } from './series.ts';

/** How many characters of a value are shown. */
const TEXT_LENGTH = 120;

/** The name of a part of the bars. */
export function partText({ value }: BarPart): string {
  return value === undefined
    ? 'all others'
    : value === ''
      ? '(empty text)'
      : cut(written(value), TEXT_LENGTH);
}

/** The class of the color of a part. */
export function partClass(parts: readonly BarPart[], at: number): string {
  if (!isBroken(parts)) return 'whole';
  return parts[at]!.value === undefined ? 'rest' : `part-${at}`;
}

/** A square in the color of a part. */
export function Swatch({ of }: { readonly of: string }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={of === 'before' ? 'before' : `bar ${of}`} width="10" height="10" />
    </svg>
  );
}

/** The colors of the bars, if they have several, with the figures of all their events together. */
export function Legend({ parts, by, before, measure }: EventSeries) {
  if (!isBroken(parts) && before === undefined) return null;
  return (
    <ul class="legend">
      {parts.map((part, k) => (
        <li key={k}>
          <Swatch of={partClass(parts, k)} />{' '}
          {isBroken(parts) ? <PartName part={part} by={by} /> : seen(measureLabel(measure))}{' '}
          <span class="muted">{figureOrNone(part.whole)}</span>
        </li>
      ))}
      {before !== undefined && (
        <li>
          <Swatch of="before" /> period before
        </li>
      )}
    </ul>
  );
}

/** The name of a part. That of a value filters for it, as a row of the groups does. */
function PartName({ part, by }: { readonly part: BarPart; readonly by: string | undefined }) {
  const { value } = part;
  const text = <bdi>{partText(part)}</bdi>;
  if (by === undefined || value === undefined) return text;
  return (
    <button
      type="button"
      class="as-text"
      aria-label={`Filter for ${partText(part)}`}
      onClick={() => askFor(hasValue(by, value, false))}
    >
      {text}
    </button>
  );
}

/** On which side of its place a tip stands, so that it stays within the chart. */
export const sideOf = (x: number, width: number) =>
  x < width / 3 ? 'right' : x > (width * 2) / 3 ? 'left' : 'middle';

/** The figures of the bar below the pointer. The table says the same to those who use none. */
export function Tip({
  x,
  width,
  top,
  children,
}: {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly children: ComponentChildren;
}) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    tip.current!.style.setProperty('--x', `${x}px`);
    tip.current!.style.setProperty('--top', `${top}px`);
  });
  return (
    <div class={`tip ${sideOf(x, width)}`} ref={tip} aria-hidden="true">
      {children}
    </div>
  );
}
