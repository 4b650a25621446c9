import type { KeyedHash } from '../base/keyed-hash.ts';
import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import { codeOf, createDictionary, encode, MISSING } from '../columns/column/dictionary.ts';
import { summarize } from '../columns/groups/summary.ts';
import { startOfBucket } from '../event/time-unit.ts';
import type { Scalar } from '../filter/operands.ts';
import { bucketsOf, toBucketKey, toKey, type Span, type TimeSeries } from '../query/grouping.ts';
import type { AskedSequence, Sequence } from '../query/sequence.ts';

/** Counts who reached each step, by where the attempt that counts began. */
export interface GroupCounts {
  /** Adds a value: what its first event has at `by`, the instant of that event, and the steps reached. */
  add(key: Scalar | undefined, instant: number, reached: number): void;
  /** The groups, given what is counted in all; nothing where none are asked for. */
  told(all: readonly number[], pacer: Pacer): Promise<Pick<Sequence, 'groupsTotal' | 'groups' | 'rest'>>;
}

/** A group takes an entry, and 8 bytes for each step. */
const GROUP_BYTES = 64;

/** Makes the counts of no value. */
export function createGroupCounts(
  { by, size, steps }: Pick<AskedSequence, 'by' | 'size' | 'steps'>,
  { hash, room }: { readonly hash: KeyedHash; readonly room: Reservation },
): GroupCounts {
  if (by === undefined) return { add: () => undefined, told: () => Promise.resolve({}) };
  const keys = createDictionary(hash);
  /** By the code of the key. */
  const counts = new Map<number, number[]>();
  const ends: Span = { first: Infinity, last: -Infinity };
  let span = ends;
  let booked = 0;

  function countsAt(code: number): number[] {
    const known = counts.get(code);
    if (known !== undefined) return known;
    const bytes = keys.bytes + (counts.size + 1) * (GROUP_BYTES + steps * 8);
    reserveOrThrow(room, bytes - booked);
    booked = bytes;
    if ('unit' in by!) checkBuckets(by, span, counts.size + 1);
    const none = new Array<number>(steps).fill(0);
    counts.set(code, none);
    return none;
  }

  const restOf = (all: readonly number[], groups: readonly { readonly counts: readonly number[] }[]) => ({
    counts: all.map((count, k) => groups.reduce((left, group) => left - group.counts[k]!, count)),
  });

  return {
    add(key, instant, reached) {
      span = { first: Math.min(instant, span.first), last: Math.max(instant, span.last) };
      const code = encode(keys, 'unit' in by ? startOfBucket(by.unit, instant, by.zone) : key);
      const own = countsAt(code);
      for (let k = 0; k < reached; k++) own[k]! += 1;
    },
    async told(all, pacer) {
      const none = new Array<number>(steps).fill(0);
      if ('unit' in by) {
        const starts = bucketsOf(by, span === ends ? undefined : span).slice(0, -1);
        const groups = starts.slice(0, size).map((start) => {
          return { key: toBucketKey(by, start), counts: counts.get(codeOf(keys, start) ?? MISSING) ?? none };
        });
        return { groupsTotal: starts.length, groups, rest: restOf(all, groups) };
      }
      const began = new Uint32Array(keys.values.length);
      for (const [code, own] of counts) began[code] = own[0]!;
      const found = { values: keys.values, count: began.length };
      const { given, groupsTotal } = await summarize(found, began, size, pacer);
      const groups = given.map((code) => ({
        key: toKey(by, keys.values[code] as Scalar),
        counts: counts.get(code)!,
      }));
      return { groupsTotal, groups, rest: restOf(all, groups) };
    },
  };
}

/** Refuses time that is cut too fine before all is read: to cut it takes as long as there are buckets. */
function checkBuckets(series: TimeSeries, span: Span, groups: number): void {
  if ((groups & (groups - 1)) === 0) bucketsOf(series, span);
}
