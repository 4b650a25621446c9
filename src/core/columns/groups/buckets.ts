import type { SegmentSpan } from '../selection/selector.ts';
import { placesIn, toSpan, type PlaceSpan } from '../selection/spans.ts';

/** Makes what finds the rows of one bucket after the other. Buckets ascend and touch. */
export function createBuckets(places: readonly PlaceSpan[]): (from: number, until: number) => SegmentSpan[] {
  /** What is left of the places of each segment: those that no bucket before has. */
  let left = places.toSorted((a, b) => a.sorted.min - b.sorted.min);
  return (from, until) => {
    const spans: SegmentSpan[] = [];
    left = left.filter(({ sorted }) => sorted.max >= from);
    for (const { sorted, from: first, to } of left) {
      if (sorted.min >= until) break;
      const own = placesIn(sorted, { from, until });
      if (own === undefined) continue;
      const span = { sorted, from: Math.max(first, own.from), to: Math.min(to, own.to) };
      if (span.to > span.from) spans.push(toSpan(span));
    }
    return spans;
  };
}
