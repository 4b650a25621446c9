import { chunkEnd } from '../log/log.ts';
import type { OrderSnapshot } from './order-array.ts';

/** A question that waits until an order covers exactly `size` rows, and then has the snapshot. */
export interface OrderWaiter {
  readonly size: number;
  pinned: OrderSnapshot | undefined;
}

/** The questions that wait for an order to grow. `pin` makes their snapshots. */
export function createWaiting(pin: (covered: number) => OrderSnapshot) {
  const waiting = new Set<OrderWaiter>();
  return {
    add(size: number): OrderWaiter {
      const waiter = { size, pinned: undefined };
      waiting.add(waiter);
      return waiter;
    },
    remove: (waiter: OrderWaiter) => void waiting.delete(waiter),
    /** Pins a snapshot for each question that waits for as many rows as the order has now. */
    tell(covered: number): void {
      for (const waiter of waiting) if (waiter.size === covered) waiter.pinned = pin(covered);
    },
    /**
     * Where the next step ends: at the end of the chunk, or earlier where a question waits for fewer rows.
     */
    nextStop(covered: number, to: number): number {
      const stops = [...waiting].map(({ size }) => size).filter((size) => size > covered);
      return Math.min(to, chunkEnd(covered), ...stops);
    },
  };
}
