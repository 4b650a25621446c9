import { ApiError } from '../../src/index.ts';
import type { AppendResult, EventQuery, StoredEvent } from '../../src/store-kit.ts';
import { createDraft, EVERYTHING, keyOf, planBatch, resultOf, writeWhere } from '../sql/index.ts';
import type { Loan, PostgresClient, PostgresResult } from './database.ts';
import { POSTGRES } from './dialect.ts';

/** Appends share this lock; erase and drop hold it exclusively. */
const LOCK_TENANT = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const SHARE_TENANT = 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))';
/** Held while names are added, so that their count is exact. */
const LOCK_NAMES = 'select pg_advisory_xact_lock(hashtextextended($1, 1))';

const APPEND_KNOWN = 'select * from event_query.append_known($1, $2, $3, $4, $5, $6, $7)';

const NAMES = 'select event_name from event_query.event_names where tenant = $1';

/** Stores a batch, in one statement if the tenant already has all its names, as for most batches. */
export async function append(
  loan: Loan,
  tenantId: string,
  events: readonly StoredEvent[],
  namesMax: number,
): Promise<AppendResult> {
  const { fresh } = planBatch(events);
  const judged = () => loan.transact('change', () => judge(loan, tenantId, events, namesMax));
  // A duplicate with another name is checked against the limit of names first.
  const names = new Set([...fresh.values()].map(({ eventName }) => eventName));
  if (!events.every(({ eventName }) => names.has(eventName))) return judged();
  const { rows } = await loan.query(APPEND_KNOWN, [tenantId, ...toArrays(fresh)]);
  const verdict = rows[0]?.verdict;
  if (verdict === 'dropped') throw new ApiError('tenantNotFound');
  return verdict === 'new names' ? judged() : resultOf(events, storedOf(fresh, rows), []);
}

/** Checks and stores a batch with new names within a transaction. */
async function judge(
  client: PostgresClient,
  tenantId: string,
  events: readonly StoredEvent[],
  namesMax: number,
): Promise<AppendResult> {
  await client.query(SHARE_TENANT, [tenantId]);
  const dropped = await client.query('select from event_query.dropped_tenants where tenant = $1', [tenantId]);
  if (dropped.rows.length > 0) throw new ApiError('tenantNotFound');
  await client.query(LOCK_NAMES, [tenantId]);
  const present = await findPresent(client, tenantId, events);
  const names = await readNames(client, tenantId);
  const { fresh, overNames } = planBatch(events, { present, names, namesMax });
  const stored = await insert(client, tenantId, fresh);
  await addNames(client, tenantId, stored, names);
  return resultOf(events, stored, overNames);
}

async function findPresent(client: PostgresClient, tenantId: string, events: readonly StoredEvent[]) {
  const { rows } = await client.query(
    `select ts, insert_id from unnest($2::bigint[], $3::text[]) as sent (ts, insert_id)
     join event_query.events using (ts, insert_id) where tenant = $1`,
    [tenantId, events.map(({ eventTs }) => eventTs), events.map(({ insertId }) => insertId)],
  );
  return new Set(rows.map(({ ts, insert_id }) => keyOf(ts as string, insert_id as string)));
}

async function readNames(client: PostgresClient, tenantId: string): Promise<Set<string>> {
  const { rows } = await client.query(NAMES, [tenantId]);
  return new Set(rows.map(({ event_name }) => event_name as string));
}

/** Inserts events; returns those that no concurrent transaction has stored. */
async function insert(client: PostgresClient, tenantId: string, fresh: ReadonlyMap<string, StoredEvent>) {
  const { rows } = await client.query(
    `insert into event_query.events (tenant, ts, insert_id, event_name, user_id, properties, received_at)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
     on conflict (tenant, ts, insert_id) do nothing returning ts as stored_ts, insert_id as stored_id`,
    [tenantId, ...toArrays(fresh)],
  );
  return storedOf(fresh, rows);
}

/** Events as columns, in the order of the statements' parameters. */
function toArrays(fresh: ReadonlyMap<string, StoredEvent>): unknown[][] {
  const batch = [...fresh.values()];
  return [
    batch.map(({ eventTs }) => eventTs),
    batch.map(({ insertId }) => insertId),
    batch.map(({ eventName }) => eventName),
    batch.map(({ userId }) => userId),
    batch.map(({ propertiesJson }) => propertiesJson),
    batch.map(({ receivedAt }) => receivedAt ?? null),
  ];
}

function storedOf(fresh: ReadonlyMap<string, StoredEvent>, rows: PostgresResult['rows']): StoredEvent[] {
  return rows.map(({ stored_ts: ts, stored_id: id }) => fresh.get(keyOf(ts as string, id as string))!);
}

async function addNames(
  client: PostgresClient,
  tenantId: string,
  stored: readonly StoredEvent[],
  known: ReadonlySet<string>,
): Promise<void> {
  const added = [...new Set(stored.map(({ eventName }) => eventName))].filter((name) => !known.has(name));
  if (added.length === 0) return;
  await client.query(
    'insert into event_query.event_names select $1, * from unnest($2::text[]) on conflict do nothing',
    [tenantId, added],
  );
}

/** Removes the matching events of a tenant within a transaction; returns how many there were. */
export async function erase(client: PostgresClient, tenantId: string, query?: EventQuery): Promise<number> {
  await client.query(LOCK_TENANT, [tenantId]);
  const draft = createDraft(POSTGRES);
  const where = writeWhere(POSTGRES, tenantId, query ?? EVERYTHING, draft);
  const { rowCount } = await client.query(`delete from event_query.events where ${where}`, draft.values);
  await client.query(
    `delete from event_query.event_names as names where tenant = $1 and not exists (
       select from event_query.events where tenant = $1 and event_name = names.event_name)`,
    [tenantId],
  );
  return rowCount ?? 0;
}
