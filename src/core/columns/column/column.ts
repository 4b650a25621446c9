import type { CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { pathText, type Path } from '../../filter/path.ts';
import { copyCodes, createCodes, saveCodes, translateCodes, type ChunkPlace } from './chunk.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import { createDictionary, encode, MISSING, type Dictionary } from './dictionary.ts';
import { createChunkLoader, openStoredChunks } from './stored-chunks.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { bytesOfZone, copyTally, createZone, type Zone } from './zone-map.ts';
import { readValues, segmentEnd, segmentOf, type Codes, type EventLog, type FoundRows } from '../log/log.ts';
import { beginsGone, hasBit, isGone } from '../log/erased-rows.ts';
import { createCodeMasks, type CodeMasks } from './code-mask.ts';
import { createOccurrences } from './occurrences.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';

/** What a path finds in the rows of a log: each distinct value once, and one code for each row. */
export interface Column extends DerivedPart {
  readonly path: Path;
  readonly dictionary: Dictionary;
  /**
   * How many of the first `size` rows have each code, without those that are erased in a version of the log;
   * undefined unless the column has exactly these rows. A count over all rows need not look at them.
   */
  occurrencesAt(version: number, size: number): Uint32Array | undefined;
  /** What tests say of the dictionary's values. */
  readonly masks: CodeMasks;
  /**
   * The codes of each segment, none of one that is erased as a whole. After the first `indexedRows` rows is
   * spare room. A question keeps the array, whose segments stay.
   */
  readonly codes: readonly (Codes | undefined)[];
  /** Why the log is read instead: the values are too many or too large, or memory ran out. */
  readonly disabled: 'too large' | 'no memory' | undefined;
  /** The zone of each whole segment. */
  readonly zoneMap: readonly Zone[];
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /**
   * Loads one step of the next rows without reading the log. It returns whether there was anything to load.
   */
  loadStep(): boolean;
  /** Adds what the path finds in the next rows, all of one segment. */
  addRows(found: FoundRows): void;
  /** Leaves out the rows of the last erasure. It returns how many values no row has any more. */
  settle(pacer: Pacer): Promise<number>;
  /** Stores the whole segments that are not stored yet, as `StoredChunks.save` does. */
  save(pacer: Pacer, again?: boolean): Promise<boolean>;
}

/** How many distinct values and bytes a column may have before its path is read from the log instead. */
export interface ColumnLimits {
  readonly distinctMax: number;
  readonly bytesMax: number;
}

export interface ColumnOptions {
  readonly limits: ColumnLimits;
  readonly hash: KeyedHash;
  /** Has something booked already for the column itself. */
  readonly entry: CacheEntry;
}

/** What the values take is booked by as much at once, or by an eighth of what is booked. */
const GRAIN_BYTES = 4096;

/** How many rows the last segment has room for at first. */
const ROOM_FIRST = 512;

const NO_CODES = new Uint8Array(0);

/** An empty column. It is filled step by step, from stored chunks or from the log. */
export function createColumn(log: EventLog, path: Path, { limits, hash, entry }: ColumnOptions): Column {
  const text = pathText(path);
  const chunks = openStoredChunks(log, text);
  const loader = createChunkLoader(log, chunks);
  const masks = createCodeMasks(entry);
  const versionFirst = log.version;
  let dictionary = createDictionary(hash);
  let codes: (Codes | undefined)[] = [];
  let codesBytes = 0;
  let occurrences = createOccurrences(log);
  let indexedRows = 0;
  let disabled: Column['disabled'];
  let dictionaryBytes = 0;
  let zoneMap: Zone[] = [];
  let zoneBytes = 0;
  /** The codes whose values are left out of the stored chunks, because no row has them. */
  const leftOut = new Set<number>();

  const ownBytes = () => codesBytes + occurrences.bytes + dictionaryBytes + zoneBytes;

  /** Books memory for the column. If the column has too much, or there is none left, it is disabled. */
  function book(bytes: number): boolean {
    if (ownBytes() + bytes > limits.bytesMax) disable('too large');
    else if (!entry.reserve(bytes)) disable('no memory');
    return disabled === undefined;
  }

  function disable(reason: Column['disabled']): void {
    disabled = reason;
    entry.release(ownBytes());
    dictionary = createDictionary(hash);
    occurrences = createOccurrences(log);
    [codes, zoneMap] = [[], []];
    codesBytes = dictionaryBytes = zoneBytes = 0;
    loader.stop();
    if (reason === 'too large') chunks.drop();
  }

  /** Whether the dictionary may be as large as it is. */
  function checkDictionary(): boolean {
    if (dictionary.values.length > limits.distinctMax) disable('too large');
    else if (dictionary.bytes > dictionaryBytes) {
      const grain = Math.max(GRAIN_BYTES, dictionaryBytes >> 3, dictionary.bytes - dictionaryBytes);
      if (book(grain)) dictionaryBytes += grain;
    }
    return disabled === undefined;
  }

  /** Room for codes of the last segment, of which `filled` are there and `length` come. */
  function reserve(segment: number, filled: number, length: number): boolean {
    const before = codes[segment] ?? NO_CODES;
    const count = dictionary.values.length;
    const width = Math.max(createCodes(count, 0).BYTES_PER_ELEMENT, before.BYTES_PER_ELEMENT);
    const size = filled + length;
    if (size > before.length || width > before.BYTES_PER_ELEMENT) {
      const room = size > before.length ? roomFor(size, log.size() - segment * SEGMENT_ROWS) : before.length;
      if (!book(room * width)) return false;
      codes[segment] = copyCodes(before, filled, count, room);
      codesBytes += room * width - before.byteLength;
      entry.release(before.byteLength);
    }
    const more = occurrences.bytesFor(count);
    if (more > 0 && !book(more)) return false;
    occurrences.grow(count);
    return true;
  }

  function append(added: Codes): void {
    const segment = segmentOf(indexedRows);
    const filled = indexedRows % SEGMENT_ROWS;
    if (!reserve(segment, filled, added.length)) return;
    const before = added.length === SEGMENT_ROWS ? copyTally(occurrences.counts) : undefined;
    const isWhole = occurrences.add(added, indexedRows);
    codes[segment]!.set(added, filled);
    indexedRows += added.length;
    if (leftOut.size > 0) restoreValues(added);
    if (indexedRows % SEGMENT_ROWS !== 0) return;
    const own = codes[segment]!;
    const tally = isWhole && before ? { before, after: occurrences.counts } : undefined;
    addZone(createZone(own, dictionary.values.length, tally));
  }

  /** Stores all chunks again if a row has a value that was left out of them. */
  function restoreValues(added: Codes): void {
    if (!added.some((code) => leftOut.has(code))) return;
    leftOut.clear();
    chunks.restart();
  }

  function addZone(zone: Zone): void {
    if (!book(bytesOfZone(zone))) return;
    zoneMap.push(zone);
    zoneBytes += bytesOfZone(zone);
  }

  /** Passes over a segment that is erased as a whole. */
  function passOver(): void {
    indexedRows += SEGMENT_ROWS;
    addZone(createZone(NO_CODES, dictionary.values.length));
  }

  function loadStep(): boolean {
    if (disabled !== undefined) return false;
    const found = loader.step(indexedRows, dictionary);
    const isAbsent = beginsGone(log.erased(), indexedRows);
    if (found === 'none' && !isAbsent) return false;
    if (!checkDictionary() || found === 'more') return true;
    if (isAbsent) passOver();
    else append(found as Codes);
    return true;
  }

  function addRows({ values, codes: own }: FoundRows): void {
    // Another question may have begun to load a stored chunk of these rows. The values it has added are
    // theirs too.
    loader.stop();
    const added = new Uint32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      added[i] = encode(dictionary, values[i]);
      if (dictionary.bytes > dictionaryBytes && !checkDictionary()) return;
    }
    if (checkDictionary()) append(own === undefined ? added : translateCodes(own, added));
  }

  /** The codes of a whole segment, those of erased rows replaced by that of a missing value. */
  function hideErased(segment: number): Codes {
    const own = codes[segment];
    if (own === undefined || isGone(log.erased(), segment)) return NO_CODES;
    const bitmap = log.erased().bitmaps[segment];
    return bitmap === undefined ? own : own.map((code, local) => (hasBit(bitmap, local) ? MISSING : code));
  }

  /** Packs what a segment has. Values that no row has any more must not reach the disk again. */
  function pack(place: ChunkPlace) {
    const { segment } = place;
    const counts = occurrences.at(log.version);
    if (disabled !== undefined || counts === undefined) return undefined;
    const first = zoneMap[segment - 1]?.values ?? 1;
    const added = dictionary.values.slice(first, zoneMap[segment]!.values);
    for (let i = 0; i < added.length; i++) {
      if (counts[first + i]! > 0) leftOut.delete(first + i);
      else {
        added[i] = undefined;
        leftOut.add(first + i);
      }
    }
    return saveCodes(log, place, { first, added, codes: hideErased(segment) });
  }

  return {
    path,
    masks,
    entry,
    loadStep,
    addRows,
    get dictionary() {
      return dictionary;
    },
    get codes() {
      return codes;
    },
    get zoneMap() {
      return zoneMap;
    },
    occurrencesAt: (version, size) =>
      disabled === undefined && indexedRows === size ? occurrences.at(version) : undefined,
    get indexedRows() {
      return indexedRows;
    },
    get disabled() {
      return disabled;
    },
    indexStep(to) {
      if (disabled === undefined && !loadStep()) {
        addRows({ values: readValues(log, path, indexedRows, Math.min(to, segmentEnd(indexedRows))) });
      }
      // A disabled column has nothing to read, so that `indexUpTo` ends.
      if (disabled !== undefined) indexedRows = Math.max(indexedRows, to);
    },
    async settle(pacer) {
      const gone = await occurrences.settle(() => ({ codes, indexedRows }), pacer);
      if (disabled !== undefined) return 0;
      if (gone.length > 0) codes = codes.slice();
      for (const segment of gone) {
        const { byteLength } = codes[segment] ?? NO_CODES;
        codes[segment] = undefined;
        codesBytes -= byteLength;
        entry.release(byteLength);
      }
      return occurrences.countUnused(dictionary.values.length);
    },
    async save(pacer, again) {
      // After an erasure everything is stored later, by idle work: so many writes would delay ingestion.
      if (log.version !== versionFirst && again !== true) return true;
      // A path that no event has is never stored.
      if (disabled !== undefined || dictionary.values.length === 1) return true;
      // Which values to store is known when the erasure is settled.
      if (occurrences.at(log.version) === undefined) return false;
      return chunks.save(indexedRows, pack, pacer, again);
    },
  };
}

/** Room for the rows of a segment: for all that the log has of it, and later for some growth. */
function roomFor(size: number, known: number): number {
  return Math.min(SEGMENT_ROWS, Math.max(ROOM_FIRST, size + (size >> 1), known));
}
