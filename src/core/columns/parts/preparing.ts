import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Meter } from '../../base/metrics.ts';
import { overloaded } from '../../base/errors.ts';
import { pathText, type Path } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import { indexUpTo } from '../log/index-up-to.ts';
import { chunkEnd, LogGoneError, type EventLog } from '../log/log.ts';
import { indexColumns } from '../column/index-columns.ts';
import type { Parts } from './parts.ts';
import type { RunQuestion, QuestionTools } from '../sources/question.ts';
import { indexAhead, readAhead } from '../ahead/reading-ahead.ts';
import { findUsualPaths } from '../properties/usual-paths.ts';

/** Of fewer rows a first question is soon answered. */
const ROWS_MIN = 8192;

/** The paths are looked for anew when there are as many rows for each that there was. */
const GROWTH = 1.5;

/** What a row of a column takes, roughly, before its values are known, and what one of the order takes. */
const ROW_BYTES = 2;
const ORDER_ROW_BYTES = 12;

/** How much of the budget may be taken when something is made ahead, and how much by one column. */
const BUDGET_SHARE = 0.5;
const COLUMN_SHARE = 0.0625;

/**
 * Makes the order and the columns of usual paths before anybody asks for them, brings them up to the rows
 * that there are, and keeps them, and the other columns that there are. It takes no memory from others: it
 * makes nothing more where half of the memory budget is reserved, and leaves a column of many values. What
 * was made can go like what questions have left. It throws where it found no more room on the way.
 */
export function createPreparing(
  log: EventLog,
  parts: Parts,
  { ask, memory, meter }: { readonly ask: RunQuestion; readonly memory: MemoryBudget; readonly meter: Meter },
): (pacer: Pacer) => Promise<void> {
  let paths: readonly Path[] = [];
  let sampled = 0;
  let prepared = 0;
  /** Paths whose columns take too much. */
  const dear = new Set<string>();

  const begun = () => meter.count('event_query_log_reads_total', { cause: 'ahead' });
  const roomLeft = () => memory.bytesMax * BUDGET_SHARE - memory.bytes;

  /** Others may have taken it while this rested, or this itself while it worked. */
  const checkRoom = (): undefined => {
    if (roomLeft() < 0) throw overloaded();
  };

  const isCheap = ({ path, entry }: Column): boolean => {
    if (entry.bytes > memory.bytesMax * COLUMN_SHARE) dear.add(pathText(path));
    return !dear.has(pathText(path));
  };

  async function prepareOrder(size: number, question: QuestionTools): Promise<boolean> {
    const order = parts.orderOf(question);
    await (indexAhead(log, order, size, question.pacer) ?? indexUpTo(order, size, question.pacer));
    return order.save(question.pacer, true);
  }

  async function prepareColumns(
    group: readonly Path[],
    size: number,
    question: QuestionTools,
  ): Promise<boolean> {
    const columns = group.map((path) => parts.columnOf(path, question));
    const read = readAhead(log, size);
    for (let to = 0; to < size;) {
      // What a column takes is looked at between chunks.
      to = Math.min(size, chunkEnd(Math.max(to, Math.min(...columns.map(({ indexedRows }) => indexedRows)))));
      await indexColumns(log, columns.filter(isCheap), to, question.pacer, read, begun);
    }
    if (log.chunks?.isScarce?.() === true) return true;
    for (const column of columns.filter(isCheap)) {
      if (!(await column.save(question.pacer, true))) return false;
    }
    return true;
  }

  return async (pacer) => {
    const size = log.size();
    if (size < ROWS_MIN || size === prepared) return;
    const careful: Pacer = {
      now: () => pacer.now(),
      yieldIfDue() {
        const rest = pacer.yieldIfDue();
        return rest === undefined ? checkRoom() : rest.then(checkRoom);
      },
    };
    if (size > sampled * GROWTH) {
      paths = await findUsualPaths(log, size, careful);
      sampled = size;
    }
    let areKept = true;
    if (roomLeft() >= size * ORDER_ROW_BYTES)
      areKept = await ask(careful, (question) => prepareOrder(size, question));
    const cheap = paths.filter((path) => !dear.has(pathText(path)));
    for (let from = 0; from < cheap.length;) {
      const columns = Math.floor(roomLeft() / (size * ROW_BYTES));
      if (columns <= 0) break;
      // An erased log has no more parts: nobody would let go of them.
      if (log.size() < size) throw new LogGoneError('The log has fewer rows than it had.');
      const group = cheap.slice(from, from + columns);
      areKept = (await ask(careful, (question) => prepareColumns(group, size, question))) && areKept;
      from += columns;
    }
    for (const path of parts.known.paths().filter((each) => !dear.has(pathText(each)))) {
      if (log.chunks?.isScarce?.() === true) break;
      const keep = (question: QuestionTools) => parts.columnOf(path, question).save(question.pacer, true);
      areKept = (await ask(careful, keep)) && areKept;
    }
    // What could not be kept, since somebody else wrote for instance, is offered again next time.
    if (areKept) prepared = size;
  };
}
