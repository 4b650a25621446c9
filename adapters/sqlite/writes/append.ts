import type { AppendOptions, AppendResult, StoredEvent } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { LOGS_MAX, ROWS_PER_LOG } from '../log/log-name.ts';
import { prepareGiveWay } from './erase-rows.ts';
import type { OpenLogs } from './open-logs.ts';

/** An event whose properties may already be in the engine's binary form. */
export type WrittenEvent = Omit<StoredEvent, 'propertiesJson'> & {
  readonly propertiesJson: string | Uint8Array;
};

/** Stores a batch; must be called within a write transaction. */
type Append = (tenantId: string, events: readonly WrittenEvent[], options?: AppendOptions) => AppendResult;

/** Converts JSON texts to the engine's binary form; it does not access the file. */
type Encode = (texts: readonly string[]) => Uint8Array[];

/** Prepares the only operation that writes events to the file. */
export function prepareAppend(
  database: SqliteDatabase,
  logs: OpenLogs,
): { readonly append: Append; readonly encode: Encode } {
  const toBinary = database.prepare('SELECT jsonb(?) AS binary');
  const giveWay = prepareGiveWay(database);
  const insert = database.prepare(
    `INSERT INTO events (id, log, ts, insert_id, name, user_id, properties, received_at)
     VALUES (?, ?, ?, ?, ?, ?, jsonb(?), ?)
     ON CONFLICT (log, ts, insert_id) DO NOTHING`,
  );

  const append: Append = (tenantId, events, { namesMax = Infinity } = {}) => {
    // Rows are numbered under the write lock, so that several processes number them without gaps.
    const log = logs.open(tenantId);
    const { number, size, version } = log;
    if (number >= LOGS_MAX || size + events.length > ROWS_PER_LOG)
      throw new Error('The file has no room for more rows.');
    const base = number * ROWS_PER_LOG;
    const duplicates: number[] = [];
    const overNames: number[] = [];
    let row = size;
    for (let i = 0; i < events.length; i++) {
      const { eventTs, insertId, eventName, userId, propertiesJson, receivedAt = null } = events[i]!;
      const isNewName = !log.hasName(eventName);
      if (isNewName && log.countNames() >= namesMax) {
        overNames.push(i);
        continue;
      }
      const names = [insertId, eventName, userId] as const;
      const fields = [base + row, number, eventTs, ...names, propertiesJson, receivedAt] as const;
      let { changes } = insert.run(...fields);
      if (Number(changes) === 0 && version > 0 && giveWay(number, eventTs, insertId)) {
        ({ changes } = insert.run(...fields));
      }
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
  const encode: Encode = (texts) =>
    texts.map((text) => (toBinary.get(text) as { binary: Uint8Array }).binary);
  return { append, encode };
}
