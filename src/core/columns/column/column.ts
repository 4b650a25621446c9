import type { CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { pathText, type Path } from '../../filter/path.ts';
import { copyCodes, createCodes, saveCodes, translateCodes } from './chunk.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import { createDictionary, encode, type Dictionary } from './dictionary.ts';
import { createChunkLoader, openStoredChunks, type RowLoader } from './stored-chunks.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { bytesOfZone, copyTally, createZone, type Zone } from './zone-map.ts';
import { chunkEnd, readValues, type EventLog, type FoundRows, type Codes } from '../log/log.ts';
import { createCodeMasks, type CodeMasks } from './code-mask.ts';
import { CHUNK_ROWS } from '../log/sizes.ts';

/** What a path finds in the rows of a log: each distinct value once, and one code for each row. */
export interface Column extends DerivedPart {
  readonly path: Path;
  readonly dictionary: Dictionary;
  /** How many rows have each code: a count over all rows need not look at them. */
  readonly occurrences: Uint32Array;
  /** What tests say of the dictionary's values. */
  readonly masks: CodeMasks;
  /** The codes of the first `indexedRows` rows. Entries after them are spare room. */
  readonly codes: Codes;
  /** Why the log is read instead: the values are too many or too large, or memory ran out. */
  readonly disabled: 'too large' | 'no memory' | undefined;
  /** The zone of each whole chunk. */
  readonly zoneMap: readonly Zone[];
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /**
   * Loads one step of the next rows without reading the log. It returns whether there was anything to load.
   */
  loadStep(): boolean;
  /** Adds what the path finds in the next rows, all of one chunk. */
  addRows(found: FoundRows): void;
  /** Stores the whole chunks that are not stored yet, as `StoredChunks.save` does. */
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
  /** What the previous version of the log has of this column. It is used instead of stored chunks. */
  readonly carried?: RowLoader | undefined;
}

/** What the values take is booked by as much at once, or by an eighth of what is booked. */
const GRAIN_BYTES = 4096;

/** An empty column. It is filled step by step, from stored chunks or from the log. */
export function createColumn(log: EventLog, path: Path, options: ColumnOptions): Column {
  const { limits, hash, entry, carried } = options;
  const text = pathText(path);
  const chunks = openStoredChunks(log, text);
  const loader = carried ?? createChunkLoader(log, text, chunks);
  const masks = createCodeMasks(entry);
  let dictionary = createDictionary(hash);
  let codes: Codes = new Uint8Array(0);
  let occurrences = new Uint32Array(0);
  let indexedRows = 0;
  let disabled: Column['disabled'];
  let dictionaryBytes = 0;
  let zoneMap: Zone[] = [];
  let zoneBytes = 0;

  const ownBytes = () => codes.byteLength + occurrences.byteLength + dictionaryBytes + zoneBytes;

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
    [codes, occurrences, zoneMap] = [new Uint8Array(0), new Uint32Array(0), []];
    dictionaryBytes = zoneBytes = 0;
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

  /** Room for the codes of `size` rows and for the tally of all values. */
  function reserve(size: number): boolean {
    const count = dictionary.values.length;
    const width = Math.max(createCodes(count, 0).BYTES_PER_ELEMENT, codes.BYTES_PER_ELEMENT);
    if (size > codes.length || width > codes.BYTES_PER_ELEMENT) {
      // Room for the whole log when it is first read, and later for some growth.
      const room = size > codes.length ? Math.max(size + (size >> 3), log.size()) : codes.length;
      if (!book(room * width)) return false;
      const before = codes;
      codes = copyCodes(before, indexedRows, count, room);
      entry.release(before.byteLength);
    }
    if (count > occurrences.length) {
      const room = Math.max(16, count, occurrences.length * 2);
      if (!book(room * 4)) return false;
      const before = occurrences;
      occurrences = new Uint32Array(room);
      occurrences.set(before);
      entry.release(before.byteLength);
    }
    return true;
  }

  function append(added: Codes): void {
    if (!reserve(indexedRows + added.length)) return;
    const before = added.length === CHUNK_ROWS ? copyTally(occurrences) : undefined;
    codes.set(added, indexedRows);
    for (let i = 0; i < added.length; i++) occurrences[added[i]!]! += 1;
    indexedRows += added.length;
    if (indexedRows % CHUNK_ROWS !== 0) return;
    const own = codes.subarray(indexedRows - CHUNK_ROWS, indexedRows);
    const chunk = createZone(own, dictionary.values.length, before && { before, after: occurrences });
    if (!book(bytesOfZone(chunk))) return;
    zoneMap.push(chunk);
    zoneBytes += bytesOfZone(chunk);
  }

  function loadStep(): boolean {
    const codes = disabled === undefined ? loader.step(indexedRows, dictionary) : 'none';
    if (codes !== 'none' && checkDictionary() && codes !== 'more') append(codes);
    return codes !== 'none';
  }

  function addRows({ values, codes }: FoundRows): void {
    // Another question may have begun to load a stored chunk of these rows. The values it has added are
    // theirs too.
    loader.stop();
    const added = new Uint32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      added[i] = encode(dictionary, values[i]);
      if (dictionary.bytes > dictionaryBytes && !checkDictionary()) return;
    }
    if (checkDictionary()) append(codes === undefined ? added : translateCodes(codes, added));
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
    get occurrences() {
      return occurrences;
    },
    get indexedRows() {
      return indexedRows;
    },
    get disabled() {
      return disabled;
    },
    indexStep(to) {
      if (disabled === undefined && !loadStep()) {
        addRows({ values: readValues(log, path, indexedRows, Math.min(to, chunkEnd(indexedRows))) });
      }
      // A disabled column has nothing to read, so that `indexUpTo` ends.
      if (disabled !== undefined) indexedRows = Math.max(indexedRows, to);
    },
    async save(pacer, again) {
      // A new version's column is stored later, by idle work. A path that no event has is never stored.
      if (carried !== undefined && again !== true) return true;
      if (disabled !== undefined || dictionary.values.length === 1) return true;
      const pack = (chunk: number) => {
        if (disabled !== undefined) return undefined;
        const first = zoneMap[chunk - 1]?.values ?? 1;
        const added = dictionary.values.slice(first, zoneMap[chunk]!.values);
        const own = codes.subarray(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS);
        return saveCodes(log, text, chunk, { first, added, codes: own });
      };
      return chunks.save(indexedRows, pack, pacer, again);
    },
  };
}
