import { ApiError } from '../../../src/index.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { WHEN_DAMAGED } from '../file/trouble.ts';
import { prepareErasedEnd } from '../log/erased-rows.ts';

/** A tenant's log while batches are stored in it. */
export interface OpenLog {
  readonly number: number;
  readonly version: number;
  /** How many rows it has. */
  readonly size: number;
  /** Whether it has an event of this name. */
  hasName(name: string): boolean;
  /** How many distinct names its events have. */
  countNames(): number;
  /** Adds a name that it does not have. */
  addName(name: string): void;
  /** Records its new number of rows. */
  resize(size: number): void;
}

/** The logs in which batches are stored. */
export interface OpenLogs {
  /**
   * The log of a tenant, created if there is none; must be called within a write transaction. Throws ApiError
   * 404 for a tenant that was dropped.
   */
  open(tenantId: string): OpenLog;
  /** Drops the cache, after a rollback, a removal, or a write by another connection. */
  forget(): void;
}

/** How many logs, and how many characters of names, are cached; beyond either limit all are dropped. */
const LOGS_MAX = 4096;
const LETTERS_MAX = 1_048_576;

/**
 * Prepares the logs. Data cached from the last batch is valid until it is dropped, which is necessary when
 * another connection has written to the file. Reading the log and every name again cost a fifth of the time
 * of a small batch.
 */
export function prepareOpenLogs(database: SqliteDatabase): OpenLogs {
  const select = database.prepare('SELECT number, size, version FROM logs WHERE tenant_id = ?');
  const selectDropped = database.prepare('SELECT id FROM dropped_tenants WHERE id = ?');
  const insert = database.prepare(
    'INSERT INTO logs (tenant_id, size) VALUES (?, 0) RETURNING number, size, version',
  );
  const update = database.prepare('UPDATE logs SET size = ? WHERE number = ?');
  const findErasedEnd = prepareErasedEnd(database);
  const openNames = prepareNames(database, (name) => (letters += name.length));
  const known = new Map<string, OpenLog>();
  let letters = 0;

  function find(tenantId: string): LogRow {
    const row = select.get(tenantId) as LogRow | undefined;
    if (row !== undefined) return row;
    // A dropped tenant has no log, so only tenants without a log need this check.
    if (selectDropped.get(tenantId) !== undefined) throw new ApiError('tenantNotFound');
    return insert.get(tenantId) as LogRow;
  }

  function openAnew(tenantId: string): OpenLog {
    const row = find(tenantId);
    const { number, version } = row;
    if (version > 0 && findErasedEnd(number) > row.size)
      throw new Error(`The number of rows of log ${number} is damaged: ${WHEN_DAMAGED}.`);
    return {
      number,
      version,
      get size() {
        return row.size;
      },
      ...openNames(number),
      resize(size) {
        update.run(size, number);
        row.size = size;
      },
    };
  }

  function forget(): void {
    known.clear();
    letters = 0;
  }

  return {
    forget,
    open(tenantId) {
      if (letters > LETTERS_MAX || known.size > LOGS_MAX) forget();
      let log = known.get(tenantId);
      if (log === undefined) known.set(tenantId, (log = openAnew(tenantId)));
      return log;
    },
  };
}

interface LogRow {
  readonly number: number;
  readonly version: number;
  size: number;
}

/** Prepares the distinct names of logs; calls `note` with each name that it caches. */
function prepareNames(database: SqliteDatabase, note: (name: string) => void) {
  const select = database.prepare('SELECT name FROM event_names WHERE log = ? AND name = ?');
  const insert = database.prepare('INSERT INTO event_names (log, name) VALUES (?, ?)');
  const selectCount = database.prepare('SELECT count(*) AS count FROM event_names WHERE log = ?');
  return (log: number): Pick<OpenLog, 'hasName' | 'countNames' | 'addName'> => {
    const names = new Set<string>();
    let count: number | undefined;
    const remember = (name: string) => {
      names.add(name);
      note(name);
    };
    return {
      hasName(name) {
        if (names.has(name)) return true;
        if (select.get(log, name) === undefined) return false;
        remember(name);
        return true;
      },
      countNames: () => (count ??= (selectCount.get(log) as { count: number }).count),
      addName(name) {
        insert.run(log, name);
        remember(name);
        if (count !== undefined) count += 1;
      },
    };
  };
}
