import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import { cover, type Part } from '../cover.ts';
import type { EventLog } from '../log.ts';
import type { Parts } from '../question/parts.ts';
import type { Ask, QuestionTools } from '../question/question.ts';

/**
 * Takes over what is left of all that is known of the edition before, and lets go of that. Questions that
 * come meanwhile do the same for the parts that they need. It throws where it found no room on the way.
 * Nothing is kept beside the log here: to write so much would hold up who stores events.
 */
export async function inheritAll(log: EventLog, parts: Parts, ask: Ask, pacer: Pacer): Promise<void> {
  const before = parts.knownBefore();
  /** Where something had to go for others, or was given up, the log is read by who asks for it. */
  const isLeft = (path: Path) => {
    const column = before?.column(path);
    return column !== undefined && column.givenUp === undefined;
  };
  const inherit = (partOf: (question: QuestionTools) => Part) =>
    ask(pacer, (question) => cover(partOf(question), log.size(), pacer));
  try {
    if (before?.order() !== undefined) await inherit((question) => parts.orderOf(question));
    for (const path of before?.paths() ?? []) {
      if (isLeft(path)) await inherit((question) => parts.columnOf(path, question));
    }
  } finally {
    parts.forgetBefore();
  }
}
