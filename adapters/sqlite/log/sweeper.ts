import type { Pacer } from '../../../src/index.ts';
import { transact, type SqliteDatabase } from '../database.ts';
import { ROWS_PER_LOG } from './event-log.ts';

/** How many events of an erased log are removed at once: some milliseconds of work. */
const SWEEP_ROWS = 2000;

/** How many where one is large: it may have a mebibyte, and all of it is overwritten with zeros. */
const SWEEP_LARGE_ROWS = 4;

/** Removes what erased logs have left. */
export interface Sweeper {
  /**
   * Removes it a little at a time. Never rejects: what cannot be removed now, since the disk is full for
   * instance, is removed next time.
   */
  sweep(pacer: Pick<Pacer, 'pause'>): Promise<void>;
  stop(): void;
}

/** Makes a sweeper. */
export function createSweeper(quick: SqliteDatabase): Sweeper {
  const selectErased = quick.prepare('SELECT number FROM logs WHERE tenant_id IS NULL ORDER BY number');
  const removeEvents = quick.prepare(
    `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id >= ? AND id < ? LIMIT ?)`,
  );
  const removeNames = quick.prepare('DELETE FROM event_names WHERE log = ?');
  const removeChunk = quick.prepare(
    'DELETE FROM column_chunks WHERE rowid = (SELECT rowid FROM column_chunks WHERE log = ? LIMIT 1)',
  );
  const removePaths = quick.prepare('DELETE FROM column_paths WHERE log = ?');
  const removeLog = quick.prepare('DELETE FROM logs WHERE number = ?');
  const selectLarge = quick.prepare(
    `SELECT id FROM events INDEXED BY large_events
     WHERE octet_length(properties) > 4096 AND id >= ? AND id < ? ORDER BY id LIMIT 1`,
  );
  let stopped = false;

  /** Removes some of a log, or the log when it has no more; whether it is gone. */
  function step(number: number): boolean {
    const [first, end] = [number * ROWS_PER_LOG, (number + 1) * ROWS_PER_LOG];
    const large = selectLarge.get(first, end) as { id: number } | undefined;
    const removed = removeEvents.run(first, large?.id ?? end, SWEEP_ROWS).changes;
    if (Number(removed) > 0) return false;
    if (Number(removeEvents.run(first, end, SWEEP_LARGE_ROWS).changes) > 0) return false;
    if (Number(removeChunk.run(number).changes) > 0) return false;
    transact(quick, () => {
      removeNames.run(number);
      removePaths.run(number);
      removeLog.run(number);
    });
    return true;
  }

  return {
    async sweep(pacer) {
      try {
        const erased = selectErased.all() as { number: number }[];
        for (const { number } of erased) {
          while (!stopped && !step(number)) await pacer.pause();
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
