import { SILENT_METER, type Meter } from '../../base/metrics.ts';
import { pathText } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import type { EventLog } from '../log/log.ts';
import { coverColumns, readInSteps, type ReadRows } from '../column/cover-columns.ts';
import type { QuestionTools } from '../sources/question.ts';
import { AHEAD_BYTES, readAhead } from './reading-ahead.ts';

/** Of fewer rows a question is answered sooner than a thread begins. */
const MANY_ROWS = 131_072;

/** Covers columns for a question, up to some rows. */
export type CoverForQuestion = (
  columns: readonly Column[],
  size: number,
  question: Pick<QuestionTools, 'pacer' | 'reservation'>,
) => Promise<void>;

/**
 * Makes what covers the columns of a log for questions: with other threads where there are many rows to read
 * and room for what is on its way, and alone where they are not to be had. What they read for one question
 * the others wait for: if each had them read its own rows, all would be read as often as there are questions.
 */
export function createCovering(log: EventLog, meter: Meter = SILENT_METER): CoverForQuestion {
  /** Which paths are read by other threads for a question, and until when. */
  const readers = new Map<string, Promise<void>>();
  const begun = () => meter.count('event_query_log_reads_total', { cause: 'cold' });

  return async (columns, size, { pacer, reservation }) => {
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
      // Who reads already waits for nobody, so that no two wait for each other.
      for (const text of texts) if (!readers.has(text)) readers.set(text, ended);
      try {
        return await own(paths, from, to);
      } catch {
        // A thread has died, or the log was erased, which shows here too.
        own = here;
        return here(paths, from, to);
      }
    };

    try {
      await coverColumns(log, columns, size, pacer, read, begun);
    } finally {
      for (const [text, until] of readers) if (until === ended) readers.delete(text);
      end();
    }
  };
}
