import { compareCodePoints } from '../event/text.ts';
import type { Path } from '../filter/path.ts';
import { seal, unseal } from './chunk.ts';
import { CHUNK_ROWS, readValues, type EventLog, type SavedChunk } from './log.ts';

/** Some rows of a log that follow each other, at most a chunk of them, and their own order. */
export interface Run {
  readonly first: number;
  /** The `eventTs` of each row, by row. */
  readonly instants: Float64Array;
  /** The rows less `first`, by `eventTs` ascending, then `insertId` ascending by code point. */
  readonly local: Uint16Array;
}

const EVENT_TS: Path = { root: 'eventTs', segments: [] };
const INSERT_ID: Path = { root: 'insertId', segments: [] };

/** The name under which chunks of the order are kept. */
const ORDER_PATH = 'eventTs';

/** How far apart the instants of a run may lie for an instant and a row to fit one exact number. */
const SPAN_MS_MAX = Number.MAX_SAFE_INTEGER / CHUNK_ROWS - 1;

/** Reads rows from the log and sorts them. */
export function readRun(log: EventLog, first: number, end: number): Run {
  const instants = Float64Array.from(readValues(log, EVENT_TS, first, end) as number[]);
  const local = sortByInstant(instants);
  sortEqualInstants(instants, local, () => readValues(log, INSERT_ID, first, end) as string[]);
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
      local.subarray(start, end).sort((a, b) => compareCodePoints(known[a]!, known[b]!));
    }
    start = end;
  }
}

/** Packs the run of a whole chunk for keeping. */
export function saveRun(log: EventLog, chunk: number, { instants, local }: Omit<Run, 'first'>): SavedChunk {
  const bytes = new Uint8Array(CHUNK_ROWS * 10);
  bytes.set(new Uint8Array(instants.buffer, instants.byteOffset, instants.byteLength));
  bytes.set(new Uint8Array(local.buffer), CHUNK_ROWS * 8);
  return seal(log, ORDER_PATH, chunk, '', bytes);
}

/** Loads what `saveRun` packed; undefined where nothing that can be trusted is kept. */
export function loadRun(log: EventLog, chunk: number): Run | undefined {
  const saved = log.chunks?.load(ORDER_PATH, chunk);
  const buffer = saved && unseal(log, ORDER_PATH, chunk, saved);
  if (buffer?.byteLength !== CHUNK_ROWS * 10) return undefined;
  return {
    first: chunk * CHUNK_ROWS,
    instants: new Float64Array(buffer, 0, CHUNK_ROWS),
    local: new Uint16Array(buffer, CHUNK_ROWS * 8),
  };
}

/** Keeps the run of a whole chunk; whether it is kept now. */
export function keepRun(log: EventLog, chunk: number, run: Omit<Run, 'first'>): boolean {
  return log.chunks?.save(ORDER_PATH, chunk, saveRun(log, chunk, run)) ?? false;
}
