import type { AppendOptions, AppendResult, StoredEvent } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import { ROWS_PER_LOG } from '../log/event-log.ts';
import type { OpenLogs } from './open-logs.ts';

/** An id is a whole number below 2^53, which leaves this many logs. */
const LOGS_MAX = 2 ** 21;

/** Stores a batch; to be called within a write transaction. */
type Append = (tenantId: string, events: readonly StoredEvent[], options?: AppendOptions) => AppendResult;

/** Prepares the one way in which events get into the file. */
export function prepareAppend(database: SqliteDatabase, logs: OpenLogs): { readonly append: Append } {
  const insert = database.prepare(
    `INSERT INTO events (id, log, ts, insert_id, name, user_id, properties)
     VALUES (?, ?, ?, ?, ?, ?, jsonb(?))
     ON CONFLICT (log, ts, insert_id) DO NOTHING`,
  );

  const append: Append = (tenantId, events, { namesMax = Infinity } = {}) => {
    // Rows are numbered behind the write lock, so that several processes number them without a gap.
    const log = logs.open(tenantId);
    const { number, size } = log;
    if (number >= LOGS_MAX || size + events.length > ROWS_PER_LOG)
      throw new Error('The file has no room for more rows.');
    const base = number * ROWS_PER_LOG;
    const duplicates: number[] = [];
    const overNames: number[] = [];
    let row = size;
    for (let i = 0; i < events.length; i++) {
      const { eventTs, insertId, eventName, userId, propertiesJson } = events[i]!;
      const isNewName = !log.hasName(eventName);
      if (isNewName && log.countNames() >= namesMax) {
        overNames.push(i);
        continue;
      }
      const { changes } = insert.run(
        base + row,
        number,
        eventTs,
        insertId,
        eventName,
        userId,
        propertiesJson,
      );
      if (Number(changes) === 0) {
        duplicates.push(i);
        continue;
      }
      if (isNewName) log.addName(eventName);
      row += 1;
    }
    log.resize(row);
    return { duplicates, overNames };
  };
  return { append };
}
