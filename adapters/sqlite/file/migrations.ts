/**
 * The schema as a list of migrations. A released migration never changes; `PRAGMA user_version` counts those
 * that a file has had.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- A tenant stores the name of its plan, and limits only if they are individual ones. The remote config is a
  -- JSON array of its entries, by key. The days of retention are null for no limit.
  CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    alias TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    auth_strategy TEXT NOT NULL,
    jwt TEXT,
    created_at INTEGER NOT NULL,
    limits TEXT,
    ingestion TEXT NOT NULL DEFAULT '"default"',
    retention_days INTEGER,
    remote_config TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;

  -- Tenants that were deleted permanently: nothing is stored for them any more.
  CREATE TABLE dropped_tenants (
    id TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;

  -- The restrictions of a public write key are JSON.
  CREATE TABLE api_keys (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    permissions TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    restrictions TEXT
  ) STRICT;
  CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id);

  -- The text of a public write key is no secret and is shown again; no other is stored.
  CREATE TABLE key_secrets (
    sequence INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    text TEXT
  ) STRICT;
  CREATE INDEX key_secrets_of_key ON key_secrets (key_id);

  -- Buckets for any windows: used is a JSON array with an integer for each window.
  CREATE TABLE buckets (
    id TEXT PRIMARY KEY,
    used TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What was refused of each tenant, one row for each reason; the example is JSON.
  CREATE TABLE refusals (
    sequence INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    example TEXT,
    UNIQUE (tenant_id, reason)
  ) STRICT;

  -- How much each tenant was used over HTTP, one row for each UTC day.
  CREATE TABLE usage_days (
    sequence INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    day TEXT NOT NULL,
    requests INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    limited INTEGER NOT NULL,
    events INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    UNIQUE (tenant_id, day)
  ) STRICT;

  -- The credentials for administration. JSON: the tenants of an admin, those that it may view, the identity
  -- of a session at its provider, and who made the link that a session came from and when it ends at the
  -- latest.
  CREATE TABLE credentials (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    tenant_ids TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    viewed_ids TEXT DEFAULT '[]',
    identity TEXT,
    invitation TEXT
  ) STRICT;

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

  -- Single-use ids that were used; a row matters until the id would be too old in any case.
  CREATE TABLE spent (
    id TEXT PRIMARY KEY,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Questions that people have saved. The owner is empty for a view of the tenant.
  CREATE TABLE views (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    question TEXT NOT NULL,
    made_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (tenant_id, owner, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX views_of_owner ON views (owner);

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
