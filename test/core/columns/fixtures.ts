import { createMemoryLog, type MemoryLog } from '../../../adapters/memory/event-log.ts';
import type { ChunkStore, Pacer, Path, SavedChunk, StoredEvent } from '../../../src/index.ts';

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
  const log = createMemoryLog(1);
  log.append(events);
  return log;
}

/** A pacer on the event loop of Node, which counts its pauses. */
export function countingPacer(): Pacer & { pauses: number } {
  const pacer = {
    pauses: 0,
    now: () => performance.now(),
    pause: () => {
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
    values: (path: Path, from: number, to: number) => {
      counting.rowsRead += to - from;
      return log.values(path, from, to);
    },
  };
  return counting;
}
