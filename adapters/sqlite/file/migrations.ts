/**
 * The schema as a list of migrations. A released migration never changes; `PRAGMA user_version` counts those
 * that a file has had.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- All that is no event: tenants, keys, credentials, views, counts. The columns are what a store has to know
  -- of a document, which is JSON. A tenant has the id of its document, and no tenant_id.
  CREATE TABLE documents (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    tenant_id TEXT,
    in_group TEXT NOT NULL,
    place TEXT NOT NULL,
    names TEXT NOT NULL,
    document TEXT NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  CREATE INDEX documents_in_group ON documents (kind, in_group, place, sequence);
  CREATE INDEX documents_of_tenant ON documents (tenant_id) WHERE tenant_id IS NOT NULL;

  -- The names by which documents are found, as the documents list them.
  CREATE TABLE document_names (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX names_of_document ON document_names (document);

  -- Tenants that were deleted permanently: nothing is stored for them any more.
  CREATE TABLE dropped_tenants (
    id TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;

  -- Buckets for any windows: used is a JSON array with an integer for each window.
  CREATE TABLE buckets (
    id TEXT PRIMARY KEY,
    used TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The audit entries, each written together with its change. An entry is requested by its id, which reveals
  -- nothing about others.
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT,
    note TEXT NOT NULL,
    id TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_of_tenant ON audit (tenant_id, number);
  CREATE UNIQUE INDEX audit_by_id ON audit (id);

  -- One log of events for each tenant. A number is never reused, so that a new log after an erasure has
  -- another number; a log without a tenant was erased, and its events are yet to be removed. The version is
  -- incremented when some events of a log are erased: what was derived from its rows then belongs to another
  -- version. Columns are stored under log + version * 2^21.
  CREATE TABLE logs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT UNIQUE,
    size INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- The source of truth. id = log * 2^32 + row, and the rows of a log are numbered from 0 without gaps. An
  -- event arrived by the server's clock in milliseconds; null if it came without that.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    log INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    insert_id TEXT NOT NULL,
    name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    properties BLOB NOT NULL,
    received_at INTEGER,
    UNIQUE (log, ts, insert_id)
  ) STRICT;
  -- The positions of large events, so that a range of rows can be read in steps of bounded size. SQLite
  -- before 3.43 has no octet_length; the length of a blob is the same number, and known without reading it.
  CREATE INDEX large_events ON events (id, length(properties)) WHERE length(properties) > 4096;

  -- The distinct names of each log's events, so that neither listing nor limiting them reads the events.
  CREATE TABLE event_names (
    log INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (log, name)
  ) STRICT, WITHOUT ROWID;

  -- The erased rows of a log, one bit for each of 32,768 rows: no other row moves, and no number is reused.
  -- The rows before swept are removed; the others are only hidden so far.
  CREATE TABLE erased_rows (
    log INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    count INTEGER NOT NULL,
    bits BLOB NOT NULL,
    swept INTEGER NOT NULL,
    PRIMARY KEY (log, chunk)
  ) STRICT;
  CREATE INDEX erased_rows_to_sweep ON erased_rows (log, chunk) WHERE swept < 32768;

  -- A cache that can be rebuilt from the events: deleting it loses nothing.
  CREATE TABLE column_chunks (
    log INTEGER NOT NULL,
    path TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    entries TEXT NOT NULL,
    codes BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (log, path, chunk)
  ) STRICT;

  -- The size of each path's chunks, and when they were last used: using a chunk counts as using its path.
  CREATE TABLE column_paths (
    log INTEGER NOT NULL,
    path TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (log, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX column_paths_by_use ON column_paths (used);
  `,
];
