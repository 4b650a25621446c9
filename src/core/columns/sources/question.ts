import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Kernel } from '../counting/kernel.ts';
import type { CountTools } from '../selection/count.ts';
import type { SourceTools } from './source.ts';

/** What a question works with until it ends. */
export interface QuestionTools extends SourceTools, CountTools {
  /** Registers a function that runs when the question ends, also if it fails. */
  readonly atEnd: (end: () => void) => void;
}

/** Runs a question. All memory and parts that it has used are released when it ends. */
export type RunQuestion = <T>(pacer: Pacer, work: (question: QuestionTools) => T | Promise<T>) => Promise<T>;

/** Who asks, and what counts for them. */
export interface QuestionOptions {
  readonly memory: MemoryBudget;
  readonly owner: string;
  readonly kernel: Kernel;
}

/** Makes the function that runs the questions of an owner. */
export function createAsk({ memory, owner, kernel }: QuestionOptions): RunQuestion {
  return async (pacer, work) => {
    const reservation = memory.reservation(owner);
    const ends: (() => void)[] = [];
    try {
      return await work({ reservation, pacer, kernel, atEnd: (end) => void ends.push(end) });
    } finally {
      for (let i = ends.length - 1; i >= 0; i--) ends[i]!();
      reservation.release();
    }
  };
}
