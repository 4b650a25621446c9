import {
  compareCodePoints,
  matches,
  toEventView,
  type EventQuery,
  type EventStore,
  type Position,
  type StoredEvent,
} from '../../src/index.ts';
import { promised, transact, type SqliteDatabase } from './database.ts';

const ROWS_PER_LOG = 2 ** 32;

interface LogRow {
  number: number;
  size: number;
}

function compareNewestFirst(a: Position, b: Position): number {
  return b.eventTs - a.eventTs || compareCodePoints(b.insertId, a.insertId);
}

/** Events in a SQLite file. */
export function sqliteEventStore(database: SqliteDatabase): EventStore {
  const selectLog = database.prepare('SELECT number, size FROM logs WHERE tenant_id = ?');
  const insertLog = database.prepare(
    'INSERT INTO logs (tenant_id, size) VALUES (?, 0) RETURNING number, size',
  );
  const resize = database.prepare('UPDATE logs SET size = ? WHERE number = ?');
  const insert = database.prepare(
    `INSERT INTO events (id, log, ts, insert_id, name, user_id, properties) VALUES (?, ?, ?, ?, ?, ?, jsonb(?))
     ON CONFLICT (log, ts, insert_id) DO NOTHING`,
  );
  const select = database.prepare(
    `SELECT ts AS eventTs, insert_id AS insertId, name AS eventName, user_id AS userId, json(properties) AS propertiesJson
     FROM events WHERE log = ? AND ts >= ? AND ts < ? ORDER BY ts DESC, insert_id DESC`,
  );
  const matching = (tenantId: string, { from, until, condition }: EventQuery) => {
    const log = selectLog.get(tenantId) as LogRow | undefined;
    if (log === undefined) return [];
    const events = select.all(log.number, Math.max(from, 0), Math.min(until, 1e15)) as StoredEvent[];
    return events.filter((event) => matches(condition, toEventView(event)));
  };
  return {
    append: (tenantId, events) =>
      promised(() =>
        transact(database, () => {
          const { number, size } = (selectLog.get(tenantId) ?? insertLog.get(tenantId)) as LogRow;
          const duplicates: number[] = [];
          let id = number * ROWS_PER_LOG + size;
          events.forEach(({ eventTs, insertId, eventName, userId, propertiesJson }, index) => {
            const { changes } = insert.run(id, number, eventTs, insertId, eventName, userId, propertiesJson);
            if (Number(changes) === 0) duplicates.push(index);
            else id += 1;
          });
          resize.run(id - number * ROWS_PER_LOG, number);
          return { duplicates };
        }),
      ),
    query: (tenantId, query, { offset, size, after }) =>
      promised(() => {
        const all = matching(tenantId, query);
        const behind =
          after === undefined ? all : all.filter((event) => compareNewestFirst(after, event) < 0);
        return behind.slice(offset, offset + size);
      }),
    count: (tenantId, query) => promised(() => matching(tenantId, query).length),
    eventNames: (tenantId) =>
      promised(() => {
        const all = matching(tenantId, { from: 0, until: Infinity, condition: { kind: 'all', of: [] } });
        return [...new Set(all.map(({ eventName }) => eventName))].sort(compareCodePoints);
      }),
    erase: (tenantId) =>
      promised(() =>
        transact(database, () => {
          const log = selectLog.get(tenantId) as LogRow | undefined;
          if (log === undefined) return;
          database.prepare('DELETE FROM events WHERE log = ?').run(log.number);
          database.prepare('DELETE FROM logs WHERE number = ?').run(log.number);
        }),
      ),
  };
}
