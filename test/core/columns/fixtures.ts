import { createMemoryLog, type MemoryLog } from '../../../adapters/memory/event-log.ts';
import { createColumn, type Column, type ColumnLimits } from '../../../src/core/columns/column/column.ts';
import { createOrder, type Order } from '../../../src/core/columns/order/order.ts';
import type { CacheEntry } from '../../../src/core/bounds/memory-budget.ts';
import type { Scheduler } from '../../../src/index.ts';
import { createMemoryBudget, createScheduler } from '../../../src/transport-kit.ts';
import {
  createKeyedHash,
  type ChunkStore,
  type EventLog,
  type Pacer,
  type Path,
  type SavedChunk,
  type StoredEvent,
} from '../../../src/store-kit.ts';

/** A seed that the tests know. */
export const SEED = [0x12345678, 0x9abcdef0] as const;
export const HASH = createKeyedHash(SEED);

/** A place in a memory budget that has room for everything. */
export function roomyKept(): CacheEntry {
  return createMemoryBudget({ bytesMax: 1e12 }).cacheEntry('tenant', () => undefined);
}

const NO_LIMITS: ColumnLimits = { distinctMax: 1e6, bytesMax: 1e9 };

/** A column of a path with a memory budget of its own. */
export function columnOf(log: EventLog, path: Path, limits = NO_LIMITS, entry = roomyKept()): Column {
  return createColumn(log, path, { limits, hash: HASH, entry });
}

/** An order with a memory budget of its own. */
export function orderOf(log: EventLog): Order {
  return createOrder(log, roomyKept());
}

/** The rows that an order has now. */
export async function rowsOf(order: Order): Promise<number[]> {
  const pinned = await order.pinAt(order.indexedRows, countingPacer());
  order.unpin(pinned);
  return Array.from(pinned.rows.subarray(0, pinned.indexedRows));
}

/** A scheduler on the event loop of Node. */
export function nodeScheduler(): Scheduler {
  return createScheduler({
    now: () => performance.now(),
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

/** A log without events. */
export function emptyLog(id = 1): MemoryLog {
  return createMemoryLog(id, HASH);
}

/** The path of a property. */
export function propertyPath(...segments: string[]): Path {
  return { root: 'properties', segments };
}

/** Makes events whose properties are `{"p": value}`, one a second. */
export function eventsWith(values: readonly unknown[], from = 0): StoredEvent[] {
  return values.map((value, i) => ({
    eventName: `name-${(from + i) % 3}`,
    userId: `user-${(from + i) % 7}`,
    eventTs: (from + i) * 1000,
    insertId: `id-${from + i}`,
    propertiesJson: JSON.stringify(value === undefined ? {} : { p: value }),
  }));
}

/** A real log of these events. */
export function logOf(events: readonly StoredEvent[]): MemoryLog {
  const log = emptyLog();
  log.append(events);
  return log;
}

/** A pacer on the event loop of Node, which counts its pauses. */
export function countingPacer(): Pacer & { pauses: number } {
  const pacer = {
    pauses: 0,
    now: () => performance.now(),
    yieldIfDue: () => {
      pacer.pauses += 1;
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
  return pacer;
}

/** Keeps chunks in a Map, as a file would, and shows what it has. */
export function mapChunkStore(): ChunkStore & { readonly kept: Map<string, SavedChunk> } {
  const kept = new Map<string, SavedChunk>();
  return {
    kept,
    load: (path, chunk) => kept.get(`${path} ${chunk}`),
    save: (path, chunk, saved) => {
      kept.set(`${path} ${chunk}`, { ...saved, codes: saved.codes.slice() });
      return true;
    },
    drop: (path) => {
      for (const key of kept.keys()) if (key.startsWith(`${path} `)) kept.delete(key);
    },
  };
}

/** A log that counts the rows whose values were read. */
export function countingLog(log: MemoryLog, chunks?: ChunkStore): MemoryLog & { rowsRead: number } {
  const counting = {
    ...log,
    ...(chunks === undefined ? {} : { chunks }),
    rowsRead: 0,
    values: (paths: readonly Path[], from: number, to: number) => {
      counting.rowsRead += to - from;
      return log.values(paths, from, to);
    },
  };
  return counting;
}
