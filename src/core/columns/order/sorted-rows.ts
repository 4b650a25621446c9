import { compareIds } from '../../event/order.ts';
import type { Path } from '../../filter/path.ts';
import { seal, unseal, type ChunkPlace } from '../column/chunk.ts';
import { hasBit, isGone } from '../log/erased-rows.ts';
import { readAllValues, type EventLog, type SavedChunk, type SortedRows } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

const EVENT_TS: Path = { root: 'eventTs', segments: [] };
/** Where ids are read. */
export const INSERT_ID: Path = { root: 'insertId', segments: [] };

/** The name under which chunks of the order are stored. */
export const ORDER_PATH = 'eventTs';

/** How far apart instants may lie for an instant and a row to fit one exact number. */
const SPAN_MS_MAX = Number.MAX_SAFE_INTEGER / SEGMENT_ROWS - 2;

/** Rows of one segment that are being read, to be sorted together. */
export interface Sorting {
  /** The first row. */
  readonly first: number;
  /** The row after the last. */
  readonly end: number;
  /** The version of the log that they are read from. */
  readonly version: number;
  /** Reads up to so many more of them; returns all of them, sorted, when the last was read. */
  step(rows: number): SortedRows | undefined;
}

/** Begins with no row. The instants are read step by step, and in the last step the ids of equal instants. */
export function createSorting(log: EventLog, first: number, end: number): Sorting {
  const instants = new Float64Array(end - first);
  let read = 0;
  return {
    first,
    end,
    version: log.version,
    step(rows) {
      const from = first + read;
      const found = readAllValues(log, EVENT_TS, from, Math.min(end, from + rows));
      // An erased row has no instant.
      for (const instant of found) instants[read++] = (instant as number | undefined) ?? -Infinity;
      if (read < instants.length) return undefined;
      const local = sortByInstant(instants);
      sortEqualInstants(instants, local, () => readAllValues(log, INSERT_ID, first, end) as string[]);
      return { first, instants, local };
    },
  };
}

/** Reads rows from the log and sorts them. */
export function readSortedRows(log: EventLog, first: number, end: number): SortedRows {
  return createSorting(log, first, end).step(end - first)!;
}

function sortByInstant(instants: Float64Array): Uint16Array {
  let min = Infinity;
  let max = -Infinity;
  for (let row = 0; row < instants.length; row++) {
    if (instants[row] !== -Infinity) min = Math.min(min, instants[row]!);
    max = Math.max(max, instants[row]!);
  }
  if (max === -Infinity) return Uint16Array.from(instants.keys());
  if (max - min > SPAN_MS_MAX) {
    return Uint16Array.from(instants.keys()).sort((a, b) => instants[a]! - instants[b]!);
  }
  // Numbers sort several times faster than rows do by a function, so row and instant become one number.
  const keys = instants.map((instant, row) => (Math.max(instant, min - 1) - min + 1) * SEGMENT_ROWS + row);
  return Uint16Array.from(keys.sort(), (key) => key % SEGMENT_ROWS);
}

/** Events of the same instant are rare in most logs, so their ids are read only when there are some. */
function sortEqualInstants(
  instants: Float64Array,
  local: Uint16Array,
  readIds: () => readonly string[],
): void {
  let ids: readonly string[] | undefined;
  for (let start = 0; start < local.length;) {
    const end = endOfInstant(instants, local, start);
    if (end - start > 1 && instants[local[start]!] !== -Infinity) {
      const known = (ids ??= readIds());
      local.subarray(start, end).sort((a, b) => compareIds(known[a]!, known[b]!));
    }
    start = end;
  }
}

/** The place after the last of those that have the same instant as a place. */
function endOfInstant(instants: Float64Array, local: Uint16Array, start: number): number {
  let end = start + 1;
  while (end < local.length && instants[local[end]!] === instants[local[start]!]) end += 1;
  return end;
}

/** The rows of some sorted rows from one on, counted from the first of them, in the same order. */
export function sliceSorted({ first, instants, local }: SortedRows, from: number, to: number): SortedRows {
  if (from === 0 && to === local.length) return { first, instants, local };
  const own = local.filter((row) => row >= from && row < to).map((row) => row - from);
  return {
    first: first + from,
    instants: instants.subarray(from, to),
    local: own,
  };
}

/** The id of a row of a segment that is not erased. */
export type IdOf = (local: number) => string;

/** The order of sorted rows and of those that follow them in the log, whose instants `instants` has too. */
export function mergeSorted(
  instants: Float64Array,
  { local: before }: Pick<SortedRows, 'local'>,
  added: Pick<SortedRows, 'local'>,
  idOf: IdOf,
  bitmap: Uint8Array | undefined,
): Uint16Array {
  const shift = before.length;
  const after = added.local.map((row) => row + shift);
  const merged = new Uint16Array(shift + after.length);
  const instantAt = (local: Uint16Array, place: number) => instants[local[place]!]!;
  let [i, j] = [0, 0];
  // Mostly the new events are the latest, and then there is nothing to compare.
  if (shift > 0 && after.length > 0 && instantAt(before, shift - 1) < instantAt(after, 0)) i = shift;
  merged.set(before.subarray(0, i));
  while (i < shift && j < after.length) {
    const [own, other] = [instantAt(before, i), instantAt(after, j)];
    if (own !== other) {
      merged[i + j] = own < other ? before[i++]! : after[j++]!;
      continue;
    }
    const [endOwn, endOther] = [endOfInstant(instants, before, i), endOfInstant(instants, after, j)];
    const [some, others] = [before.subarray(i, endOwn), after.subarray(j, endOther)];
    const same = merged.subarray(i + j, endOwn + endOther);
    if (own === -Infinity) same.set([...some, ...others]);
    else mergeById(same, some, others, bitmap, idOf);
    [i, j] = [endOwn, endOther];
  }
  merged.set(before.subarray(i), i + j);
  merged.set(after.subarray(j), shift + j);
  return merged;
}

/** Merges rows of one instant, both sorted by id. Rows that were erased since have none, and come first. */
function mergeById(
  merged: Uint16Array,
  some: Uint16Array,
  others: Uint16Array,
  bitmap: Uint8Array | undefined,
  idAt: IdOf,
): void {
  let [own, other] = [some, others];
  if (bitmap !== undefined) {
    const isGone = (row: number) => hasBit(bitmap, row);
    merged.set([...some.filter(isGone), ...others.filter(isGone)]);
    [own, other] = [some.filter((row) => !isGone(row)), others.filter((row) => !isGone(row))];
  }
  let end = own.length;
  let filled = merged.length;
  for (let place = other.length - 1; place >= 0; place--) {
    const id = idAt(other[place]!);
    const isBefore = (at: number) => compareIds(idAt(own[at]!), id) < 0;
    // Mostly ids grow, and then one look is enough.
    const begin = end === 0 || isBefore(end - 1) ? end : binarySearch(0, end, isBefore);
    filled -= end - begin;
    merged.set(own.subarray(begin, end), filled);
    end = begin;
    merged[(filled -= 1)] = other[place]!;
  }
  merged.set(own.subarray(0, end), filled - end);
}

const NO_BYTES = new Uint8Array(0);

/** Packs a whole segment for storage, without the instants of erased rows. */
export function saveSorted(log: EventLog, place: ChunkPlace, sorted: SortedRows | undefined): SavedChunk {
  if (sorted === undefined || isGone(log.erased(), place.segment)) return seal(log, place, [], NO_BYTES);
  const { instants, local } = hideErased(sorted, log.erased().bitmaps[place.segment]);
  const bytes = new Uint8Array(SEGMENT_ROWS * 10);
  bytes.set(new Uint8Array(instants.buffer, instants.byteOffset, SEGMENT_ROWS * 8));
  bytes.set(new Uint8Array(local.buffer, local.byteOffset, local.byteLength), SEGMENT_ROWS * 8);
  return seal(log, place, [], bytes);
}

function hideErased(sorted: SortedRows, bitmap: Uint8Array | undefined): SortedRows {
  if (bitmap === undefined) return sorted;
  const { first, instants, local } = sorted;
  const erased = local.filter((row) => hasBit(bitmap, row));
  const hidden = new Uint16Array(local.length);
  hidden.set(erased);
  hidden.set(
    local.filter((row) => !hasBit(bitmap, row)),
    erased.length,
  );
  return {
    first,
    local: hidden,
    instants: instants.map((each, row) => (hasBit(bitmap, row) ? -Infinity : each)),
  };
}

/**
 * What `saveSorted` packed; 'gone' for a segment that is erased as a whole, undefined where the chunk cannot
 * be trusted.
 */
export function openSorted(
  log: EventLog,
  place: ChunkPlace,
  saved: SavedChunk,
): SortedRows | 'gone' | undefined {
  const bytes = unseal(log, place, saved)?.bytes;
  const gone = isGone(log.erased(), place.segment);
  if (bytes?.byteLength !== (gone ? 0 : SEGMENT_ROWS * 10)) return undefined;
  if (gone) return 'gone';
  return {
    first: place.segment * SEGMENT_ROWS,
    instants: new Float64Array(bytes, 0, SEGMENT_ROWS),
    local: new Uint16Array(bytes, SEGMENT_ROWS * 8),
  };
}

/** The first place from `low` to `high` for which `isBefore` is false. */
export function binarySearch(low: number, high: number, isBefore: (place: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
