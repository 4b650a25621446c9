import type { Pacer } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import type { prepareSweeps } from '../writes/erase.ts';

/** Removes what erasures have left. */
export interface Sweeper {
  /** Removes it a little at a time; whether there was any. Rejects where some cannot be removed now. */
  sweep(pacer: Pick<Pacer, 'pause'>): Promise<boolean>;
  stop(): void;
}

/** What there may be to sweep, each named by a number. */
const LEFT: readonly (readonly [keyof ReturnType<typeof prepareSweeps>, string])[] = [
  ['sweepLog', 'SELECT number FROM logs WHERE tenant_id IS NULL ORDER BY number'],
  ['sweepRows', 'SELECT DISTINCT log AS number FROM erased_rows WHERE swept < 32768 ORDER BY log'],
  [
    'sweepChunks',
    `SELECT DISTINCT log AS number FROM column_paths WHERE NOT EXISTS (
       SELECT 1 FROM logs WHERE tenant_id IS NOT NULL
         AND number = column_paths.log % 2097152 AND edition = column_paths.log / 2097152)`,
  ],
];

/** Makes a sweeper; `removeSome` removes some of what one number names, and tells whether all is gone. */
export function createSweeper(
  database: SqliteDatabase,
  removeSome: (sweep: (typeof LEFT)[number][0], number: number) => boolean | Promise<boolean>,
): Sweeper {
  const left = LEFT.map(([sweep, select]) => [sweep, database.prepare(select)] as const);
  let stopped = false;
  return {
    async sweep(pacer) {
      let isAny = false;
      for (const [sweep, select] of left) {
        for (const { number } of select.all() as { number: number }[]) {
          isAny = true;
          while (!stopped && !(await removeSome(sweep, number))) await pacer.pause();
        }
      }
      return isAny;
    },
    stop: () => {
      stopped = true;
    },
  };
}
