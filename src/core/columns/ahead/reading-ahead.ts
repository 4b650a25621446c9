import type { Pacer } from '../../bounds/scheduler.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../chunk.ts';
import { createDictionary, encode } from '../dictionary.ts';
import type { KeyedHash } from '../keyed-hash.ts';
import { chunkEnd, LogGoneError, type CodedRows, type EventLog } from '../log.ts';
import type { Order } from '../order/order.ts';
import type { ReadRows } from '../question/cover-columns.ts';

/** Gives what a path finds in rows codes, in the thread that reads them, some rows after the other. */
export function createRowCoder(hash: KeyedHash) {
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

/**
 * Reads in another thread, up to `size`: while some rows are taken in here, the next are read there.
 * Undefined where the log has no other thread.
 */
export function readAhead(log: EventLog, size: number): ReadRows | undefined {
  if (log.valuesAhead === undefined) return undefined;
  let next: Asked | undefined;

  function ask(paths: readonly Path[], from: number, to: number): Asked {
    const found = log.valuesAhead!(paths, from, to);
    // Whether anybody still wants to know.
    found.catch(() => undefined);
    return { paths, from, found };
  }

  return async (paths, from, to) => {
    const isNext = next?.from === from && paths.every((path, i) => path === next!.paths[i]);
    const found = await (isNext ? next! : ask(paths, from, to)).found;
    const end = from + found[0]!.codes.length;
    if (end === from || log.size() < end) throw new LogGoneError('The log has fewer rows than it had.');
    next = end < size ? ask(paths, end, Math.min(size, chunkEnd(end))) : undefined;
    return found;
  };
}

/** As `cover`, for the order, where another thread reads and sorts. */
export async function coverAhead(log: EventLog, order: Order, size: number, pacer: Pacer): Promise<void> {
  while (order.covered < size) {
    if (!order.restore(size)) {
      const end = Math.min(size, chunkEnd(order.covered));
      const sorted = await log.sortedAhead!(order.covered, end);
      if (log.size() < end) throw new LogGoneError('The log has fewer rows than it had.');
      order.take(sorted);
    }
    await pacer.pause();
  }
}

/** Rows that are being read. */
interface Asked {
  readonly paths: readonly Path[];
  readonly from: number;
  readonly found: Promise<readonly CodedRows[]>;
}
