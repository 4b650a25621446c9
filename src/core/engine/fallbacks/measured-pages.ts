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

/** How often events have each value, by the code of the value. */
type Times = ReadonlyMap<number, number>;

/** How many numbers are looked at between two pauses. */
const STEP_NUMBERS = 1024;

/** Collects what events have at a path, in each cell. */
export interface PathTally {
  /** How many values there are by cell, all cells counted; each takes memory. */
  readonly entries: number;
  /** About how many bytes the values themselves take. */
  readonly bytes: number;
  /** Adds what an event of a cell has. */
  add(cell: number, value: FoundValue): void;
  /** The figures of some cells together. */
  measure(cells: readonly number[], pacer: Pacer): Promise<MeasuredNumbers>;
}

/** Collects values one by one. The figures come from the numbers in order: this is what they are. */
export function createPathTally(measure: AskedMeasure, hash: KeyedHash): PathTally {
  const values = createDictionary(hash);
  const byCell = new Map<number, Map<number, number>>();

  /** How often some cells have each value. */
  async function timesOf(cells: readonly number[], pacer: Pacer): Promise<Times> {
    const all = new Map<number, number>();
    for (const cell of cells) {
      for (const [code, count] of byCell.get(cell) ?? []) all.set(code, (all.get(code) ?? 0) + count);
      await pacer.yieldIfDue();
    }
    return all;
  }

  const tally = {
    entries: 0,
    get bytes() {
      return values.bytes;
    },
    add(cell: number, value: FoundValue) {
      const code = encode(values, value);
      if (code === MISSING) return;
      const own = byCell.get(cell) ?? new Map<number, number>();
      byCell.set(cell, own);
      const before = own.get(code);
      own.set(code, (before ?? 0) + 1);
      if (before === undefined) tally.entries += 1;
    },
    async measure(cells: readonly number[], pacer: Pacer) {
      const times = await timesOf(cells, pacer);
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
      const countOf = (number: number) => times.get(codeOf(values, number)!)!;
      const sum = takesSum(measure) ? await addUp(sorted, countOf, pacer) : undefined;
      return toMeasured(measure, { numbers, others, sum, at: createRanks(sorted, countOf, numbers) });
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
