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
  create table event_query.documents (
    sequence bigint generated always as identity primary key,
    kind text collate "C" not null,
    id text collate "C" not null,
    tenant_id text collate "C",
    in_group text collate "C" not null,
    place text collate "C" not null,
    names text[] not null,
    document json not null,
    version bigint not null,
    unique (kind, id)
  );
  create index documents_in_group on event_query.documents (kind, in_group, place, sequence);
  create index documents_of_tenant on event_query.documents (tenant_id);
  create table event_query.document_names (
    kind text collate "C" not null,
    name text collate "C" not null,
    document bigint not null references event_query.documents on delete cascade,
    primary key (kind, name)
  );
  create index names_of_document on event_query.document_names (document);
  create table event_query.dropped_tenants (tenant text collate "C" primary key);
  create table event_query.buckets (
    id text collate "C" primary key,
    used bigint[] not null,
    updated_at bigint not null
  );
  create table event_query.audit (
    number bigint generated always as identity primary key,
    tenant_id text collate "C",
    note json not null,
    id text collate "C" not null unique
  );
  create index audit_of_tenant on event_query.audit (tenant_id, number);
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
