import { compareViews, type SavedView, type ViewStore } from '../../src/store-kit.ts';
import { storeAuditEntry } from './admins.ts';
import { guarded, transact, type PostgresClient, type PostgresPool } from './database.ts';

/** An arbitrary key of the advisory lock under which views are named and counted. */
const VIEWS_LOCK = 0x65767677;

/** Saved views in PostgreSQL, each as one JSON value plus the columns for lookups. */
export function postgresViewStore(pool: PostgresPool): ViewStore {
  const isTaken = async (client: PostgresClient, { id, tenantId, owner, name }: SavedView) => {
    const text = `select id from event_query.views
      where tenant_id = $1 and owner = $2 and name = $3 and id <> $4`;
    return (await client.query(text, [tenantId, owner ?? '', name, id])).rows.length > 0;
  };
  const countOf = async (client: PostgresClient, { tenantId, owner }: SavedView) => {
    const { rows } =
      owner === null
        ? await client.query(
            "select count(*) as count from event_query.views where tenant_id = $1 and owner = ''",
            [tenantId],
          )
        : await client.query('select count(*) as count from event_query.views where owner = $1', [owner]);
    return Number(rows[0]?.count);
  };
  return {
    list: (tenantId, owner) =>
      guarded(async () => {
        const text = "select view from event_query.views where tenant_id = $1 and owner in ('', $2)";
        const { rows } = await pool.query(text, [tenantId, owner]);
        return rows.map(({ view }) => view as SavedView).sort(compareViews);
      }),
    create: (view, max, entry) =>
      transact(pool, async (client) => {
        await client.query('select pg_advisory_xact_lock($1)', [VIEWS_LOCK]);
        if (await isTaken(client, view)) return 'taken';
        if ((await countOf(client, view)) >= max) return 'full';
        const { id, tenantId, owner, name } = view;
        await client.query(
          'insert into event_query.views (id, tenant_id, owner, name, view) values ($1, $2, $3, $4, $5)',
          [id, tenantId, owner ?? '', name, JSON.stringify(view)],
        );
        await storeAuditEntry(client, entry);
        return 'created';
      }),
    change: (id, changes, entry) =>
      transact(pool, async (client) => {
        await client.query('select pg_advisory_xact_lock($1)', [VIEWS_LOCK]);
        const { rows } = await client.query('select view from event_query.views where id = $1', [id]);
        if (rows[0] === undefined) return undefined;
        const after = { ...(rows[0].view as SavedView), ...changes };
        if (await isTaken(client, after)) return 'taken';
        const update = 'update event_query.views set name = $2, view = $3 where id = $1';
        const { rowCount } = await client.query(update, [id, after.name, JSON.stringify(after)]);
        // A removal does not wait for the lock, so it may have come between.
        if (rowCount !== 1) return undefined;
        await storeAuditEntry(client, entry);
        return after;
      }),
    remove: (id, entry) =>
      transact(pool, async (client) => {
        const { rowCount } = await client.query('delete from event_query.views where id = $1', [id]);
        if (rowCount === 1) await storeAuditEntry(client, entry);
        return rowCount === 1;
      }),
    erase: (tenantId) =>
      guarded(async () => {
        await pool.query('delete from event_query.views where tenant_id = $1', [tenantId]);
      }),
  };
}
