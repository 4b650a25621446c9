import { invalid } from '../base/errors.ts';
import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import { DAY_MS } from '../event/time.ts';
import { BUCKETS_MAX, cutTime, startOfBucket } from '../event/time-unit.ts';
import { createFold, type StreamsFold } from './fold.ts';
import { toBucketKey } from '../query/grouping.ts';
import type { AskedRetention, Cohort, Retention } from '../query/retention.ts';
import type { Stream } from '../query/streams.ts';

/** No unit is longer. */
const LONGEST_MS = { day: 2 * DAY_MS, week: 9 * DAY_MS, month: 33 * DAY_MS } as const;

/** How long each unit is for periods that begin with the start. */
const LENGTH_MS = { day: DAY_MS, week: 7 * DAY_MS, month: NaN } as const;

/** What a cohort takes besides its periods. */
const COHORT_BYTES = 256;

/** A cohort while its values are counted. */
interface CountedCohort {
  /** The first instants of its periods, and the end of the last one. */
  readonly starts: readonly number[];
  /** How many values it has. */
  size: number;
  /** How many returned in each period. */
  readonly returned: Float64Array;
  /** How many returned last in each period; behind all of them those that returned later. */
  readonly last: Float64Array;
}

/** Begins a retention; `room` books what the answer needs while it is put together. */
export function createRetentionFold(asked: AskedRetention, room: Reservation): StreamsFold<Retention> {
  const { range, series, periods, periodsFrom } = asked;
  const { unit, zone } = series;
  const cohorts = new Map<number, CountedCohort>();
  /** By period, the number of the last value that returned in it: so each counts once. */
  const seen = new Float64Array(periods);
  let values = 0;

  function cohortAt(start: number): CountedCohort {
    const begin = startOfBucket(unit, start, zone);
    let cohort = cohorts.get(begin);
    if (cohort !== undefined) return cohort;
    reserveOrThrow(room, COHORT_BYTES + periods * 24);
    const starts = cutTime(unit, begin, begin + (periods + 1) * LONGEST_MS[unit], zone)!;
    cohort = {
      starts: starts.slice(0, periods + 1),
      size: 0,
      returned: new Float64Array(periods),
      last: new Float64Array(periods + 1),
    };
    cohorts.set(begin, cohort);
    return cohort;
  }

  /** The number of the period of a return; `periods` for any later one. */
  function periodOf(start: number, instant: number, { starts }: CountedCohort): number {
    if (periodsFrom === 'start') return Math.min(periods, Math.floor((instant - start) / LENGTH_MS[unit]));
    let [low, high] = [0, periods];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle + 1]! <= instant) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function count({ instants, bits }: Stream): void {
    let first = 0;
    const isStart = (i: number) =>
      (bits[i]! & 1) !== 0 && instants[i]! >= range.from && instants[i]! < range.until;
    while (first < bits.length && !isStart(first)) first += 1;
    if (first === bits.length) return;
    values += 1;
    const start = instants[first]!;
    const cohort = cohortAt(start);
    cohort.size += 1;
    let last = -1;
    for (let i = first + 1; i < bits.length; i++) {
      if ((bits[i]! & 2) === 0) continue;
      // Returns come in order, so their periods ascend.
      last = periodOf(start, instants[i]!, cohort);
      if (last === periods) break;
      if (seen[last] === values) continue;
      seen[last] = values;
      cohort.returned[last]! += 1;
    }
    if (last >= 0) cohort.last[last]! += 1;
  }

  function toCohort(begin: number): Cohort {
    const cohort = cohorts.get(begin);
    let orLater = cohort?.last[periods] ?? 0;
    const told = Array.from({ length: periods }, (_, i) => {
      const period = periods - 1 - i;
      orLater += cohort?.last[period] ?? 0;
      return { count: cohort?.returned[period] ?? 0, orLater };
    });
    return { key: toBucketKey(series, begin), count: cohort?.size ?? 0, periods: told.reverse() };
  }

  return createFold({
    count,
    finish(missing) {
      const begins = [...cohorts.keys()];
      if (begins.length === 0) return { total: 0, missing, cohorts: [] };
      const [first, last] = begins.reduce(
        ([least, most], begin) => [Math.min(least, begin), Math.max(most, begin)],
        [Infinity, -Infinity],
      );
      const all = cutTime(unit, first, last, zone);
      if (all === undefined)
        throw invalid('unit', `there are more than ${BUCKETS_MAX} cohorts of a ${unit}; ask for less time`);
      return { total: values, missing, cohorts: all.slice(0, -1).map(toCohort) };
    },
  });
}
