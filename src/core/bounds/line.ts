import type { Signal } from '../base/signal.ts';
import type { Line } from './fair-queue.ts';

/** A job that waits for a turn. */
export interface Waiter {
  readonly signal: Signal | undefined;
  /** Its sequence number within its scheduler. */
  readonly number: number;
  /** How long it has worked so far. */
  readonly workedMs: number;
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/** How long a job works before it is a long one. */
const LONG_MS = 50;

/**
 * Makes a line in which short and long jobs alternate. Long jobs run one after the other, in order of
 * arrival. If sixty equal jobs all took turns, all of them would end at the end, perhaps too late for each.
 */
export function createLine(): Line<Waiter> {
  const short: Waiter[] = [];
  const long: Waiter[] = [];
  let longIsNext = false;
  const line = {
    length: 0,
    add(waiter: Waiter) {
      line.length += 1;
      if (waiter.workedMs < LONG_MS) {
        short.push(waiter);
        return;
      }
      const place = long.findIndex(({ number }) => number > waiter.number);
      long.splice(place < 0 ? long.length : place, 0, waiter);
    },
    next() {
      const fromLong = long.length > 0 && (longIsNext || short.length === 0);
      longIsNext = !fromLong;
      const waiter = fromLong ? long.shift() : short.shift();
      if (waiter !== undefined) line.length -= 1;
      return waiter;
    },
  };
  return line;
}
