import { overloaded, type EventStore, type Ledger } from '../../src/index.ts';
import { createTurns, type AppendOptions, type AppendResult, type StoredEvent } from '../../src/store-kit.ts';
import { bytesOf } from './log/recent-events.ts';
import type { WrittenEvent } from './writes/append.ts';
import { closed, type TaskSize, type Writer } from './writer/writer.ts';

/** How much is encoded at once. A batch of twice as much is encoded before it is stored. */
const SLICE_BYTES = 524_288;

/** The one way to the writer for events. */
export interface Appending {
  readonly append: EventStore['append'];
  /** Does another write of a tenant in its turn: behind the batches that came before. */
  inTurn<T>(tenantId: string, write: () => Promise<T>): Promise<T>;
  /** Resolves when nothing waits for its turn. What is asked for from now on is refused. */
  close(): Promise<void>;
}

/**
 * What takes most of the time to store a large batch is that the engine turns JSON into its binary form (of
 * 10 MB of brackets 0.25 of 0.3 seconds). That needs no lock and no transaction, so it is asked for in
 * slices, between which the writer turns to others.
 */
export function createAppending(writer: Writer, ledger: Ledger): Appending {
  /** Of the tenants of whom a batch is encoded: what comes later of one waits for it. */
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
    const account = ledger.account(tenantId);
    if (!account.book(size.bytes)) {
      // Where there is no room for the binary form beside the text, the batch is stored as it is.
      if (isNext) return store(events);
      throw overloaded();
    }
    try {
      return await turns.take(tenantId, async () => {
        const written = isLarge ? await encode(tenantId, events) : events;
        // From here on the writer books it.
        account.release();
        return store(written);
      });
    } finally {
      account.release();
    }
  }

  return {
    append,
    inTurn: (tenantId, write) => (turns.isTaken(tenantId) ? turns.take(tenantId, write) : write()),
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
