import { overloaded, type EventStore, type MemoryBudget } from '../../src/index.ts';
import { createTurns, type AppendOptions, type AppendResult, type StoredEvent } from '../../src/store-kit.ts';
import { bytesOf } from './log/recent-events.ts';
import type { WrittenEvent } from './writes/append.ts';
import { closed, type TaskSize, type Writer } from './writer/writer.ts';

/** How much is encoded at once. A batch of more than twice this size is encoded before it is stored. */
const SLICE_BYTES = 524_288;

/** The only path on which events reach the writer. */
export interface Appending {
  readonly append: EventStore['append'];
  /** Runs another write of a tenant in its turn: after the batches that came before it. */
  inTurn<T>(tenantId: string, write: () => Promise<T>): Promise<T>;
  /** Does some work in its turn; the tenant's later writes wait until it has ended. */
  holding<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when no write waits for its turn. Later requests are refused. */
  close(): Promise<void>;
}

/**
 * Most of the time to store a large batch goes into converting JSON to the engine's binary form (for 10 MB of
 * brackets, 0.25 of 0.3 seconds). The conversion needs no lock and no transaction, so it is requested in
 * slices, between which the writer serves others.
 */
export function createAppending(writer: Writer, memory: MemoryBudget): Appending {
  /** Turns of the tenants for whose batch or erasure their later writes wait. */
  const turns = createTurns();
  let closing = false;

  async function encode(owner: string, events: readonly StoredEvent[]): Promise<readonly WrittenEvent[]> {
    const encoded: WrittenEvent[] = [];
    for (let from = 0; from < events.length; from = encoded.length) {
      const slice: StoredEvent[] = [];
      let bytes = 0;
      while (bytes < SLICE_BYTES && from + slice.length < events.length) {
        const event = events[from + slice.length]!;
        slice.push(event);
        bytes += bytesOf(event);
      }
      const texts = slice.map(({ propertiesJson }) => propertiesJson);
      const binary = await writer.run('encode', [texts], { owner, rows: slice.length, bytes });
      slice.forEach((event, i) => encoded.push({ ...event, propertiesJson: binary[i]! }));
    }
    return encoded;
  }

  async function append(
    tenantId: string,
    events: readonly StoredEvent[],
    limits?: AppendOptions,
  ): Promise<AppendResult> {
    if (closing) throw closed();
    const size = sizeOf(tenantId, events);
    const store = (written: readonly WrittenEvent[]) =>
      writer.run('append', [tenantId, written, limits], size);
    const [isLarge, isNext] = [size.bytes > 2 * SLICE_BYTES, !turns.isTaken(tenantId)];
    if (!isLarge && isNext) return store(events);
    const reservation = memory.reservation(tenantId);
    if (!reservation.reserve(size.bytes)) {
      // If there is no memory for the binary form besides the text, the batch is stored as it is.
      if (isNext) return store(events);
      throw overloaded();
    }
    try {
      return await turns.take(tenantId, async () => {
        const written = isLarge ? await encode(tenantId, events) : events;
        // From here on the writer reserves the memory.
        reservation.release();
        return store(written);
      });
    } finally {
      reservation.release();
    }
  }

  return {
    append,
    inTurn: (tenantId, write) => (turns.isTaken(tenantId) ? turns.take(tenantId, write) : write()),
    holding: (tenantId, work) => turns.take(tenantId, work),
    close: async () => {
      closing = true;
      await turns.ended();
    },
  };
}

function sizeOf(owner: string, events: readonly StoredEvent[]): TaskSize {
  let bytes = 0;
  for (const event of events) bytes += bytesOf(event);
  return { owner, rows: events.length, bytes };
}
