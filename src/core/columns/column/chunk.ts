import { checksum } from '../../event/checksum.ts';
import type { JsonValue } from '../../event/event.ts';
import type { FoundValue } from '../../filter/operators.ts';
import { isGone, lastLiveRow } from '../log/erased-rows.ts';
import type { Codes, EventLog, SavedChunk } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

/** What a column has of one whole segment. */
export interface CodedChunk {
  /** The code of the first value that the chunk adds to the dictionary. */
  readonly first: number;
  /** The values that no chunk before it has; undefined for one that only erased rows had. */
  readonly added: readonly FoundValue[];
  /** The codes of its rows: none if all rows are erased. */
  readonly codes: Codes;
}

/**
 * Changes with the form or the meaning of what is saved, so that older chunks are read from the log again.
 */
const FORMAT = 2;

/** Typed arrays have the byte order of the machine, and a file may move to another. */
export const BYTE_ORDER = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'little' : 'big';

/** An empty array of the narrowest kind that can hold codes below `count`. */
export function createCodes(count: number, length: number): Codes {
  if (count <= 0x100) return new Uint8Array(length);
  return count <= 0x1_0000 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The first `length` codes in an array of `room` codes below `count`. */
export function copyCodes(codes: Codes, length: number, count: number, room: number): Codes {
  const copy = createCodes(count, room);
  copy.set(codes.subarray(0, length));
  return copy;
}

/** Codes of values by another list of them, where `own` has the code of each. */
export function translateCodes(codes: Codes, own: Uint32Array): Uint32Array {
  const translated = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) translated[i] = own[codes[i]!]!;
  return translated;
}

/** A chunk whose values have longer texts is not stored: loading it would take longer than a step may. */
const ENTRIES_LENGTH_MAX = 2_097_152;

/** What a chunk is of. */
export interface ChunkOrigin {
  /** The path of the column as text, or the name of the order. */
  readonly path: string;
  /** The number of the segment, from 0. */
  readonly segment: number;
}

/** Where a chunk belongs: to a path and a segment, and after the chunk with a checksum. */
export interface ChunkPlace extends ChunkOrigin {
  /**
   * The checksum of the chunk before it; 0 for the first. Codes mean the values of all chunks before, so a
   * chunk must not follow one that another process has made with other codes.
   */
  readonly after: number;
}

/**
 * Packs a chunk for storage, with a checksum that binds it to its place and to the log's rows. Undefined if
 * its values are too long.
 */
export function saveCodes(
  log: EventLog,
  place: ChunkPlace,
  { first, added, codes }: CodedChunk,
): SavedChunk | undefined {
  let length = 0;
  for (const value of added) {
    length +=
      typeof value === 'string' ? value.length : Array.isArray(value) ? JSON.stringify(value).length : 8;
    if (length > ENTRIES_LENGTH_MAX) return undefined;
  }
  const narrow = narrowed(codes);
  return seal(log, place, [first, ...added], new Uint8Array(narrow.buffer));
}

/** A copy of codes, as narrow as they allow. */
function narrowed(codes: Codes): Codes {
  // Most chunks have few values. Looking for the largest code would take longer than all other steps
  // together.
  if (codes instanceof Uint8Array) return codes.slice();
  let largest = 0;
  for (let i = 0; i < codes.length; i++) largest = Math.max(largest, codes[i]!);
  return copyCodes(codes, codes.length, largest + 1, codes.length);
}

/**
 * What `saveCodes` packed; undefined for a chunk that is damaged, stale or of another place, format or
 * machine.
 */
export function openCodes(log: EventLog, place: ChunkPlace, saved: SavedChunk): CodedChunk | undefined {
  const found = unseal(log, place, saved);
  if (found === undefined) return undefined;
  const { bytes, entries } = found;
  const width = bytes.byteLength / SEGMENT_ROWS;
  const codes =
    width <= 1 ? new Uint8Array(bytes) : width === 2 ? new Uint16Array(bytes) : new Uint32Array(bytes);
  const isWhole = codes.length === SEGMENT_ROWS;
  if (isWhole === isGone(log.erased(), place.segment)) return undefined;
  if (!isWhole && codes.length > 0) return undefined;
  const [first, ...added] = entries as [number, ...JsonValue[]];
  return { first, added, codes };
}

/** What is in a chunk. */
interface ChunkContent {
  /** The checksum of the chunk before it. */
  readonly after: number;
  readonly entries: readonly unknown[];
  /** Aligned for any typed array. */
  readonly bytes: ArrayBuffer;
}

/** Gives a chunk the checksum of its content, of its origin and of the rows. */
export function seal(
  log: EventLog,
  place: ChunkPlace,
  entries: readonly unknown[],
  codes: Uint8Array,
): SavedChunk {
  const text = JSON.stringify([place.after, ...entries]);
  return { entries: text, codes, checksum: checksum([originText(log, place), text], words(codes)) };
}

/** What is in a chunk; undefined when it is not what was sealed here, or follows another chunk. */
export function unseal(log: EventLog, place: ChunkPlace, saved: SavedChunk): ChunkContent | undefined {
  const found = contentOf(log, place, saved);
  return found?.after === place.after ? found : undefined;
}

function contentOf(log: EventLog, origin: ChunkOrigin, saved: SavedChunk): ChunkContent | undefined {
  if (saved.codes.length % 4 !== 0) return undefined;
  const aligned = words(saved.codes);
  if (checksum([originText(log, origin), saved.entries], aligned) !== saved.checksum) return undefined;
  const [after, ...entries] = JSON.parse(saved.entries) as [number, ...unknown[]];
  return { after, entries, bytes: aligned.buffer };
}

/**
 * Whether a stored chunk was sealed for this origin and for the rows that the log has now. It may follow a
 * chunk that is not stored any more.
 */
export function isIntactChunk(log: EventLog, origin: ChunkOrigin, saved: SavedChunk): boolean {
  return contentOf(log, origin, saved) !== undefined;
}

/** The last row's id makes a chunk stale when the rows below it are no longer those that it was made from. */
function originText(log: EventLog, { path, segment }: ChunkOrigin): string {
  const last = lastLiveRow(log.erased(), segment);
  const lastId = last === undefined ? '' : log.insertIdAt(last);
  return JSON.stringify([FORMAT, BYTE_ORDER, log.id, log.version, path, segment, lastId]);
}

function words(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
