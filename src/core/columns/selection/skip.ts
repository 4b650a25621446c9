import { placeOfInstant } from '../order/order.ts';
import type { CountTools } from './count.ts';
import { countSelected } from './select.ts';
import type { SelectorAt } from './selector.ts';
import { lastInstant, toSpan, type PlaceSpan } from './spans.ts';

/** To pass over so few rows, they are not counted first. */
const FEW_ROWS = 256;

/** To count too many rows costs a second count, and too few cost one more look at some rows. */
const SURELY = 0.97;

/** The places that are left, and how many of their selected rows have to be passed over yet. */
interface Skipped {
  readonly places: readonly PlaceSpan[];
  readonly toSkip: number;
}

/**
 * Passes over most of the `offset` newest selected rows, without looking at them one by one: it counts the
 * rows from an instant on, in all segments, and leaves them out together if they are not too many.
 */
export async function skipNewest(
  places: readonly PlaceSpan[],
  offset: number,
  selectorAt: SelectorAt,
  { pacer, kernel }: CountTools,
): Promise<Skipped> {
  let left = places;
  let toSkip = offset;
  for (let rows = toSkip; toSkip > FEW_ROWS && rows > FEW_ROWS && left.length > 0;) {
    const instant = instantOfNewest(left, rows);
    let count = 0;
    const others: PlaceSpan[] = [];
    for (const place of left) {
      const { sorted, from, to } = place;
      const begin = instant > sorted.max ? to : Math.max(from, placeOfInstant(sorted, instant));
      if (begin >= to) others.push(place);
      else {
        const own = toSpan({ sorted, from: begin, to });
        count += countSelected(kernel, selectorAt(sorted.segment), own, to - begin);
        if (begin > from) others.push({ sorted, from, to: begin });
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
      }
      if (count > toSkip) break;
    }
    const isTooMany = count > toSkip;
    if (!isTooMany) {
      left = others;
      toSkip -= count;
    }
    // As many as would have the rest if matches were as frequent there, and a few less.
    const expected = Math.floor((toSkip / Math.max(1, count)) * rows * SURELY);
    rows = isTooMany ? Math.min(expected, rows >> 1) : Math.min(expected, rows * 4);
  }
  return { places: left, toSkip };
}

/** An instant from which on there are about so many places, and at least one. */
function instantOfNewest(places: readonly PlaceSpan[], rows: number): number {
  const newest = places.reduce((most, place) => (lastInstant(place) > lastInstant(most) ? place : most));
  const instantAt = ({ sorted: { instants, local }, from, to }: PlaceSpan, back: number) =>
    instants[local[Math.max(from, to - back)]!]!;
  const alone = instantAt(newest, rows);
  // Segments that lie in the same time have as many.
  const together = places.filter((place) => lastInstant(place) >= alone).length;
  return instantAt(newest, Math.ceil(rows / together));
}
