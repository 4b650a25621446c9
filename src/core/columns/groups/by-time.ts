import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { toIsoInstant } from '../../event/time.ts';
import { bucketsOf, type Breakdown, type Group, type TimeSeries } from '../../query/grouping.ts';
import type { RowRange } from '../selection/selector.ts';
import { countPaced } from '../selection/walk.ts';
import { eachSelected, findEnds } from './blocks.ts';
import type { Grouped, GroupTools } from './grouped.ts';
import { createDistinctCounter } from './distinct.ts';
import { collectCodes } from './group-loops.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';

/** Looks up places of the order by time. */
export interface Places {
  /** How many places lie before an instant. */
  readonly placeOf: (instant: number) => number;
  /** The instant of the event at a place. */
  readonly instantAt: (place: number) => number;
}

/** Groups rows by time. In the order a bucket is a range of places. */
export async function breakDownByTime(
  { placeOf, instantAt }: Places,
  grouped: Grouped,
  { series, size }: { readonly series: TimeSeries; readonly size: number },
  tools: GroupTools,
): Promise<Breakdown> {
  const { selector, range, distinct } = grouped;
  const { from, to } = range;
  const ends = await findEnds(selector, range, tools.pacer);
  const events = ends && { first: instantAt(ends.first), last: instantAt(ends.last) };
  const starts = bucketsOf(series, events);
  const clip = (place: number) => Math.min(Math.max(place, from), to);
  const bucketAt = (i: number) => ({
    ...range,
    from: clip(placeOf(starts[i]!)),
    to: clip(placeOf(starts[i + 1]!)),
  });
  const buckets = Math.max(0, starts.length - 1);
  const groups: Group[] = [];
  let total = 0;
  const count = distinct === undefined ? countOnly(grouped, tools) : await countDistinct(grouped, tools);
  for (let i = 0; i < buckets; i++) {
    const counted = await count.bucket(bucketAt(i));
    total += counted.count;
    if (i < size) groups.push({ key: toIsoInstant(starts[i]!), ...counted });
  }
  const whole = count.whole();
  return {
    ...{ total, missing: 0, arrays: 0, objects: 0, groupsTotal: buckets, groups },
    ...(whole === undefined ? {} : { distinct: whole }),
  };
}

/** Counts bucket after bucket. */
interface BucketCounter {
  bucket(range: RowRange): Promise<Omit<Group, 'key'>>;
  /** How many distinct scalars all buckets have; undefined if they are not counted. */
  whole(): number | undefined;
}

function countOnly({ selector }: Grouped, { pacer }: GroupTools): BucketCounter {
  return {
    bucket: async (range) => {
      await pacer.yieldIfDue();
      return { count: await countPaced(selector, { ...range, spans: [range] }, pacer) };
    },
    whole: () => undefined,
  };
}

async function countDistinct({ selector, distinct }: Grouped, tools: GroupTools): Promise<BucketCounter> {
  const { codes } = distinct!;
  const inBucket = await createDistinctCounter(distinct!, tools);
  const inAll = await createDistinctCounter(distinct!, tools);
  reserveOrThrow(tools.reservation, BLOCK_ROWS * 4);
  const block = new Uint32Array(BLOCK_ROWS);
  inAll.begin();
  return {
    async bucket(range) {
      let count = 0;
      inBucket.begin();
      await tools.pacer.yieldIfDue();
      await eachSelected(selector, range, tools.pacer, (selection, rows) => {
        const selected = block.subarray(0, collectCodes(block, codes, selection, rows));
        count += selected.length;
        inBucket.add(selected);
        inAll.add(selected);
      });
      return { count, distinct: inBucket.found };
    },
    whole: () => inAll.found,
  };
}
