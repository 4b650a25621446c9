import { compareIds } from '../../event/order.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import { seal, unseal } from '../column/chunk.ts';
import type { OrderSnapshot } from './order-array.ts';
import type { StoredChunks } from '../column/stored-chunks.ts';
import { chunkEnd, readAllValues, type EventLog, type SavedChunk, type SortedChunk } from '../log/log.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

const EVENT_TS: Path = { root: 'eventTs', segments: [] };
/** Where ids are read. */
export const INSERT_ID: Path = { root: 'insertId', segments: [] };

/** The name under which chunks of the order are stored. */
export const ORDER_PATH = 'eventTs';

/** How far apart the instants of a run may lie for an instant and a row to fit one exact number. */
const SPAN_MS_MAX = Number.MAX_SAFE_INTEGER / CHUNK_ROWS - 1;

/** Reads rows from the log and sorts them. */
export function readSortedChunk(log: EventLog, first: number, end: number): SortedChunk {
  const instants = Float64Array.from(readAllValues(log, EVENT_TS, first, end) as number[]);
  const local = sortByInstant(instants);
  sortEqualInstants(instants, local, () => readAllValues(log, INSERT_ID, first, end) as string[]);
  return { first, instants, local };
}

function sortByInstant(instants: Float64Array): Uint16Array {
  let min = Infinity;
  let max = -Infinity;
  for (let row = 0; row < instants.length; row++) {
    min = Math.min(min, instants[row]!);
    max = Math.max(max, instants[row]!);
  }
  if (max - min > SPAN_MS_MAX) {
    return Uint16Array.from(instants.keys()).sort((a, b) => instants[a]! - instants[b]!);
  }
  // Numbers sort several times faster than rows do by a function, so row and instant become one number.
  const keys = instants.map((instant, row) => (instant - min) * CHUNK_ROWS + row).sort();
  return Uint16Array.from(keys, (key) => key % CHUNK_ROWS);
}

/** Events of the same instant are rare in most logs, so their ids are read only when there are some. */
function sortEqualInstants(
  instants: Float64Array,
  local: Uint16Array,
  readIds: () => readonly string[],
): void {
  let ids: readonly string[] | undefined;
  for (let start = 0; start < local.length;) {
    let end = start + 1;
    while (end < local.length && instants[local[end]!] === instants[local[start]!]) end += 1;
    if (end - start > 1) {
      const known = (ids ??= readIds());
      local.subarray(start, end).sort((a, b) => compareIds(known[a]!, known[b]!));
    }
    start = end;
  }
}

/** The rows `from` to `to` of a chunk, counted from its first, in the same order. */
export function sliceSorted({ first, instants, local }: SortedChunk, from: number, to: number): SortedChunk {
  if (from === 0 && to === local.length) return { first, instants, local };
  const own = local.filter((row) => row >= from && row < to).map((row) => row - from);
  return { first: first + from, instants: instants.subarray(from, to), local: own };
}

/** Packs a whole chunk for storage. */
export function saveSorted(log: EventLog, { first, instants, local }: SortedChunk): SavedChunk {
  const bytes = new Uint8Array(CHUNK_ROWS * 10);
  bytes.set(new Uint8Array(instants.buffer, instants.byteOffset, instants.byteLength));
  bytes.set(new Uint8Array(local.buffer), CHUNK_ROWS * 8);
  return seal(log, ORDER_PATH, first / CHUNK_ROWS, '', bytes);
}

/** What `saveSorted` packed; undefined where it cannot be trusted. */
function openSorted(log: EventLog, chunk: number, saved: SavedChunk): SortedChunk | undefined {
  const buffer = unseal(log, ORDER_PATH, chunk, saved);
  if (buffer?.byteLength !== CHUNK_ROWS * 10) return undefined;
  return {
    first: chunk * CHUNK_ROWS,
    instants: new Float64Array(buffer, 0, CHUNK_ROWS),
    local: new Uint16Array(buffer, CHUNK_ROWS * 8),
  };
}

/** Makes the loader of the order's stored chunks. */
export function createSortedLoader(log: EventLog, chunks: StoredChunks) {
  let loaded: SortedChunk | undefined;

  function open(row: number): SortedChunk | undefined {
    const saved = chunks.at(row);
    if (saved === undefined) return undefined;
    const opened = openSorted(log, row / CHUNK_ROWS, saved);
    if (opened === undefined) chunks.distrust();
    return opened;
  }

  return {
    /** The stored chunk that has the next row; undefined if there is none. */
    at(row: number): SortedChunk | undefined {
      // The rest of a chunk may have been added from elsewhere.
      if (loaded === undefined || row >= chunkEnd(loaded.first)) loaded = open(row);
      return loaded;
    },
    /** Notes up to which row the order was loaded. */
    markLoaded(row: number): void {
      if (row % CHUNK_ROWS !== 0) return;
      chunks.markLoaded(row / CHUNK_ROWS - 1);
      loaded = undefined;
    },
  };
}

/** How many rows of the order are dealt out between two pauses. */
const SPLIT_ROWS = 524_288;

/** The order within each of the chunks from `first` to `end`, in one pass over ordered rows. */
export async function splitOrdered(
  { rows, indexedRows }: OrderSnapshot,
  first: number,
  end: number,
  pacer: Pacer,
): Promise<Uint16Array[]> {
  const locals = Array.from({ length: end - first }, () => new Uint16Array(CHUNK_ROWS));
  const filled = new Uint32Array(end - first);
  for (let from = 0; from < indexedRows; from += SPLIT_ROWS) {
    splitRows(rows.subarray(from, Math.min(indexedRows, from + SPLIT_ROWS)), first, locals, filled);
    await pacer.yieldIfDue();
  }
  return locals;
}

/** Deals rows of the order out to the chunks from `first` on, as local row numbers. */
function splitRows(
  rows: Uint32Array,
  first: number,
  locals: readonly Uint16Array[],
  filled: Uint32Array,
): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const chunk = Math.floor(row / CHUNK_ROWS) - first;
    if (chunk >= 0 && chunk < locals.length) locals[chunk]![filled[chunk]!++] = row % CHUNK_ROWS;
  }
}
