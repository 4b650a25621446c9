import type { Pacer } from '../../bounds/scheduler.ts';
import { type EventLog, type SavedChunk } from '../log/log.ts';
import type { OrderSnapshot } from './order-array.ts';
import { saveSorted, splitOrdered } from './sorted-chunk.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/** How many chunks are cut out of the order in one pass over it. */
const SPLIT_CHUNKS = 32;

/** An order, which may grow between two chunks. */
interface Ordered {
  readonly instants: Float64Array;
  readonly indexedRows: number;
  pin(): OrderSnapshot;
  unpin(snapshot: OrderSnapshot): void;
}

/** Packs whole chunks of an order for storage, one at a time. */
export function createPacking(
  log: EventLog,
  order: Ordered,
  pacer: Pacer,
): (chunk: number) => Promise<SavedChunk> {
  const end = Math.floor(order.indexedRows / CHUNK_ROWS);
  let split: { readonly first: number; readonly locals: readonly Uint16Array[] } | undefined;
  return async (chunk) => {
    if (split?.locals[chunk - split.first] === undefined) {
      const ordered = order.pin();
      const next = Math.min(chunk + SPLIT_CHUNKS, end);
      const locals = splitOrdered(ordered, chunk, next, pacer).finally(() => order.unpin(ordered));
      split = { first: chunk, locals: await locals };
    }
    const [first, next] = [chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS];
    const local = split.locals[chunk - split.first]!;
    return saveSorted(log, { first, instants: order.instants.subarray(first, next), local });
  };
}
