import type { SqliteDatabase } from '../file/database.ts';
import { ERASED_ROWS, isErased, listErased } from '../log/erased-rows.ts';
import { LOGS_MAX, ROWS_PER_LOG } from '../log/log-name.ts';
import { isCount, prepareReader } from './readable.ts';

/** What the list of erased rows says of a chunk of a log. */
export interface ErasedBits {
  readonly bits: Uint8Array;
  /** How many rows it counts as erased. */
  readonly count: unknown;
  /** Whether as many bits are set as it counts: if not, one of the two is damaged. */
  readonly isSound: boolean;
}

/** The erased rows of a log as far as they are known, by the number of their chunk. */
export type ErasedOfLog = ReadonlyMap<number, ErasedBits>;

/** The list of erased rows. */
export interface ErasedList {
  /** What is known of each log, also of those that are in no list. */
  readonly byLog: ReadonlyMap<number, ErasedOfLog>;
  /** Whether it could be read whole. */
  readonly isWhole: boolean;
}

/** Reads the list of erased rows as far as it can be read. */
export function readErased(
  { source }: Readonly<Record<'source', SqliteDatabase>>,
  remarks: string[],
): ErasedList {
  const byLog = new Map<number, Map<number, ErasedBits>>();
  const state = { isWhole: true, isSound: true };
  const about = { table: 'erased_rows', key: 'rowid', columns: 'rowid, *' };
  const reader = prepareReader(source, about, (rows) => {
    for (const { log, chunk, count, bits } of rows) {
      const isWhole = bits instanceof Uint8Array && bits.length === ERASED_ROWS / 8;
      if (!isWhole || !isCount(chunk, ROWS_PER_LOG / ERASED_ROWS) || !isCount(log, LOGS_MAX)) {
        state.isWhole = false;
        continue;
      }
      const isSound = listErased([{ chunk: 0, bits }]).length === count;
      state.isSound &&= isSound;
      const ofLog = byLog.get(log) ?? new Map<number, ErasedBits>();
      byLog.set(log, ofLog.set(chunk, { bits, count, isSound }));
    }
  });
  if (!reader.fromEnds()) state.isWhole = false;
  if (!state.isWhole || !state.isSound)
    remarks.push('some of the list of erased events is damaged: what was not removed yet is back');
  return { byLog, isWhole: state.isWhole };
}

/** Whether an event was erased: what is still there is not, if the bits that say so are damaged. */
export function isHidden(erased: ErasedOfLog | undefined, id: number): boolean {
  const row = id % ROWS_PER_LOG;
  const known = erased?.get(Math.floor(row / ERASED_ROWS));
  return known?.isSound === true && isErased(known.bits, row % ERASED_ROWS);
}

/**
 * Which of the rows of a chunk that are not there are not known to have been erased. Where the bits are
 * damaged, all have been if they are as many as the chunk counts, and else it is known of none.
 */
export function notErased(absent: readonly number[], known: ErasedBits | undefined): readonly number[] {
  if (known?.isSound === true) return absent.filter((row) => !isErased(known.bits, row % ERASED_ROWS));
  return absent.length === known?.count ? [] : absent;
}
