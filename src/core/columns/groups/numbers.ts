import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ExactDecimal } from '../../query/decimal.ts';
import {
  isBetween,
  placeOf,
  takesSum,
  toMeasured,
  type AskedMeasure,
  type MeasuredNumbers,
} from '../../query/measures.ts';
import { createExactSum } from './exact-sum.ts';
import type { GroupTools, MeasuredCodes } from './grouped.ts';
import { placeIn, sortNumbers } from './sort-numbers.ts';

/** Measures the numbers of some rows, round after round. */
export interface NumberTally {
  /** Adds the codes of rows to the round. */
  add(codes: Uint32Array): void;
  /** Ends the round: its figures. */
  end(): Promise<MeasuredNumbers>;
}

/** The numbers of a path, each once. */
export interface Numbers {
  readonly measure: AskedMeasure;
  /** By code, the place of its number; behind all numbers, a place for other values and one for none. */
  readonly places: Uint32Array;
  /** They ascend if a figure needs their order. */
  readonly numbers: Float64Array;
}

/** How many values are looked at between two pauses. */
const STEP_VALUES = 16_384;
const STEP_SUMMED = 1024;

/** Reads which codes are numbers, and puts these in order if a figure needs it. */
export async function readNumbers(
  { measure, coded: { values, count } }: MeasuredCodes,
  { reservation, pacer }: GroupTools,
): Promise<Numbers> {
  // The places, the numbers, and as much again for sorting them.
  reserveOrThrow(reservation, count * 20);
  const places = new Uint32Array(count);
  const found = new Float64Array(count);
  let length = 0;
  for (let code = 0; code < count; code++) {
    const value = values[code];
    if (typeof value === 'number') found[length++] = value;
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  const own = found.subarray(0, length);
  const isOrdered = measure.take.some(isBetween);
  const numbers = isOrdered ? await sortNumbers(own, pacer) : own;
  for (let code = 0, next = 0; code < count; code++) {
    const value = values[code];
    if (typeof value === 'number') places[code] = isOrdered ? placeIn(numbers, value) : next++;
    else places[code] = value === undefined || value === null ? length + 1 : length;
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  return { measure, places, numbers };
}

/** A round with more rows counts them by place; one with fewer sorts their places. */
const SORTED_ROWS_MAX = 32_768;

/** Makes a tally, which books its memory. */
export function createNumberTally(
  { measure, places, numbers }: Numbers,
  { reservation, pacer }: GroupTools,
): NumberTally {
  const length = numbers.length;
  const few = new Uint32Array(Math.min(SORTED_ROWS_MAX, Math.ceil(length / 16)));
  reserveOrThrow(reservation, few.byteLength + (length + 2) * 4);
  /** How many rows have each place, once they are too many to be sorted. */
  const counts = new Uint32Array(length + 2);
  let [rows, isCounted] = [0, false];

  function count(codes: Uint32Array): void {
    for (let i = 0; i < codes.length; i++) counts[places[codes[i]!]!]! += 1;
  }

  return {
    add(codes) {
      if (!isCounted && rows + codes.length <= few.length) {
        for (let i = 0; i < codes.length; i++) few[rows + i] = places[codes[i]!]!;
      } else {
        if (!isCounted) for (let i = 0; i < rows; i++) counts[few[i]!]! += 1;
        isCounted = true;
        count(codes);
      }
      rows += codes.length;
    },
    async end() {
      const round = isCounted ? countedRound(counts) : sortedRound(few.subarray(0, rows), length);
      const others = round.at(length);
      const own = rows - others - round.at(length + 1);
      const figures = createFigures(measure, own);
      await round.walk(length, (place, times) => figures.add(numbers[place]!, times), pacer);
      [rows, isCounted] = [0, false];
      return figures.measured(others);
    },
  };
}

/** The places of a round's rows. */
interface Round {
  /** How many rows have a place. */
  at(place: number): number;
  /** Visits the places below `length` that rows have, and forgets them all. */
  walk(length: number, visit: (place: number, times: number) => void, pacer: Pacer): Promise<void>;
}

function countedRound(counts: Uint32Array): Round {
  return {
    at: (place) => counts[place]!,
    async walk(length, visit, pacer) {
      for (let place = 0, visited = 0; place < length; place++) {
        const times = counts[place]!;
        if (times > 0) {
          visit(place, times);
          visited += 1;
        }
        if (place % STEP_VALUES !== STEP_VALUES - 1 && visited < STEP_SUMMED) continue;
        visited = 0;
        await pacer.yieldIfDue();
      }
      counts.fill(0);
    },
  };
}

function sortedRound(places: Uint32Array, length: number): Round {
  places.sort();
  /** Where the places from one on begin. */
  const from = (place: number) => {
    let start = places.length;
    while (start > 0 && places[start - 1]! >= place) start -= 1;
    return start;
  };
  const [own, withOthers] = [from(length), from(length + 1)];
  return {
    at: (place) => (place === length ? withOthers - own : places.length - withOthers),
    async walk(_length, visit, pacer) {
      for (let row = 0, visited = 0; row < own; visited++) {
        const place = places[row]!;
        const start = row;
        while (row < own && places[row] === place) row += 1;
        visit(place, row - start);
        if (visited % STEP_SUMMED === STEP_SUMMED - 1) await pacer.yieldIfDue();
      }
    },
  };
}

/** Takes the figures from numbers that ascend, if a figure needs that. */
function createFigures(measure: AskedMeasure, numbers: number) {
  const sum = takesSum(measure) ? createExactSum() : undefined;
  const ranks = measure.take.filter(isBetween).map(({ kind }) => kind as number);
  /** The ranks that are not reached yet; the next one is the last. */
  const left = ranks.toSorted((a, b) => b - a);
  const reached = new Map<number, number>();
  let [least, greatest, upTo] = [Infinity, -Infinity, 0];
  let next = nextPlace();

  function nextPlace(): number {
    return left.length === 0 ? Infinity : placeOf(left.at(-1)!, numbers);
  }

  return {
    add(number: number, times: number): void {
      sum?.add(number, times);
      if (number < least) least = number;
      if (number > greatest) greatest = number;
      upTo += times;
      while (upTo >= next) {
        reached.set(left.pop()!, number);
        next = nextPlace();
      }
    },
    measured(others: number): MeasuredNumbers {
      const total: ExactDecimal | undefined = sum?.total();
      const at = (rank: number) => reached.get(rank) ?? (rank === 0 ? least : greatest);
      return toMeasured(measure, { numbers, others, sum: total, at });
    },
  };
}
