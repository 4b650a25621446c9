import { LogGoneError, type TimeIndex, type IndexedSpan } from '../../../src/store-kit.ts';
import type { SqliteDatabase, SqliteStatement } from '../file/database.ts';
import { ROWS_PER_LOG, type LogName } from './log-name.ts';

/** What a statement answers of the log's version as it was for the statement itself. */
interface Answer {
  readonly answer: string | number;
  readonly version: number | null;
}

/**
 * Prepares the reading of the index that keeps identities unique: it has the events of a log by time, then by
 * id as bytes, which is the order of code points. Each statement also reads the version: rows that an erasure
 * has removed are missing without a trace.
 */
export function prepareTimeIndex(
  database: SqliteDatabase,
): (name: LogName, read: <T>(work: () => T) => T) => TimeIndex {
  // With the sign no planner takes the rows by their ids.
  const prepare = (answer: string, before: string) =>
    database.prepare(
      `SELECT ${answer} AS answer,
         (SELECT version FROM logs WHERE number = ? AND tenant_id IS NOT NULL) AS version
       FROM (SELECT id - ? AS row FROM events
             WHERE log = ? AND ts >= ? AND ${before} AND +id < ? ORDER BY ts DESC, insert_id DESC LIMIT ?)`,
    );
  const prepareBoth = (answer: string) => ({
    whole: prepare(answer, 'ts < ?'),
    behind: prepare(answer, '(ts, insert_id) < (?, ?)'),
  });
  const list = prepareBoth('json_group_array(row)');
  const count = prepareBoth('count(*)');

  return ({ number, version }, read) => {
    const base = number * ROWS_PER_LOG;

    function ask(
      { whole, behind }: Record<'whole' | 'behind', SqliteStatement>,
      { from, until, after, end }: IndexedSpan,
      limit: number,
    ): string | number {
      const bound = [number, base, number, from] as const;
      const found = (
        after === undefined || after.eventTs >= until
          ? whole.get(...bound, until, base + end, limit)
          : behind.get(...bound, after.eventTs, after.insertId, base + end, limit)
      ) as Answer;
      if (found.version !== version) throw new LogGoneError('Some of the log was erased.');
      return found.answer;
    }

    return {
      rows: (span, limit) => read(() => JSON.parse(String(ask(list, span, limit))) as number[]),
      count: (span, limit) => read(() => Number(ask(count, span, limit))),
    };
  };
}
