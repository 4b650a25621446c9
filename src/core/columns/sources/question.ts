import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { SourceTools } from './source.ts';

/** What a question works with until it ends. */
export interface QuestionTools extends SourceTools {
  /** Registers a function that runs when the question ends, also if it fails. */
  readonly atEnd: (end: () => void) => void;
}

/** Runs a question. All memory and parts that it has used are released when it ends. */
export type RunQuestion = <T>(pacer: Pacer, work: (question: QuestionTools) => T | Promise<T>) => Promise<T>;

/** Makes the function that runs the questions of an owner. */
export function createAsk(memory: MemoryBudget, owner: string): RunQuestion {
  return async (pacer, work) => {
    const reservation = memory.reservation(owner);
    const ends: (() => void)[] = [];
    try {
      return await work({ reservation, pacer, atEnd: (end) => void ends.push(end) });
    } finally {
      for (let i = ends.length - 1; i >= 0; i--) ends[i]!();
      reservation.release();
    }
  };
}
