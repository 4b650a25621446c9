import { transact, type PostgresClient, type PostgresPool } from './database.ts';
import { CREATE_FUNCTIONS } from './functions.ts';

/** An arbitrary key of the advisory lock under which the schema changes. */
const MIGRATION_LOCK = 0x65767471;

/**
 * The schema as a list of migrations. A released migration never changes. `properties` is the canonical text,
 * which answers contain; `document` is what filters read.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table event_query.tenants (
    id text collate "C" primary key,
    alias text collate "C" not null unique,
    tenant json not null,
    remote_config json not null default '[]'
  );
  create table event_query.dropped_tenants (tenant text collate "C" primary key);
  create table event_query.api_keys (
    sequence bigint generated always as identity primary key,
    id text collate "C" not null unique,
    tenant_id text collate "C" not null,
    key json not null
  );
  create index api_keys_of_tenant on event_query.api_keys (tenant_id);
  create table event_query.key_secrets (
    hash text collate "C" primary key,
    key_id text collate "C" not null
  );
  create index key_secrets_of_key on event_query.key_secrets (key_id);
  create table event_query.buckets (
    id text collate "C" primary key,
    used bigint[] not null,
    updated_at bigint not null
  );
  create table event_query.refusals (
    tenant_id text collate "C" not null,
    reason text collate "C" not null,
    count bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    example text,
    primary key (tenant_id, reason)
  );
  create table event_query.usage_days (
    tenant_id text collate "C" not null,
    day text collate "C" not null,
    requests bigint not null,
    refused bigint not null,
    limited bigint not null,
    events bigint not null,
    rejected bigint not null,
    bytes bigint not null,
    primary key (tenant_id, day)
  );

  create table event_query.credentials (
    sequence bigint generated always as identity primary key,
    id text collate "C" not null unique,
    hash text collate "C" not null unique,
    credential json not null
  );
  create table event_query.audit (
    number bigint generated always as identity primary key,
    tenant_id text collate "C",
    note json not null,
    id text collate "C" not null unique
  );
  create index audit_of_tenant on event_query.audit (tenant_id, number);
  create table event_query.spent (id text collate "C" primary key, until bigint not null);
  create table event_query.views (
    id text collate "C" primary key,
    tenant_id text collate "C" not null,
    owner text collate "C" not null,
    name text collate "C" not null,
    view json not null,
    unique (tenant_id, owner, name)
  );
  create index views_of_owner on event_query.views (owner);

  create table event_query.event_names (
    tenant text collate "C" not null,
    event_name text collate "C" not null,
    primary key (tenant, event_name)
  );
  create table event_query.events (
    tenant text collate "C" not null,
    ts bigint not null,
    insert_id text collate "C" not null,
    event_name text collate "C" not null,
    user_id text collate "C" not null,
    properties text collate "C" not null,
    document jsonb not null generated always as (properties::jsonb) stored,
    received_at bigint,
    primary key (tenant, ts, insert_id)
  ) partition by range (ts);
  create table event_query.events_other partition of event_query.events default;
  create index on event_query.events (tenant, event_name, ts, insert_id);
  create index on event_query.events using gin (document jsonb_path_ops);

  ${CREATE_FUNCTIONS}
  `,
];

/**
 * Migrates a database to this version of the schema, in one transaction; several processes may call it at
 * once. Throws an Error for a database that a newer version has written. `migrations` are those of a schema.
 */
export function migrate(pool: PostgresPool, migrations = MIGRATIONS): Promise<void> {
  return transact(pool, async (client) => {
    await checkIsolation(client);
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('create schema if not exists event_query');
    await client.query('create table if not exists event_query.schema_version (version int not null)');
    const { rows } = await client.query('select max(version) as version from event_query.schema_version');
    const version = Number(rows[0]?.version ?? 0);
    if (version > migrations.length) {
      throw new Error(
        `The database was written by a newer event-query: its schema is version ${version}, and this one ` +
          `knows up to version ${migrations.length}. Upgrade event-query, or use another database.`,
      );
    }
    for (const migration of migrations.slice(version)) await client.query(migration);
    if (version < migrations.length) {
      await client.query('insert into event_query.schema_version values ($1)', [migrations.length]);
    }
  });
}

/**
 * A batch or a take is one statement without an explicit transaction, so it uses the database's default
 * isolation. Under any other level than this one, it would not see what was committed before its lock.
 */
async function checkIsolation(client: PostgresClient): Promise<void> {
  const { rows } = await client.query('show default_transaction_isolation');
  const level = rows[0]?.default_transaction_isolation;
  if (level === 'read committed') return;
  throw new Error(
    `The database begins transactions as "${String(level)}", and the stores need "read committed": ` +
      `alter database … set default_transaction_isolation = 'read committed'`,
  );
}
