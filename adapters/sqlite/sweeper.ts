import type { SqliteDatabase } from './file/database.ts';
import { CHUNKS_FIRST, LOGS_MAX } from './log/log-name.ts';
import type { prepareSweeps } from './writes/erase.ts';

/** Removes what erasures have left. */
export interface Sweeper {
  /**
   * Removes it a little at a time, with a rest after each step: for as many milliseconds as it says. Whether
   * there was any. Rejects where some cannot be removed now.
   */
  sweep(rest: Rest): Promise<boolean>;
  stop(): void;
}

type Rest = (ms: number) => Promise<void> | undefined;

/**
 * How much longer than a step the rest after it is, and how long at most. A writer in another process polls
 * the lock of the file. Without rests between the steps it would find the lock taken until all steps are
 * done.
 */
const REST_SHARE = 2;
const REST_MS_MAX = 10;

/** What there may be to sweep, each named by a number. */
const LEFT: readonly (readonly [keyof ReturnType<typeof prepareSweeps>, string])[] = [
  ['sweepLog', 'SELECT number FROM logs WHERE tenant_id IS NULL ORDER BY number'],
  ['sweepRows', 'SELECT DISTINCT log AS number FROM erased_rows WHERE swept < 32768 ORDER BY log'],
  [
    'sweepChunks',
    `SELECT DISTINCT log AS number FROM column_paths WHERE NOT EXISTS (
       SELECT 1 FROM logs WHERE tenant_id IS NOT NULL
         AND number = column_paths.log % ${LOGS_MAX} AND column_paths.log >= ${CHUNKS_FIRST}
         AND version = (column_paths.log - ${CHUNKS_FIRST}) / ${LOGS_MAX})`,
  ],
];

/** Makes a sweeper; `removeSome` removes some of what one number names, and tells whether all is gone. */
export function createSweeper(
  database: SqliteDatabase,
  removeSome: (sweep: (typeof LEFT)[number][0], number: number) => boolean | Promise<boolean>,
): Sweeper {
  const left = LEFT.map(([sweep, select]) => [sweep, database.prepare(select)] as const);
  let stopped = false;

  async function removeAll(step: () => boolean | Promise<boolean>, rest: Rest): Promise<void> {
    while (!stopped) {
      const began = performance.now();
      if (await step()) return;
      await rest(Math.min(REST_MS_MAX, REST_SHARE * (performance.now() - began)));
    }
  }

  return {
    async sweep(rest) {
      let isAny = false;
      for (const [sweep, select] of left) {
        for (const { number } of select.all() as { number: number }[]) {
          isAny = true;
          await removeAll(() => removeSome(sweep, number), rest);
        }
      }
      return isAny;
    },
    stop: () => {
      stopped = true;
    },
  };
}
