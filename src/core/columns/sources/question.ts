import type { Reservation, MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { SourceTools } from './source.ts';
import { finallyDo, type MaybePromise } from '../../base/maybe-promise.ts';

/** What a question works with until it ends. */
export interface QuestionTools extends SourceTools {
  /** Does this when the question ends, however it does. */
  readonly atEnd: (end: () => void) => void;
}

/** Asks a question: whatever it took is given back when it ends. */
export type RunQuestion = <T>(
  pacer: Pacer,
  work: (question: QuestionTools) => MaybePromise<T>,
) => MaybePromise<T>;

/** How questions of an owner are asked. */
export function createAsk(memory: MemoryBudget, owner: string): RunQuestion {
  /** Those of questions that have ended, for the next ones. */
  const accounts: Reservation[] = [];
  return (pacer, work) => {
    const reservation = accounts.pop() ?? memory.reservation(owner);
    const ends: (() => void)[] = [];
    return finallyDo(
      () => work({ reservation, pacer, atEnd: (end) => void ends.push(end) }),
      () => {
        for (let i = ends.length - 1; i >= 0; i--) ends[i]!();
        reservation.release();
        accounts.push(reservation);
      },
    );
  };
}
