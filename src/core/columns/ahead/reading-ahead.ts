import type { Pacer } from '../../bounds/scheduler.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../column/chunk.ts';
import { createDictionary, encode } from '../column/dictionary.ts';
import { createKeyedHash, type HashSeed, type KeyedHash } from '../../base/keyed-hash.ts';
import {
  segmentEnd,
  LogGoneError,
  type CodedRows,
  type EventLog,
  type FoundRows,
  type SortedRows,
} from '../log/log.ts';
import type { Order } from '../order/order.ts';
import { readSortedRows } from '../order/sorted-rows.ts';
import type { ReadRows } from '../column/index-columns.ts';
import { AWAITED, createLookAhead, HERE_MAX } from './look-ahead.ts';

/**
 * How many rows one request asks for, and how often its answer reads the log, about a mebibyte each time. An
 * answer has each distinct value once, so a few large answers take less work than many small ones.
 */
const ANSWER_ROWS = 8192;
const READINGS = 4;
/** The most memory that all answers of a look-ahead take, with the rows that this thread has read ahead. */
export const AHEAD_BYTES = ((AWAITED + 1) * READINGS + HERE_MAX) * 2 ** 20;

/** What another thread does with its own view of a log, for `valuesAhead` and `sortedAhead`. */
export function createAheadReader(seed: HashSeed) {
  const hash = createKeyedHash(seed);
  return {
    values(log: EventLog, paths: readonly Path[], from: number, to: number): readonly CodedRows[] {
      const coders = paths.map(() => createRowCoder(hash));
      for (let [row, reading] = [from, 0]; row < to && reading < READINGS; reading++) {
        const lists = log.values(paths, row, to);
        lists.forEach((values, path) => coders[path]!.add(values));
        row += lists[0]!.length;
      }
      return coders.map((coder) => coder.rows());
    },
    sorted: readSortedRows,
  };
}

/** Assigns codes to what a path finds, step by step. */
function createRowCoder(hash: KeyedHash) {
  const dictionary = createDictionary(hash);
  const wide: Uint32Array[] = [];
  let rows = 0;
  return {
    add(values: readonly FoundValue[]): void {
      const codes = new Uint32Array(values.length);
      for (let i = 0; i < values.length; i++) codes[i] = encode(dictionary, values[i]);
      wide.push(codes);
      rows += codes.length;
    },
    rows(): CodedRows {
      const codes = createCodes(dictionary.values.length, rows);
      let row = 0;
      for (const own of wide) {
        codes.set(own, row);
        row += own.length;
      }
      return { values: dictionary.values, codes };
    },
  };
}

/** Where a request that begins at a row ends: after about as many rows as fit one answer. */
const answerEnd = (row: number): number => row - (row % ANSWER_ROWS) + ANSWER_ROWS;

function checkSize(log: EventLog, end: number): void {
  if (log.size() < end) throw new LogGoneError('The log has fewer rows than it had.');
}

/** How many rows were found. */
const countRows = ([first]: readonly FoundRows[]) => (first!.codes ?? first!.values).length;

/**
 * Reads rows up to `size` in other threads: while this thread indexes some rows, other threads read the next
 * ones. `here` reads rows that were not requested yet. Undefined if the log has no other thread.
 */
export function readAhead(log: EventLog, size: number, here?: ReadRows): ReadRows | undefined {
  if (log.valuesAhead === undefined) return undefined;
  let paths: readonly Path[] = [];
  const lookAhead = () => {
    const own = paths;
    return createLookAhead<readonly FoundRows[]>({
      size,
      ask: (from, to) => log.valuesAhead!(own, from, to),
      stopAfter: answerEnd,
      rowsOf: countRows,
      readHere: here && ((from, to) => here(own, from, to)),
    });
  };
  let next = lookAhead();

  return async (wanted, from) => {
    if (wanted.length !== paths.length || wanted.some((path, i) => path !== paths[i])) {
      paths = wanted;
      next = lookAhead();
    }
    const found = await next(from);
    const rows = countRows(found);
    if (rows === 0) throw new LogGoneError('No row of the log was found.');
    checkSize(log, from + rows);
    return found;
  };
}

/**
 * As `indexUpTo`, for the order, with chunks that other threads sort; undefined if the log has no threads.
 */
export function indexAhead(
  log: EventLog,
  order: Order,
  size: number,
  pacer: Pacer,
): Promise<void> | undefined {
  return log.sortedAhead && indexSorted(log, order, size, pacer);
}

async function indexSorted(log: EventLog, order: Order, size: number, pacer: Pacer): Promise<void> {
  const next = createLookAhead({
    size,
    ask: (from, to) => log.sortedAhead!(from, to),
    stopAfter: segmentEnd,
    rowsOf: ({ local }: SortedRows) => local.length,
  });
  while (order.indexedRows < size) {
    if (!order.loadStep()) {
      const sorted = await next(order.indexedRows);
      checkSize(log, sorted.first + sorted.local.length);
      order.addRows(sorted);
    }
    pacer.note?.({ indexed: order.indexedRows, of: size });
    await pacer.yieldIfDue();
  }
}
