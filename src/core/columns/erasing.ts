import type { Pacer } from '../bounds/scheduler.ts';
import { createTurns } from '../bounds/turns.ts';
import { unavailable } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import type { EventQuery } from '../query/event-query.ts';
import { ATTEMPTS, LogGoneError } from './log/log.ts';
import type { TenantIndex } from './tenant-index.ts';
import type { ChosenRows } from './choose.ts';

/**
 * Erases chosen rows for all readers, and with them what matches of the rows behind the last that was chosen
 * from: in the moment of the erasure there is no matching event that stays. Returns how many events it
 * erased; undefined if some of the log was erased since the rows were chosen. Where there are too many later
 * rows to look at in that moment, `catchUp` adds them to the choice.
 */
export type CommitErasure = (
  chosen: ChosenRows,
  catchUp: (chosen: ChosenRows) => Promise<ChosenRows>,
) => Promise<number | undefined>;

/** Erasures of some events of tenants. */
export interface Erasing {
  /**
   * Erases the matching events and returns how many they are. It chooses them, and `commit` erases them. If
   * `commit` returns undefined, it chooses again.
   */
  readonly erase: (
    tenantId: string,
    query: EventQuery,
    commit: CommitErasure,
    signal?: Signal,
  ) => Promise<number>;
}

interface ErasingOptions {
  /** Asks the current index of a tenant; answers `none` if the tenant has no events. */
  readonly ask: <T>(
    tenantId: string,
    signal: Signal | undefined,
    none: T,
    question: (index: TenantIndex, pacer: Pacer) => T | Promise<T>,
  ) => Promise<T>;
}

/** Makes the erasures of a column index. */
export function createErasing({ ask }: ErasingOptions): Erasing {
  const turns = createTurns();

  async function eraseNow(
    tenantId: string,
    query: EventQuery,
    commit: CommitErasure,
    signal?: Signal,
  ): Promise<number> {
    const catchUp = (chosen: ChosenRows) =>
      ask(tenantId, undefined, chosen, (index, pacer) => index.chooseLater(chosen, query, pacer));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const chosen = await ask<ChosenRows | undefined>(tenantId, signal, undefined, (index, pacer) =>
        index.choose(query, pacer),
      );
      if (chosen === undefined || chosen.count === 0) return 0;
      const count = await commit(chosen, catchUp);
      if (count === undefined) continue;
      // This question tells the index of the new version, which begins to leave out the erased rows.
      await ask(tenantId, undefined, undefined, () => undefined).catch(() => undefined);
      return count;
    }
    throw unavailable(new LogGoneError('The log was erased over and over.'));
  }

  return {
    /** Erasures of a tenant run one after the other, because each invalidates the rows that another chose. */
    erase: (...asked) => turns.take(asked[0], () => eraseNow(...asked)),
  };
}
