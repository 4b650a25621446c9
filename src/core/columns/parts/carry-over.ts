import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import { indexUpTo } from '../log/index-up-to.ts';
import type { EventLog } from '../log/log.ts';
import type { Parts } from './parts.ts';
import type { RunQuestion, QuestionTools } from '../sources/question.ts';

/**
 * Carries over all parts of the previous version, then disposes of that. Questions that come meanwhile carry
 * over the parts that they need. It throws if memory runs out on the way.
 *
 * It reads nothing from the log. A column may end in the middle of the log, because it had too many values to
 * be prepared; the first question about it reads the rest. A column that ends early is not carried over: no
 * question has used it, and hundreds of thousands of its values would keep the garbage collector busy. No
 * chunks are stored either, because so many writes would delay the ingestion of events.
 */
export async function carryOverAll(
  log: EventLog,
  parts: Parts,
  ask: RunQuestion,
  pacer: Pacer,
): Promise<void> {
  const previous = parts.knownOfPrevious();
  /** Whether a column is worth it. One that is gone or disabled is read from the log when needed. */
  const isLeft = (path: Path) => {
    const column = previous?.column(path);
    return column !== undefined && column.disabled === undefined && column.indexedRows * 2 >= log.size();
  };
  /** The order is carried over as a whole, so its first row brings all others. */
  const carryOverOrder = (question: QuestionTools) =>
    indexUpTo(parts.orderOf(question), Math.min(1, log.size()), pacer);
  const carryOverColumn = async (path: Path, question: QuestionTools) => {
    const column = parts.columnOf(path, question);
    while (column.loadStep()) await pacer.yieldIfDue();
  };
  try {
    if (previous?.order() !== undefined) await ask(pacer, carryOverOrder);
    for (const path of previous?.paths() ?? []) {
      if (isLeft(path)) await ask(pacer, (question) => carryOverColumn(path, question));
    }
  } finally {
    parts.forgetPrevious();
  }
}
