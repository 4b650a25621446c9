import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Meter } from '../../base/metrics.ts';
import { overloaded } from '../../base/errors.ts';
import { pathText, type Path } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import { indexUpTo } from '../log/index-up-to.ts';
import { segmentEnd, LogGoneError, type EventLog } from '../log/log.ts';
import { indexColumns } from '../column/index-columns.ts';
import type { Parts } from './parts.ts';
import type { RunQuestion, QuestionTools } from '../sources/question.ts';
import { indexAhead, readAhead } from '../ahead/reading-ahead.ts';
import { findFrequentPaths } from '../properties/frequent-paths.ts';

/** With fewer rows the first question is answered quickly anyway. */
const ROWS_MIN = 8192;

/** The frequent paths are sampled again when the log has grown by this factor. */
const GROWTH = 1.5;

/** Roughly how much a row of a column takes, before its values are known, and a row of the order. */
const ROW_BYTES = 2;
const ORDER_ROW_BYTES = 12;

/** How much of the budget may be in use when something is prepared, and how much one column may take. */
const BUDGET_SHARE = 0.5;
const COLUMN_SHARE = 0.0625;

/**
 * Indexes the order and the columns of frequent paths before a question needs them, and stores their chunks
 * and those of all other columns. It takes no memory from questions: it prepares nothing while half of the
 * memory budget is reserved, and leaves out a column that takes too much. What it has made may be evicted
 * like everything that questions leave behind. It throws if memory runs out on the way.
 */
export function createPreparing(
  parts: Parts,
  { ask, memory, meter }: { readonly ask: RunQuestion; readonly memory: MemoryBudget; readonly meter: Meter },
): (log: EventLog, pacer: Pacer) => Promise<void> {
  let paths: readonly Path[] = [];
  let sampled = 0;
  /** Up to which row, and in which version of the log, everything is stored. */
  let prepared = { size: 0, version: 0 };
  /** The paths whose columns take too much memory. */
  const tooLarge = new Set<string>();

  const begun = () => meter.count('event_query_log_reads_total', { cause: 'ahead' });
  const roomLeft = () => memory.bytesMax * BUDGET_SHARE - memory.bytes;

  /** Memory may have gone to questions while this rested, or to this itself while it worked. */
  const checkRoom = (): undefined => {
    if (roomLeft() < 0) throw overloaded();
  };

  const isSmall = ({ path, entry }: Column): boolean => {
    if (entry.bytes > memory.bytesMax * COLUMN_SHARE) tooLarge.add(pathText(path));
    return !tooLarge.has(pathText(path));
  };

  async function prepareOrder(log: EventLog, size: number, question: QuestionTools): Promise<boolean> {
    const order = parts.orderOf(question);
    await (indexAhead(log, order, size, question.pacer) ?? indexUpTo(order, size, question.pacer));
    return order.save(question.pacer, true);
  }

  async function prepareColumns(
    log: EventLog,
    group: readonly Path[],
    size: number,
    question: QuestionTools,
  ): Promise<boolean> {
    const columns = group.map((path) => parts.columnOf(path, question));
    const read = readAhead(log, size);
    for (let to = 0; to < size;) {
      // After each chunk, columns that take too much are left out.
      to = Math.min(
        size,
        segmentEnd(Math.max(to, Math.min(...columns.map(({ indexedRows }) => indexedRows)))),
      );
      await indexColumns(log, columns.filter(isSmall), to, question.pacer, read, begun);
    }
    if (log.chunks?.isScarce?.() === true) return true;
    for (const column of columns.filter(isSmall)) {
      if (!(await column.save(question.pacer, true))) return false;
    }
    return true;
  }

  return async (log, pacer) => {
    const size = log.size();
    const { version } = log;
    if (size < ROWS_MIN || (size === prepared.size && version === prepared.version)) return;
    const careful: Pacer = {
      now: () => pacer.now(),
      yieldIfDue() {
        const rest = pacer.yieldIfDue();
        return rest === undefined ? checkRoom() : rest.then(checkRoom);
      },
    };
    if (size > sampled * GROWTH) {
      paths = await findFrequentPaths(log, size, careful);
      sampled = size;
    }
    let areStored = true;
    const left = size - log.erased().count;
    if (roomLeft() >= left * ORDER_ROW_BYTES)
      areStored = await ask(careful, (question) => prepareOrder(log, size, question));
    const small = paths.filter((path) => !tooLarge.has(pathText(path)));
    for (let from = 0; from < small.length;) {
      const columns = Math.floor(roomLeft() / Math.max(1, left * ROW_BYTES));
      if (columns <= 0) break;
      // The index of an erased log is disposed of. Parts made after that would never be freed.
      if (log.size() < size) throw new LogGoneError('The log has fewer rows than it had.');
      const group = small.slice(from, from + columns);
      areStored = (await ask(careful, (question) => prepareColumns(log, group, size, question))) && areStored;
      from += columns;
    }
    for (const path of parts.known.paths().filter((each) => !tooLarge.has(pathText(each)))) {
      if (log.chunks?.isScarce?.() === true) break;
      const store = (question: QuestionTools) => parts.columnOf(path, question).save(question.pacer, true);
      areStored = (await ask(careful, store)) && areStored;
    }
    // What could not be stored, because of another write for instance, is offered again next time.
    if (areStored) prepared = { size, version };
  };
}
