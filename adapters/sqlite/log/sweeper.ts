import type { Pacer } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';

/** Removes what erased logs have left. */
export interface Sweeper {
  /**
   * Removes it a little at a time. Never rejects: what cannot be removed now, since the disk is full for
   * instance, is removed next time.
   */
  sweep(pacer: Pick<Pacer, 'pause'>): Promise<void>;
  stop(): void;
}

/** Makes a sweeper; `removeSome` removes some of a log, and tells whether the log is gone. */
export function createSweeper(
  database: SqliteDatabase,
  removeSome: (number: number) => boolean | Promise<boolean>,
): Sweeper {
  const selectErased = database.prepare('SELECT number FROM logs WHERE tenant_id IS NULL ORDER BY number');
  let stopped = false;
  return {
    async sweep(pacer) {
      try {
        const erased = selectErased.all() as { number: number }[];
        for (const { number } of erased) {
          while (!stopped && !(await removeSome(number))) await pacer.pause();
        }
      } catch {
        // Nobody can see these events any more.
      }
    },
    stop: () => {
      stopped = true;
    },
  };
}
