import { chunkEnd } from '../log/log.ts';
import type { OrderSnapshot } from './order-array.ts';

/** A question that waits until exactly `size` rows are in order, and then has the snapshot. */
export interface OrderWaiter {
  readonly size: number;
  pinned: OrderSnapshot | undefined;
}

/** The questions that wait for an order to grow. `pin` makes their snapshots. */
export function createWaiting(pin: (indexedRows: number) => OrderSnapshot) {
  const waiting = new Set<OrderWaiter>();
  return {
    add(size: number): OrderWaiter {
      const waiter = { size, pinned: undefined };
      waiting.add(waiter);
      return waiter;
    },
    remove: (waiter: OrderWaiter) => void waiting.delete(waiter),
    /** Pins a snapshot for each question that waits for as many rows as the order has now. */
    tell(indexedRows: number): void {
      for (const waiter of waiting) if (waiter.size === indexedRows) waiter.pinned = pin(indexedRows);
    },
    /**
     * Where the next step ends: at the end of the chunk, or earlier where a question waits for fewer rows.
     */
    nextStop(indexedRows: number, to: number): number {
      const stops = [...waiting].map(({ size }) => size).filter((size) => size > indexedRows);
      return Math.min(to, chunkEnd(indexedRows), ...stops);
    },
  };
}
