import type { Pacer } from '../../bounds/scheduler.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { FoundValue } from '../../filter/operators.ts';
import { createDecimalSum } from '../../query/decimal.ts';
import {
  placeOf,
  takesSum,
  toMeasured,
  type AskedMeasure,
  type MeasuredNumbers,
} from '../../query/measures.ts';
import { codeOf, createDictionary, encode, MISSING } from '../../columns/column/dictionary.ts';
import { sortNumbers } from '../../columns/groups/sort-numbers.ts';

/** How often a group has each value, by the code of the value. */
type Times = Map<number, number>;

/** How many numbers are looked at between two pauses. */
const STEP_NUMBERS = 1024;

/** Collects what events have at a path, in all and in each group. */
export interface PathTally {
  /** How many values there are by group, all groups counted; each takes memory. */
  readonly entries: number;
  /** About how many bytes the values themselves take. */
  readonly bytes: number;
  /** Adds what an event of a group has, or of none. */
  add(group: number | undefined, value: FoundValue): void;
  /** The figures of a group; of all events without one. */
  measure(group: number | undefined, pacer: Pacer): Promise<MeasuredNumbers>;
}

/** Collects values one by one. The figures come from the numbers in order: this is what they are. */
export function createPathTally(measure: AskedMeasure, hash: KeyedHash): PathTally {
  const values = createDictionary(hash);
  const all: Times = new Map();
  const byGroup = new Map<number, Times>();
  function count(times: Times, code: number): void {
    const before = times.get(code);
    times.set(code, (before ?? 0) + 1);
    if (before === undefined) tally.entries += 1;
  }

  const tally = {
    entries: 0,
    get bytes() {
      return values.bytes;
    },
    add(group: number | undefined, value: FoundValue) {
      const code = encode(values, value);
      if (code === MISSING) return;
      count(all, code);
      if (group === undefined) return;
      const own = byGroup.get(group) ?? new Map<number, number>();
      byGroup.set(group, own);
      count(own, code);
    },
    async measure(group: number | undefined, pacer: Pacer) {
      const times: Times = (group === undefined ? all : byGroup.get(group)) ?? new Map<number, number>();
      let [numbers, others] = [0, 0];
      const found: number[] = [];
      for (const [code, count] of times) {
        const value = values.values[code];
        if (typeof value === 'number') {
          numbers += count;
          found.push(value);
        } else others += count;
      }
      const sorted = await sortNumbers(Float64Array.from(found), pacer);
      const timesOf = (number: number) => times.get(codeOf(values, number)!)!;
      const sum = takesSum(measure) ? await addUp(sorted, timesOf, pacer) : undefined;
      return toMeasured(measure, {
        numbers,
        others,
        sum,
        at: createRanks(sorted, timesOf, numbers),
      });
    },
  };
  return tally;
}

async function addUp(sorted: Float64Array, timesOf: (number: number) => number, pacer: Pacer) {
  const sum = createDecimalSum();
  for (const [i, number] of sorted.entries()) {
    sum.add(number, timesOf(number));
    if (i % STEP_NUMBERS === STEP_NUMBERS - 1) await pacer.yieldIfDue();
  }
  return sum.total();
}

/** Makes what finds the number at a rank by counting up to it. */
function createRanks(sorted: Float64Array, timesOf: (number: number) => number, numbers: number) {
  return (rank: number): number => {
    let left = placeOf(rank, numbers);
    for (const number of sorted) {
      left -= timesOf(number);
      if (left <= 0) return number;
    }
    return sorted.at(-1)!;
  };
}
