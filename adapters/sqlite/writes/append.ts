import { ApiError, type AppendOptions, type AppendResult, type StoredEvent } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import { ROWS_PER_LOG } from '../log/event-log.ts';

/** An id is a whole number below 2^53, which leaves this many logs. */
const LOGS_MAX = 2 ** 21;

/** A log as its table has it. */
interface LogRow {
  readonly number: number;
  readonly size: number;
}

/** Stores a batch; to be called within a write transaction. */
type Append = (tenantId: string, events: readonly StoredEvent[], options?: AppendOptions) => AppendResult;

/** Prepares the one way in which events get into the file. */
export function prepareAppend(database: SqliteDatabase): { readonly append: Append } {
  const selectLog = database.prepare('SELECT number, size FROM logs WHERE tenant_id = ?');
  const selectDropped = database.prepare('SELECT id FROM dropped_tenants WHERE id = ?');
  const insertLog = database.prepare(
    'INSERT INTO logs (tenant_id, size) VALUES (?, 0) RETURNING number, size',
  );
  const resize = database.prepare('UPDATE logs SET size = ? WHERE number = ?');
  const openNames = prepareNames(database);
  const insert = database.prepare(
    `INSERT INTO events (id, log, ts, insert_id, name, user_id, properties)
     VALUES (?, ?, ?, ?, ?, ?, jsonb(?))
     ON CONFLICT (log, ts, insert_id) DO NOTHING`,
  );

  function openLog(tenantId: string): LogRow {
    const log = selectLog.get(tenantId) as LogRow | undefined;
    if (log !== undefined) return log;
    // A dropped tenant has no log, so only those without one are looked up.
    if (selectDropped.get(tenantId) !== undefined) throw new ApiError('tenantNotFound');
    return insertLog.get(tenantId) as LogRow;
  }

  const append: Append = (tenantId, events, { namesMax = Infinity } = {}) => {
    // Rows are numbered behind the write lock, so that several processes number them without a gap.
    const { number, size } = openLog(tenantId);
    if (number >= LOGS_MAX || size + events.length > ROWS_PER_LOG)
      throw new Error('The file has no room for more rows.');
    const base = number * ROWS_PER_LOG;
    const names = openNames(number, namesMax);
    const duplicates: number[] = [];
    const overNames: number[] = [];
    let row = size;
    for (let i = 0; i < events.length; i++) {
      const { eventTs, insertId, eventName, userId, propertiesJson } = events[i]!;
      if (!names.mayHave(eventName)) {
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
      names.add(eventName);
      row += 1;
    }
    resize.run(row, number);
    return { duplicates, overNames };
  };
  return { append };
}

/** The distinct names of one log while a batch is stored. */
interface Names {
  /** Whether an event of this name may be stored. */
  mayHave(name: string): boolean;
  /** Notes that one was stored. */
  add(name: string): void;
}

function prepareNames(database: SqliteDatabase): (log: number, namesMax: number) => Names {
  const select = database.prepare('SELECT name FROM event_names WHERE log = ? AND name = ?');
  const insert = database.prepare('INSERT INTO event_names (log, name) VALUES (?, ?)');
  const selectCount = database.prepare('SELECT count(*) AS count FROM event_names WHERE log = ?');
  return (log, namesMax) => {
    /** Whether the log has a name, for those of the batch. */
    const known = new Map<string, boolean>();
    let count: number | undefined;
    const has = (name: string) => {
      const before = known.get(name) ?? select.get(log, name) !== undefined;
      known.set(name, before);
      return before;
    };
    return {
      mayHave(name) {
        if (has(name)) return true;
        count ??= (selectCount.get(log) as { count: number }).count;
        return count < namesMax;
      },
      add(name) {
        if (has(name)) return;
        insert.run(log, name);
        known.set(name, true);
        count! += 1;
      },
    };
  };
}
