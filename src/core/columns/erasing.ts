import type { Pacer } from '../bounds/scheduler.ts';
import { createTurns } from '../bounds/turns.ts';
import { unavailable } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import type { EventQuery } from '../query/event-query.ts';
import { ATTEMPTS, LogGoneError } from './log/log.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { TenantIndex } from './tenant-index.ts';
import type { ChosenRows } from './choose.ts';

/** Makes chosen rows be gone for everybody; whether they are. */
export type CommitErasure = (chosen: ChosenRows) => Promise<boolean>;

/** Erasures of some events of tenants. */
export interface Erasing {
  /**
   * Erases the events that match: they are chosen, and `commit` makes them be gone for everybody, unless the
   * log has become another since, which it says by false; then they are chosen again. How many they are.
   */
  readonly erase: (
    tenantId: string,
    query: EventQuery,
    commit: CommitErasure,
    signal?: Signal,
  ) => Promise<number>;
}

interface ErasingOptions {
  /** Asks the index of a tenant that there is; answers `none` where the tenant has no events. */
  readonly ask: <T>(
    tenantId: string,
    signal: Signal | undefined,
    none: T,
    question: (index: TenantIndex, pacer: Pacer) => MaybePromise<T>,
  ) => Promise<T>;
  /** Lets go of the index of a tenant. */
  readonly forget: (tenantId: string) => void;
}

/** Begins with none. */
export function createErasing({ ask, forget }: ErasingOptions): Erasing {
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
      if (chosen === undefined || chosen.rows.length === 0) return 0;
      if (await commit(chosen)) {
        // This question makes the new version's index, which begins to carry over from the previous one.
        await ask(tenantId, undefined, undefined, () => undefined).catch(() => undefined);
        return chosen.rows.length;
      }
      forget(tenantId);
    }
    throw unavailable(new LogGoneError('The log was erased over and over.'));
  }

  return {
    /** Erasures of a tenant follow each other: each would take the rows from under those beside it. */
    erase: (...asked) => turns.take(asked[0], () => eraseNow(...asked)),
  };
}
