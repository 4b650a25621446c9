import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import { createCodes } from '../chunk.ts';
import { createDictionary, encode } from '../dictionary.ts';
import type { KeyedHash } from '../keyed-hash.ts';
import { LogGoneError, type CodedRows, type EventLog } from '../log.ts';
import type { ReadRows } from '../question/cover-columns.ts';

/** Gives the values of rows codes, in the thread that has read them. */
export function codeRows(lists: readonly (readonly FoundValue[])[], hash: KeyedHash): CodedRows {
  const dictionary = createDictionary(hash);
  const wide = lists.map((values) => Uint32Array.from(values, (value) => encode(dictionary, value)));
  const codes = createCodes(
    dictionary.values.length,
    wide.reduce((rows, { length }) => rows + length, 0),
  );
  let row = 0;
  for (const own of wide) {
    codes.set(own, row);
    row += own.length;
  }
  return { values: dictionary.values, codes };
}

/**
 * Reads in another thread: while some rows are taken in here, the next are read there. Undefined where the
 * log has no other thread.
 */
export function readAhead(log: EventLog): ReadRows | undefined {
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
    next = end < to ? ask(paths, end, to) : undefined;
    return found;
  };
}

/** Rows that are being read. */
interface Asked {
  readonly paths: readonly Path[];
  readonly from: number;
  readonly found: Promise<readonly CodedRows[]>;
}
