import type { AuditEntry, ControlChange, ControlStore, StoredDocument } from '../../src/store-kit.ts';
import { codeOf } from '../sql/index.ts';
import { guarded, lend, type PostgresClient, type PostgresPool } from './database.ts';

/**
 * An arbitrary key of the advisory lock under which audit entries get their numbers, held until they are
 * committed.
 */
const NOTES_LOCK = 0x65766e74;

/**
 * Writes an audit entry, if any, as the last statement of a transaction. Later writers wait until the
 * transaction ends, so a reader that has read the entries up to a number misses none below it.
 */
export async function storeAuditEntry(client: PostgresClient, entry: AuditEntry | undefined): Promise<void> {
  if (entry === undefined) return;
  await client.query('select pg_advisory_xact_lock($1)', [NOTES_LOCK]);
  const insert = 'insert into event_query.audit (tenant_id, id, note) values ($1, $2, $3)';
  await client.query(insert, [entry.tenantId, entry.id, JSON.stringify(entry)]);
}

const SELECT = `select kind, id, tenant_id, in_group, place, names, document, version
  from event_query.documents`;

function toDocument(row: Readonly<Record<string, unknown>>): StoredDocument {
  return {
    ...{ kind: row.kind as string, id: row.id as string, tenantId: row.tenant_id as string | null },
    ...{ group: row.in_group as string, place: row.place as string, names: row.names as string[] },
    ...{ value: row.document as object, version: Number(row.version) },
  };
}

/** What PostgreSQL says of a transaction that has to begin again, and what undoes a change that conflicts. */
const CONFLICT = '40001';
/** What it says of one that waits for another that waits for it. */
const DEADLOCK = '40P01';

/** Goes on only if a statement has found or changed its rows. */
function need({ rowCount }: { readonly rowCount: number | null }, rows = 1): void {
  if (rowCount !== rows) throw Object.assign(new Error('A document has changed.'), { code: CONFLICT });
}

/** Removes documents; with that of a tenant, all that belong to the tenant. */
async function remove(client: PostgresClient, documents: readonly StoredDocument[]): Promise<void> {
  for (const { kind, id, version } of inOrder(documents)) {
    const text = 'delete from event_query.documents where kind = $1 and id = $2 and version = $3';
    need(await client.query(text, [kind, id, version]));
  }
  // A change may also name documents that go with their tenant, so those of tenants are removed last.
  const tenants = documents.filter(({ kind }) => kind === 'tenant').map(({ id }) => id);
  if (tenants.length === 0) return;
  await client.query('delete from event_query.documents where tenant_id = any($1)', [tenants]);
}

const INSERT = `insert into event_query.documents
    (kind, id, tenant_id, in_group, place, names, document, version)
  values ($1, $2, $3, $4, $5, $6, $7, 1) on conflict (kind, id) do nothing returning sequence`;
const UPDATE = `update event_query.documents set tenant_id = $3, in_group = $4, place = $5, names = $6,
    document = $7, version = version + 1
  where kind = $1 and id = $2 and version = $8 returning sequence`;
// A name that the document has already is written again, so that it counts as well.
const INSERT_NAMES = `insert into event_query.document_names as known (kind, name, document)
  select $1, name, $2 from unnest($3::text[]) as given (name) order by name
  on conflict (kind, name) do update set document = excluded.document
    where known.document = excluded.document`;

/** Puts a document, without names that it has not had; returns the number of its row. */
async function putRow(client: PostgresClient, document: StoredDocument): Promise<unknown> {
  const { kind, id, tenantId, group, place, names, value, version } = document;
  if (tenantId !== null) {
    // The lock keeps the tenant until the end of the transaction.
    const text = "select 1 from event_query.documents where kind = 'tenant' and id = $1 for key share";
    need(await client.query(text, [tenantId]));
  }
  const values: unknown[] = [kind, id, tenantId, group, place, names, JSON.stringify(value)];
  const stored = await client.query(
    version === 0 ? INSERT : UPDATE,
    version === 0 ? values : [...values, version],
  );
  need(stored);
  const { sequence } = stored.rows[0]!;
  if (version > 0) {
    const text = 'delete from event_query.document_names where document = $1 and name <> all($2)';
    await client.query(text, [sequence, names]);
  }
  return sequence;
}

/** Gives the row of a document its names, if all of them are free. */
async function putNames(
  client: PostgresClient,
  { kind, names }: StoredDocument,
  sequence: unknown,
): Promise<void> {
  if (names.length > 0) need(await client.query(INSERT_NAMES, [kind, sequence, names]), names.length);
}

/** Documents of all come before those of one tenant, so that changes wait for each other in one order. */
function inOrder(documents: readonly StoredDocument[]): readonly StoredDocument[] {
  const placeOf = ({ kind, id, tenantId }: StoredDocument) => `${tenantId === null ? 0 : 1} ${kind} ${id}`;
  return [...documents].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

async function makeChange(
  client: PostgresClient,
  { puts = [], removes = [], entry }: ControlChange,
): Promise<true> {
  await remove(client, removes);
  // All of them lose names before one gets any, so that a name may go from one to another.
  const rows: (readonly [StoredDocument, unknown])[] = [];
  for (const document of inOrder(puts)) rows.push([document, await putRow(client, document)]);
  for (const [document, sequence] of rows) await putNames(client, document, sequence);
  await storeAuditEntry(client, entry);
  return true;
}

/** The answer to a change that was not made, if only a conflict prevents it. */
function unlessConflict(error: unknown): false {
  if ([CONFLICT, DEADLOCK].includes(codeOf(error))) return false;
  throw error;
}

/** Documents and audit log in PostgreSQL. */
export function postgresControlStore(pool: PostgresPool): ControlStore {
  const read = async (text: string, ...values: unknown[]): Promise<StoredDocument[]> => {
    const { rows } = await guarded(() => pool.query(`${SELECT} ${text}`, values));
    return rows.map(toDocument);
  };
  const numberOf = async (id: string): Promise<number | undefined> => {
    const { rows } = await pool.query('select number from event_query.audit where id = $1', [id]);
    return rows[0] && Number(rows[0].number);
  };
  return {
    get: async (kind, id) => (await read('where kind = $1 and id = $2', kind, id))[0],
    find: async (kind, name) => {
      const sequence = 'select document from event_query.document_names where kind = $1 and name = $2';
      return (await read(`where sequence = (${sequence})`, kind, name))[0];
    },
    list: (kind, group, { ids = null, after = null, size = null } = {}) =>
      read(
        `where kind = $1 and in_group = $2 and ($3::text is null or place > $3)
           and ($4::text[] is null or id = any($4)) order by place, sequence limit $5`,
        ...[kind, group, after, ids, size],
      ),
    commit: (change) =>
      guarded(() =>
        lend(pool, undefined, (loan) => loan.transact('change', () => makeChange(loan, change))).catch(
          unlessConflict,
        ),
      ),
    audit: ({ before, size, tenantIds }) =>
      guarded(async () => {
        const end = before === undefined ? Number.MAX_SAFE_INTEGER : await numberOf(before);
        if (end === undefined) return undefined;
        const text = `select note from event_query.audit
          where number < $1 and ($3::text[] is null or tenant_id = any($3)) order by number desc limit $2`;
        const { rows } = await pool.query(text, [end, size, tenantIds]);
        return rows.map(({ note }) => note as AuditEntry);
      }),
    trimAudit: (notesMax) =>
      guarded(async () => {
        const text = `delete from event_query.audit where number in (select number from (
          select number, row_number() over (partition by tenant_id order by number desc) as place
          from event_query.audit) as placed where place > $1)`;
        await pool.query(text, [notesMax]);
      }),
  };
}
