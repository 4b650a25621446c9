import { SILENT_METER, type Meter } from '../../base/metrics.ts';
import { pathText } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import type { EventLog } from '../log/log.ts';
import { indexColumns, readInSteps, type ReadRows } from '../column/index-columns.ts';
import type { QuestionTools } from '../sources/question.ts';
import { AHEAD_BYTES, readAhead } from './reading-ahead.ts';

/** With fewer rows a question is answered before a thread would begin. */
const MANY_ROWS = 131_072;

/** Indexes columns for a question, up to `size` rows of its log, and stores their whole segments. */
export type IndexColumns = (
  log: EventLog,
  columns: readonly Column[],
  size: number,
  question: Pick<QuestionTools, 'pacer' | 'reservation'>,
) => Promise<void> | undefined;

/**
 * Makes the function that indexes columns for questions. It uses other threads if there are many rows to read
 * and memory for the rows on their way, and otherwise reads in this thread. While other threads read a path
 * for one question, other questions about that path wait. Otherwise the same rows would be read for each.
 */
export function createColumnIndexing(meter: Meter = SILENT_METER): IndexColumns {
  /** The paths that other threads read for a question, with a promise for the end of that question. */
  const readers = new Map<string, Promise<void>>();
  const begun = () => meter.count('event_query_log_reads_total', { cause: 'cold' });

  async function index(
    ...[log, columns, size, { pacer, reservation }]: Parameters<IndexColumns>
  ): Promise<void> {
    const here = readInSteps(log, pacer);
    let own: ReadRows | undefined;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));

    function choose(rows: number): ReadRows {
      const ahead = rows < MANY_ROWS ? undefined : readAhead(log, size, here);
      return ahead !== undefined && reservation.reserve(AHEAD_BYTES) ? ahead : here;
    }

    const read: ReadRows = async (paths, from, to) => {
      const texts = paths.map(pathText);
      if (own === undefined) {
        const other = texts.map((text) => readers.get(text)).find((each) => each !== undefined);
        if (other !== undefined) {
          await other;
          return [];
        }
        own = choose(size - from);
      }
      if (own === here) return here(paths, from, to);
      // A question that has begun to read never waits, so no two questions wait for each other.
      for (const text of texts) if (!readers.has(text)) readers.set(text, ended);
      try {
        return await own(paths, from, to);
      } catch {
        // A thread has died, or the log was erased. In the second case reading here fails too.
        own = here;
        return here(paths, from, to);
      }
    };

    try {
      await indexColumns(log, columns, size, pacer, read, begun);
    } finally {
      for (const [text, until] of readers) if (until === ended) readers.delete(text);
      end();
    }
    for (const column of columns) await column.save(pacer);
  }

  return (log, columns, size, question) =>
    columns.every(({ indexedRows }) => indexedRows >= size) ? undefined : index(log, columns, size, question);
}
