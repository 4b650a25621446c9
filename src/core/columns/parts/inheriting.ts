import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import { cover } from '../log/cover.ts';
import type { EventLog } from '../log/log.ts';
import type { Parts } from './parts.ts';
import type { RunQuestion, QuestionTools } from '../sources/question.ts';

/**
 * Takes over what is left of all that is known of the edition before, and lets go of that. Questions that
 * come meanwhile do the same for the parts that they need. It throws where it found no room on the way.
 * What was not known of a part is read from the log by who asks for it: a column that had too many values to
 * be made ahead ends somewhere, and to read the rest would hold up everybody. Where it ends early nobody has
 * asked for it, and hundreds of thousands of values of it would keep the collector at work for all the
 * others: it is left as a whole. Nothing is kept beside the log here: to write so much would hold up who
 * stores events.
 */
export async function inheritAll(log: EventLog, parts: Parts, ask: RunQuestion, pacer: Pacer): Promise<void> {
  const before = parts.knownBefore();
  /** Where something had to go for others, or was given up, the log is read by who asks for it. */
  const isLeft = (path: Path) => {
    const column = before?.column(path);
    return column !== undefined && column.givenUp === undefined && column.covered * 2 >= log.size();
  };
  /** The order is taken over as a whole. */
  const inheritOrder = (question: QuestionTools) =>
    cover(parts.orderOf(question), Math.min(1, log.size()), pacer);
  const inheritColumn = async (path: Path, question: QuestionTools) => {
    const column = parts.columnOf(path, question);
    while (column.restore()) await pacer.yieldIfDue();
  };
  try {
    if (before?.order() !== undefined) await ask(pacer, inheritOrder);
    for (const path of before?.paths() ?? []) {
      if (isLeft(path)) await ask(pacer, (question) => inheritColumn(path, question));
    }
  } finally {
    parts.forgetBefore();
  }
}
