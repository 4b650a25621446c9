import type { Pacer } from '../../bounds/scheduler.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../chunk.ts';
import { createDictionary, encode } from '../dictionary.ts';
import { createKeyedHash, type HashSeed, type KeyedHash } from '../keyed-hash.ts';
import { chunkEnd, LogGoneError, type CodedRows, type EventLog, type SortedChunk } from '../log.ts';
import type { Order } from '../order/order.ts';
import { readSortedChunk } from '../order/sorted-chunk.ts';
import type { ReadRows } from '../question/cover-columns.ts';

/**
 * How often the log is read for one answer: values that come again are sent once, so few large answers take
 * less to take in, and each reading is about a mebibyte at most.
 */
const READINGS = 4;

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
    sorted: readSortedChunk,
  };
}

/** Gives what a path finds in rows codes, some rows after the other. */
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

/** Rows that another thread reads, from one on. */
interface Asked<T> {
  readonly from: number;
  readonly found: Promise<T>;
}

function asked<T>(from: number, found: Promise<T>): Asked<T> {
  // Whether anybody still wants to know.
  found.catch(() => undefined);
  return { from, found };
}

function checkSize(log: EventLog, end: number): void {
  if (log.size() < end) throw new LogGoneError('The log has fewer rows than it had.');
}

/**
 * Reads in another thread, up to `size`: while some rows are taken in here, the next are read there.
 * Undefined where the log has no other thread.
 */
export function readAhead(log: EventLog, size: number): ReadRows | undefined {
  if (log.valuesAhead === undefined) return undefined;
  let next: Asked<readonly CodedRows[]> | undefined;
  let nextPaths: readonly Path[] = [];

  const ask = (paths: readonly Path[], from: number, to: number) =>
    asked(from, log.valuesAhead!(paths, from, to));

  return async (paths, from, to) => {
    const isNext = next?.from === from && paths.every((path, i) => path === nextPaths[i]);
    const found = await (isNext ? next! : ask(paths, from, to)).found;
    const end = from + found[0]!.codes.length;
    if (end === from) throw new LogGoneError('No row of the log was found.');
    checkSize(log, end);
    next = end < size ? ask(paths, end, Math.min(size, chunkEnd(end))) : undefined;
    nextPaths = paths;
    return found;
  };
}

/** As `cover`, for the order, which another thread sorts; undefined where the log has none. */
export function coverAhead(
  log: EventLog,
  order: Order,
  size: number,
  pacer: Pacer,
): Promise<void> | undefined {
  return log.sortedAhead && takeSorted(log, order, size, pacer);
}

async function takeSorted(log: EventLog, order: Order, size: number, pacer: Pacer): Promise<void> {
  let next: Asked<SortedChunk> | undefined;
  const ask = (from: number) => asked(from, log.sortedAhead!(from, Math.min(size, chunkEnd(from))));
  while (order.covered < size) {
    if (!order.restore(size)) {
      const sorted = await (next?.from === order.covered ? next : ask(order.covered)).found;
      const end = sorted.first + sorted.local.length;
      checkSize(log, end);
      next = end < size ? ask(end) : undefined;
      order.take(sorted);
    }
    await pacer.pause();
  }
}
