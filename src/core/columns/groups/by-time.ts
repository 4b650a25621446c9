import { bucketGroups, toBreakdown } from '../../query/group-table.ts';
import { bucketsOf, type Breakdown, type TimeSeries, type Told } from '../../query/grouping.ts';
import { findEnds } from './blocks.ts';
import { createBuckets } from './buckets.ts';
import type { GroupTools, OrderedRows } from './grouped.ts';
import { createTeller, type LookedAt } from './measured.ts';

/** Groups rows by time, with the rest. In the order of a segment a bucket is a span of places. */
export async function breakDownByTime(
  { selectorAt, places, distinct, measured }: OrderedRows & LookedAt,
  { series, size }: { readonly series: TimeSeries; readonly size: number },
  tools: GroupTools,
): Promise<Breakdown> {
  const starts = bucketsOf(series, await findEnds(selectorAt, places, tools.pacer));
  const buckets = bucketGroups(series, starts, size);
  const teller = await createTeller(selectorAt, { distinct, measured }, tools);
  const bucketAt = createBuckets(places);
  const told: Told[] = [];
  for (const i of buckets.keys.keys()) told.push(await teller.tell(bucketAt(starts[i]!, starts[i + 1]!)));
  const rest = await teller.tell(bucketAt(starts[told.length] ?? 0, starts.at(-1) ?? 0));
  const whole = {
    count: [...told, rest].reduce((sum, { count }) => sum + count, 0),
    ...(await teller.whole()),
  };
  return toBreakdown({
    ...{ missing: 0, arrays: 0, objects: 0, rows: buckets, columns: undefined },
    tell: (row) => (row === undefined ? whole : (told[row] ?? rest)),
  });
}
