import { bucketsOf, toBucketKey, type Breakdown, type Group, type TimeSeries } from '../../query/grouping.ts';
import type { SegmentSpan } from '../selection/selector.ts';
import { placesIn, toSpan, type PlaceSpan } from '../selection/spans.ts';
import { findEnds } from './blocks.ts';
import type { GroupTools, OrderedRows } from './grouped.ts';
import { createTeller, type LookedAt } from './measured.ts';

/** Groups rows by time. In the order of a segment a bucket is a span of places. */
export async function breakDownByTime(
  { selectorAt, places, distinct, measured }: OrderedRows & LookedAt,
  { series, size }: { readonly series: TimeSeries; readonly size: number },
  tools: GroupTools,
): Promise<Breakdown> {
  const starts = bucketsOf(series, await findEnds(selectorAt, places, tools.pacer));
  const buckets = Math.max(0, starts.length - 1);
  const groups: Group[] = [];
  let total = 0;
  const teller = await createTeller(selectorAt, { distinct, measured }, tools);
  const bucketAt = createBuckets(places);
  for (let i = 0; i < buckets; i++) {
    const counted = await teller.tell(bucketAt(starts[i]!, starts[i + 1]!));
    total += counted.count;
    if (i < size) groups.push({ key: toBucketKey(series, starts[i]!), ...counted });
  }
  const counts = { total, missing: 0, arrays: 0, objects: 0, groupsTotal: buckets, groups };
  return { ...counts, ...(await teller.whole()) };
}

/** Makes what finds the rows of one bucket after the other. Buckets ascend and touch. */
function createBuckets(places: readonly PlaceSpan[]): (from: number, until: number) => SegmentSpan[] {
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
