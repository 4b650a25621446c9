import { chunkEnd } from '../log/log.ts';
import type { OrderedRows } from './held-rows.ts';

/** Somebody who waits for an order to cover exactly so many rows, and the rows when it has. */
export interface OrderWaiter {
  readonly size: number;
  held: OrderedRows | undefined;
}

/** Those who wait for an order to grow, which `hold` promises to them as it is. */
export function createWaiting(hold: (covered: number) => OrderedRows) {
  const waiting = new Set<OrderWaiter>();
  return {
    add(size: number): OrderWaiter {
      const waiter = { size, held: undefined };
      waiting.add(waiter);
      return waiter;
    },
    remove: (waiter: OrderWaiter) => void waiting.delete(waiter),
    /** Promises the rows to whoever waited for as many as there are now. */
    tell(covered: number): void {
      for (const waiter of waiting) if (waiter.size === covered) waiter.held = hold(covered);
    },
    /** Where the next rows end that go in together: of one chunk, at most as many as somebody waits for. */
    nextStop(covered: number, to: number): number {
      const stops = [...waiting].map(({ size }) => size).filter((size) => size > covered);
      return Math.min(to, chunkEnd(covered), ...stops);
    },
  };
}
