import Database from 'better-sqlite3';
import type { StoredEvent } from '../../../src/store-kit.ts';

/** The schema as event-query 0.1 wrote it, to the letter. Files like this exist: it never changes. */
const SCHEMA_1 = `
  CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    alias TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    auth_strategy TEXT NOT NULL,
    jwt TEXT,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_keys (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    permissions TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
  ) STRICT;
  CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id);

  CREATE TABLE key_secrets (
    sequence INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE INDEX key_secrets_of_key ON key_secrets (key_id);

  CREATE TABLE buckets (
    key_id TEXT PRIMARY KEY,
    minute_used INTEGER NOT NULL,
    day_used INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE logs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT UNIQUE,
    size INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    log INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    insert_id TEXT NOT NULL,
    name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    properties BLOB NOT NULL,
    UNIQUE (log, ts, insert_id)
  ) STRICT;

  CREATE TABLE column_chunks (
    log INTEGER NOT NULL,
    path TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    entries TEXT NOT NULL,
    codes BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (log, path, chunk)
  ) STRICT;
  PRAGMA application_id = 1702261873;
  PRAGMA user_version = 1;
`;

/** Makes a file of the first version, for the test to fill with SQL of its own. */
export function createFirstVersion(file: string): Database.Database {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.exec(SCHEMA_1);
  return database;
}

/** Adds a log of `count` events to a file of the first version; `eventOf` makes one. */
export function addFirstVersionLog(
  database: Database.Database,
  { number, tenantId, count }: { number: number; tenantId: string; count: number },
  eventOf: (i: number) => StoredEvent,
): void {
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, jsonb(?))');
  database.transaction(() => {
    database
      .prepare('INSERT INTO logs (number, tenant_id, size) VALUES (?, ?, ?)')
      .run(number, tenantId, count);
    for (let row = 0; row < count; row++) {
      const { eventTs, insertId, eventName, userId, propertiesJson } = eventOf(row);
      insert.run(number * 2 ** 32 + row, number, eventTs, insertId, eventName, userId, propertiesJson);
    }
  })();
}
