import { pathText, type Path } from '../filter/path.ts';
import { createCodes, openCodes, saveCodes, type Codes } from './chunk.ts';
import { createDictionary, encode, type Dictionary } from './dictionary.ts';
import { CHUNK_ROWS, readValues, type EventLog } from './log.ts';
import type { Pacer, Part } from './pace.ts';
import { createVerdicts, type Verdicts } from './selection/verdict.ts';

/** What a path finds in the rows of a log: each distinct value once, and one code for each row. */
export interface Column extends Part {
  readonly path: Path;
  readonly dictionary: Dictionary;
  /** How many rows have each code: a count over all rows need not look at them. */
  readonly occurrences: Uint32Array;
  /** What tests say of the dictionary's values. */
  readonly verdicts: Verdicts;
  /** The codes of the first `covered` rows; what lies behind them is spare room. */
  readonly codes: Codes;
  /**
   * Whether the column was given up because its values are too many: the path is then read from the log each
   * time.
   */
  readonly plain: boolean;
  /** About how many bytes of memory it takes. */
  readonly bytes: number;
  /** Keeps the whole chunks that are not kept yet. */
  save(pacer: Pacer): Promise<void>;
}

/** How large a column may grow before its path is streamed from the log instead. */
export interface ColumnLimits {
  /** How many distinct values a column may have. A JavaScript Map throws at 2^24. */
  readonly distinctMax: number;
  /** How many bytes of memory a column may take. */
  readonly bytesMax: number;
}

const COLUMN_BYTES = 1024;

/** An empty column, which is filled from the log, or from chunks that were kept, when it is extended. */
export function createColumn(log: EventLog, path: Path, limits: ColumnLimits): Column {
  const text = pathText(path);
  const { chunks } = log;
  const verdicts = createVerdicts();
  let dictionary = createDictionary();
  let codes: Codes = new Uint8Array(0);
  let occurrences = new Uint32Array(16);
  let covered = 0;
  let plain = false;
  let savedChunks = 0;
  /** Where keeping failed, on a read-only file for instance: it is tried again when there are more rows. */
  let refusedAt = -1;
  let restoring = chunks !== undefined;
  /** How many values the dictionary had at the end of each whole chunk. */
  let countsAtChunkEnd: number[] = [];

  const bytes = () =>
    COLUMN_BYTES + codes.byteLength + occurrences.byteLength + dictionary.bytes + verdicts.bytes;

  function append(added: Codes): void {
    const size = covered + added.length;
    const narrowest = createCodes(dictionary.values.length, 0).BYTES_PER_ELEMENT;
    if (size > codes.length || narrowest > codes.BYTES_PER_ELEMENT) {
      // Room for the whole log when it is first read, and later for some growth.
      const room = size > codes.length ? Math.max(size + (size >> 3), log.size()) : codes.length;
      const wider = createCodes(dictionary.values.length, room);
      wider.set(codes.subarray(0, covered));
      codes = wider;
    }
    codes.set(added, covered);
    covered = size;
    tallyCodes(added);
    if (covered % CHUNK_ROWS === 0) countsAtChunkEnd.push(dictionary.values.length);
    if (dictionary.values.length > limits.distinctMax || bytes() > limits.bytesMax) giveUp();
  }

  function tallyCodes(added: Codes): void {
    const count = dictionary.values.length;
    if (occurrences.length < count) {
      const wider = new Uint32Array(Math.max(count, occurrences.length * 2));
      wider.set(occurrences);
      occurrences = wider;
    }
    for (let i = 0; i < added.length; i++) occurrences[added[i]!]! += 1;
  }

  function giveUp(): void {
    plain = true;
    dictionary = createDictionary();
    codes = new Uint8Array(0);
    occurrences = new Uint32Array(0);
    countsAtChunkEnd = [];
    chunks?.drop(text);
  }

  /** Takes one kept chunk in; from the first that is missing or not to be trusted on, the log is read. */
  function restore(): boolean {
    const chunk = covered / CHUNK_ROWS;
    const saved = chunks?.load(text, chunk);
    const opened = saved && openCodes(log, text, chunk, saved);
    if (opened?.first !== dictionary.values.length) return (restoring = false);
    for (const value of opened.added) encode(dictionary, value);
    savedChunks = chunk + 1;
    append(opened.codes);
    return true;
  }

  return {
    path,
    verdicts,
    get dictionary() {
      return dictionary;
    },
    get codes() {
      return codes;
    },
    get occurrences() {
      return occurrences;
    },
    get covered() {
      return covered;
    },
    get plain() {
      return plain;
    },
    get bytes() {
      return bytes();
    },
    extend(to) {
      // A column that was given up has nothing to read, so that whoever covers it comes to an end.
      if (plain) return void (covered = Math.max(covered, to));
      const chunkEnd = covered - (covered % CHUNK_ROWS) + CHUNK_ROWS;
      if (restoring && covered % CHUNK_ROWS === 0 && chunkEnd <= log.size() && restore()) return;
      const end = Math.min(to, chunkEnd);
      const values = readValues(log, path, covered, end);
      const added = new Uint32Array(values.length);
      for (let i = 0; i < values.length; i++) added[i] = encode(dictionary, values[i]);
      append(added);
    },
    async save(pacer) {
      // A path that no event has is not worth a place on the disk, which would otherwise fill with misspelt
      // paths.
      if (chunks === undefined || dictionary.values.length === 1 || refusedAt === covered) return;
      while (!plain && savedChunks < countsAtChunkEnd.length) {
        const chunk = savedChunks;
        const first = countsAtChunkEnd[chunk - 1] ?? 1;
        const added = dictionary.values.slice(first, countsAtChunkEnd[chunk]);
        const own = codes.subarray(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS);
        const saved = saveCodes(log, text, chunk, { first, added, codes: own });
        if (!chunks.save(text, chunk, saved)) return void (refusedAt = covered);
        savedChunks = Math.max(savedChunks, chunk + 1);
        await pacer.pause();
      }
    },
  };
}
