import { IDS_END, logOf, LOGS_MAX, ROWS_PER_LOG } from '../log/log-name.ts';
import type { CopiedLog, Copying } from './copying.ts';
import type { ErasedBits, ErasedList } from './erased.ts';
import { isCount, unlessDamaged, type ReadRow } from './readable.ts';

/** What is known of a log before its events are read. */
export function nothingCopied(number: number, erased: ErasedList) {
  return {
    copied: 0,
    unknownArrivals: 0,
    damaged: new Set<number>(),
    erased: erased.byLog.get(number) ?? new Map<number, ErasedBits>(),
  };
}

/** A log that is in no list, but has an event. */
export function addUnknown(
  logs: Map<number, CopiedLog>,
  erased: ErasedList,
  { id, isEvent }: ReadRow,
): CopiedLog | undefined {
  if (isEvent !== 1) return undefined;
  const number = logOf(id as number);
  // The rows before its first one may have been erased long ago: they are no gap.
  const size = (id as number) % ROWS_PER_LOG;
  const log = { number, tenantId: undefined, version: 0, size, ...nothingCopied(number, erased) };
  logs.set(number, log);
  return log;
}

/** After so many logs in a row of which nothing can be read, ever more of those that follow are left out. */
const FAILURES_MAX = 4096;

/**
 * Finds the logs that are in no list, from log to log; returns whether that found all. It passes over a log
 * whose first event is damaged or cannot be read, because damage may have given that event its number.
 */
export function findUnknownLogs(
  source: Copying['source'],
  logs: Map<number, CopiedLog>,
  erased: ErasedList,
  columns: string,
): boolean {
  const selectNext = source.prepare(
    `SELECT ${columns} FROM events NOT INDEXED WHERE id >= ? AND id < ${IDS_END} ORDER BY id LIMIT 1`,
  );
  let failures = 0;
  let isEachFound = true;
  for (let number = 0; number < LOGS_MAX; number += failures > FAILURES_MAX ? failures - FAILURES_MAX : 1) {
    const from = number * ROWS_PER_LOG;
    const found = unlessDamaged(() => ({ row: selectNext.get(from) as ReadRow | undefined }));
    if (found !== undefined && found.row === undefined) return isEachFound;
    const id = found?.row?.id;
    // A damaged page may lead back: then, and where nothing can be read, the next log is tried.
    if (!isCount(id, IDS_END) || id < from) {
      failures += 1;
      isEachFound = false;
      continue;
    }
    failures = 0;
    number = logOf(id);
    if (!logs.has(number) && addUnknown(logs, erased, found!.row!) === undefined) isEachFound = false;
  }
  return isEachFound;
}
