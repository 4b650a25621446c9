import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { toIsoInstant } from '../../event/time.ts';
import { bucketsOf, type Breakdown, type Group, type TimeSeries } from '../../query/grouping.ts';
import { countPaced } from '../selection/count.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import { placesIn, toSpan, type PlaceSpan } from '../selection/spans.ts';
import { eachSelected, findEnds } from './blocks.ts';
import type { GroupTools, OrderedRows } from './grouped.ts';
import { createDistinctCounter } from './distinct.ts';
import { collectCodes } from './group-loops.ts';
import type { Coded } from './reading.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';

/** Groups rows by time. In the order of a segment a bucket is a span of places. */
export async function breakDownByTime(
  { selectorAt, places, coded: [distinct] }: OrderedRows,
  { series, size }: { readonly series: TimeSeries; readonly size: number },
  tools: GroupTools,
): Promise<Breakdown> {
  const starts = bucketsOf(series, await findEnds(selectorAt, places, tools.pacer));
  const buckets = Math.max(0, starts.length - 1);
  const groups: Group[] = [];
  let total = 0;
  const count =
    distinct === undefined ? countOnly(selectorAt, tools) : await countDistinct(selectorAt, distinct, tools);
  const bucketAt = createBuckets(places);
  for (let i = 0; i < buckets; i++) {
    const counted = await count.bucket(bucketAt(starts[i]!, starts[i + 1]!));
    total += counted.count;
    if (i < size) groups.push({ key: toIsoInstant(starts[i]!), ...counted });
  }
  const whole = count.whole();
  return {
    ...{ total, missing: 0, arrays: 0, objects: 0, groupsTotal: buckets, groups },
    ...(whole === undefined ? {} : { distinct: whole }),
  };
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

/** Counts bucket after bucket. */
interface BucketCounter {
  bucket(spans: readonly SegmentSpan[]): Promise<Omit<Group, 'key'>>;
  /** How many distinct scalars all buckets have; undefined if they are not counted. */
  whole(): number | undefined;
}

function countOnly(selectorAt: SelectorAt, { pacer }: GroupTools): BucketCounter {
  return {
    bucket: async (spans) => {
      await pacer.yieldIfDue();
      return { count: await countPaced(selectorAt, spans, pacer) };
    },
    whole: () => undefined,
  };
}

async function countDistinct(
  selectorAt: SelectorAt,
  distinct: Coded,
  tools: GroupTools,
): Promise<BucketCounter> {
  const inBucket = await createDistinctCounter(distinct, tools);
  const inAll = await createDistinctCounter(distinct, tools);
  reserveOrThrow(tools.reservation, BLOCK_ROWS * 4);
  const collected = new Uint32Array(BLOCK_ROWS);
  inAll.begin();
  return {
    async bucket(spans) {
      let count = 0;
      inBucket.begin();
      await tools.pacer.yieldIfDue();
      await eachSelected(selectorAt, spans, tools.pacer, (selection, block) => {
        const codes = distinct.codes[block.segment]!;
        const selected = collected.subarray(0, collectCodes(collected, codes, selection, block));
        count += selected.length;
        inBucket.add(selected);
        inAll.add(selected);
      });
      return { count, distinct: inBucket.found };
    },
    whole: () => inAll.found,
  };
}
