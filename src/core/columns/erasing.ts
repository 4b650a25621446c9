import type { Pacer } from '../bounds/scheduler.ts';
import { createTurns } from '../bounds/turns.ts';
import { unavailable } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import type { EventQuery } from '../query/event-query.ts';
import { ATTEMPTS, LogGoneError } from './log/log.ts';
import type { TenantIndex } from './tenant-index.ts';
import type { ChosenRows } from './choose.ts';

/** Erases chosen rows for all readers. Returns false if the log has changed since they were chosen. */
export type CommitErasure = (chosen: ChosenRows) => Promise<boolean>;

/** Erasures of some events of tenants. */
export interface Erasing {
  /**
   * Erases the matching events and returns how many they are. It chooses them, and `commit` erases them. If
   * `commit` returns false, it chooses again.
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
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const chosen = await ask<ChosenRows | undefined>(tenantId, signal, undefined, (index, pacer) =>
        index.choose(query, pacer),
      );
      if (chosen === undefined || chosen.count === 0) return 0;
      if (await commit(chosen)) {
        // This question tells the index of the new version, which begins to leave out the erased rows.
        await ask(tenantId, undefined, undefined, () => undefined).catch(() => undefined);
        return chosen.count;
      }
    }
    throw unavailable(new LogGoneError('The log was erased over and over.'));
  }

  return {
    /** Erasures of a tenant run one after the other, because each invalidates the rows that another chose. */
    erase: (...asked) => turns.take(asked[0], () => eraseNow(...asked)),
  };
}
