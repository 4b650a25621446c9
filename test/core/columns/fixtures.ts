import fc from 'fast-check';
import { expect } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import { createKernel, type Wasm } from '../../../src/core/columns/counting/kernel.ts';
import { createColumn, type Column, type ColumnLimits } from '../../../src/core/columns/column/column.ts';
import { createOrder, type Order } from '../../../src/core/columns/order/order.ts';
import { createBitmap, setBit } from '../../../src/core/columns/log/erased-rows.ts';
import { segmentOf } from '../../../src/core/columns/log/log.ts';
import { indexUpTo } from '../../../src/core/columns/log/index-up-to.ts';
import { SEGMENT_ROWS } from '../../../src/core/columns/log/sizes.ts';
import type { CacheEntry } from '../../../src/core/bounds/memory-budget.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import type { Scheduler } from '../../../src/index.ts';
import { createMemoryBudget, createScheduler } from '../../../src/transport-kit.ts';
import {
  createKeyedHash,
  type AppendResult,
  type ChosenRows,
  type ChunkStore,
  type EventLog,
  type EventQuery,
  type FoundValue,
  type Pacer,
  type Path,
  type SavedChunk,
  type StoredEvent,
} from '../../../src/store-kit.ts';

/** A seed that the tests know. */
export const SEED = [0x12345678, 0x9abcdef0] as const;
export const HASH = createKeyedHash(SEED);
/** What counts rows, as each index has one. */
export const KERNEL = createKernel((globalThis as { WebAssembly?: Wasm }).WebAssembly);

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

/** The rows of each segment of an order, by time. */
export function rowsOf(order: Order): number[][] {
  const { segments } = order.snapshotAt(order.indexedRows);
  return Array.from(segments, (sorted) =>
    sorted === undefined ? [] : Array.from(sorted.local, (local) => sorted.first + local),
  );
}

/** The codes of the first rows of a column, without spare room; none of a segment that is erased. */
export function codesOf({ codes }: Column, size: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < size; row += SEGMENT_ROWS) {
    const own = codes[row / SEGMENT_ROWS];
    if (own !== undefined) rows.push(...own.subarray(0, Math.min(SEGMENT_ROWS, size - row)));
  }
  return rows;
}

/** What a column has for each of the first rows. */
export function valuesOf(column: Column, size: number): FoundValue[] {
  return codesOf(column, size).map((code) => column.dictionary.values[code]);
}

/** A scheduler on the event loop of Node. */
export function nodeScheduler(): Scheduler {
  return createScheduler({
    now: () => performance.now(),
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

/** The log of a memory store, whatever was erased of it. */
export interface TestLog extends EventLog {
  append(events: readonly StoredEvent[]): AppendResult;
  /** Erases rows; the next version begins. */
  erase(rows: readonly number[]): void;
  /** Erases rows that an index has chosen. */
  commit(chosen: ChosenRows, query: EventQuery): number | undefined;
  /** Erases all. */
  end(): void;
  /** The version that there is now, and no later one. */
  view(): EventLog;
}

/** A log without events. `more` replaces what the log has of its own. */
export function emptyLog(id = 1, more: (view: EventLog) => Partial<EventLog> = () => ({})): TestLog {
  const log = createMemoryLog(id, HASH);
  const views = new WeakMap<EventLog, EventLog>();
  const view = () => {
    const own = log.view();
    const known = views.get(own) ?? { ...own, ...more(own) };
    views.set(own, known);
    return known;
  };
  return {
    id,
    view,
    get version() {
      return view().version;
    },
    get chunks() {
      return view().chunks;
    },
    size: () => view().size(),
    erased: () => view().erased(),
    values: (paths, from, to) => view().values(paths, from, to),
    valuesAt: (paths, rows) => view().valuesAt(paths, rows),
    get byTime() {
      return view().byTime;
    },
    insertIdAt: (row) => view().insertIdAt(row),
    events: (rows) => view().events(rows),
    bytesOf: (rows) => view().bytesOf(rows),
    append: (events) => log.append(events),
    erase(rows) {
      const own = log.view();
      const bitmaps = bitmapsOf(rows);
      const none = new Set<string>();
      const chosen = { log: own, count: rows.length, bitmaps, end: own.size(), names: none, kept: none };
      log.erase(chosen, EVERYTHING);
    },
    commit: (chosen, query) =>
      chosen.log === view() ? log.erase({ ...chosen, log: log.view() }, query) : undefined,
    end: () => void log.end(),
  };
}

/** The bitmaps of rows, by segment. */
export function bitmapsOf(rows: readonly number[]): (Uint8Array | undefined)[] {
  const bitmaps: (Uint8Array | undefined)[] = [];
  for (const row of rows) setBit((bitmaps[segmentOf(row)] ??= createBitmap()), row % SEGMENT_ROWS);
  return bitmaps;
}

/** The numbers from one on and before another. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
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

/** A log of these events. */
export function logOf(events: readonly StoredEvent[], more?: (view: EventLog) => Partial<EventLog>): TestLog {
  const log = emptyLog(1, more);
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

/** Stores chunks in a Map, as a file would, and shows what it has. */
export function mapChunkStore(): ChunkStore & { readonly kept: Map<string, SavedChunk> } {
  const kept = new Map<string, SavedChunk>();
  return {
    kept,
    load: (path, segment) => kept.get(`${path} ${segment}`),
    save: (path, segment, saved) => {
      kept.set(`${path} ${segment}`, { ...saved, codes: saved.codes.slice() });
      return true;
    },
    drop: (path) => {
      for (const key of kept.keys()) if (key.startsWith(`${path} `)) kept.delete(key);
    },
  };
}

/** A log of these events that counts the rows whose values were read. */
export function countingLog(
  events: readonly StoredEvent[],
  chunks?: ChunkStore,
): TestLog & { rowsRead: number } {
  const log = logOf(events, (view) => ({
    ...(chunks === undefined ? {} : { chunks }),
    values: (paths, from, to) => {
      counting.rowsRead += to - from;
      return view.values(paths, from, to);
    },
  }));
  const counting = Object.assign(log, { rowsRead: 0 });
  return counting;
}

/** A scheduler whose batch jobs wait until they are let go: what follows an erasure is among them. */
export function holdingScheduler(): Scheduler & { readonly release: () => Promise<void> } {
  const scheduler = nodeScheduler();
  let held: (() => Promise<unknown>)[] = [];
  return {
    run: (owner, signal, job, priority) => {
      if (priority !== 'batch') return scheduler.run(owner, signal, job, priority);
      return new Promise((resolve, reject) => {
        held.push(() => scheduler.run(owner, signal, job, priority).then(resolve, reject));
      });
    },
    async release() {
      const jobs = held;
      held = [];
      for (const job of jobs) await job();
    },
  };
}

/** Events of which each has a value of its own, made of a number below a bound, under each of these keys. */
export function eventsOf(
  keys: readonly string[],
  count: number,
  valueOf: (n: number) => unknown,
  below: number,
): StoredEvent[] {
  return eventsWith(new Array<number>(count).fill(0)).map((event, row) => {
    const entries = keys.map((key, k) => [key, valueOf((row * (k + 3)) % below)]);
    return { ...event, propertiesJson: JSON.stringify(Object.fromEntries(entries)) };
  });
}

/**
 * Columns of a log, each indexed alone and saved, and what a test expects of columns that are indexed in
 * another way from any row on, some of them with the chunks that were saved.
 */
export async function indexedAlone(own: TestLog, keys: readonly string[], size: number) {
  const all = mapChunkStore();
  const alone = keys.map((key) => columnOf({ ...own, chunks: all }, propertyPath(key)));
  for (const column of alone) {
    await indexUpTo(column, size, countingPacer());
    await column.save(countingPacer());
  }
  const begin = fc.constantFrom(0, 1, 500, SEGMENT_ROWS - 1, SEGMENT_ROWS, size);
  return {
    /** From which row each of three columns goes on, and the keys of those whose chunks are kept. */
    cases: fc.record({ begins: fc.tuple(begin, begin, begin), kept: fc.subarray([...keys]) }),
    /** A chunk store with the first chunks of these. */
    chunksOf: (kept: readonly string[]) => {
      const chunks = mapChunkStore();
      for (const key of kept) chunks.kept.set(`properties.${key} 0`, all.kept.get(`properties.${key} 0`)!);
      return chunks;
    },
    /** The columns of another log, each indexed up to where it begins. */
    begun: async (log: EventLog, begins: readonly number[]) => {
      const columns = keys.map((key) => columnOf(log, propertyPath(key)));
      for (const [i, column] of columns.entries()) await indexUpTo(column, begins[i]!, countingPacer());
      return columns;
    },
    expectSame: (columns: readonly Column[]) =>
      columns.forEach((column, i) => {
        expect(column.indexedRows).toBe(size);
        expect(column.dictionary.values).toEqual(alone[i]!.dictionary.values);
        expect(codesOf(column, size)).toEqual(codesOf(alone[i]!, size));
        expect(column.zoneMap).toEqual(alone[i]!.zoneMap);
      }),
  };
}

/** What takes place in a log of five segments of eight rows, while a part of the index is derived from it. */
export const stepsWith = <Step>(more: fc.Arbitrary<Step>) =>
  fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('add' as const), rows: fc.integer({ min: 1, max: 12 }) }),
      fc.record({
        do: fc.constant('erase' as const),
        rows: fc.array(fc.nat(39), { minLength: 1, maxLength: 12 }),
      }),
      fc.record({ do: fc.constant('erase segment' as const), segment: fc.nat(4) }),
      more,
    ),
    { maxLength: 20 },
  );
