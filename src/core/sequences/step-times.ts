import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import { sortNumbers } from '../columns/groups/sort-numbers.ts';
import { placeOf } from '../query/measures.ts';
import type { AskedPercentile, StepTimes } from '../query/sequence.ts';

/** Lengths of time, and their percentiles by nearest rank. */
export interface TimesList {
  add(ms: number): void;
  /** The percentiles; the list is used up. */
  percentiles(asked: readonly AskedPercentile[], pacer: Pacer): Promise<StepTimes>;
}

/** Makes an empty list. Its memory is booked as it grows, with the room that sorting takes. */
export function createTimesList(room: Reservation): TimesList {
  let times = new Float64Array(0);
  let length = 0;
  return {
    add(ms) {
      if (length === times.length) {
        const wanted = Math.max(1024, length * 2);
        reserveOrThrow(room, (wanted - length) * 8 * 2);
        const grown = new Float64Array(wanted);
        grown.set(times);
        times = grown;
      }
      times[length++] = ms;
    },
    async percentiles(asked, pacer) {
      const sorted = await sortNumbers(times.subarray(0, length), pacer);
      const told = asked.map(({ name, rank }) => {
        const time = length === 0 ? null : sorted[placeOf(rank, length) - 1]!;
        return [name, time] as const;
      });
      return Object.fromEntries(told);
    },
  };
}
