import type { Tenant } from '../../src/index.ts';
import { withConfigChange, type ConfigEntry, type TenantStore } from '../../src/store-kit.ts';
import { storeAuditEntry } from './admins.ts';
import { guarded, transact, type PostgresPool } from './database.ts';

/** Tenants in PostgreSQL, each as one JSON value plus the columns for lookups. */
export function postgresTenantStore(pool: PostgresPool): TenantStore {
  const read = async (text: string, ...values: unknown[]): Promise<Tenant[]> => {
    const { rows } = await guarded(() => pool.query(text, values));
    return rows.map(({ tenant }) => tenant as Tenant);
  };
  const select = 'select tenant from event_query.tenants';
  const selectConfig = 'select remote_config from event_query.tenants';
  return {
    create: (tenant, entry) =>
      transact(pool, async (client) => {
        const insert = `insert into event_query.tenants (id, alias, tenant) values ($1, $2, $3)
          on conflict (alias) do nothing`;
        const { rowCount } = await client.query(insert, [tenant.id, tenant.alias, JSON.stringify(tenant)]);
        if (rowCount === 1) await storeAuditEntry(client, entry);
        return rowCount === 1;
      }),
    findById: async (id) => (await read(`${select} where id = $1`, id))[0],
    findByAlias: async (alias) => (await read(`${select} where alias = $1`, alias))[0],
    list: ({ ids = null, after = '', size } = {}) =>
      read(
        `${select} where alias > $1 and ($2::text[] is null or id = any($2)) order by alias limit $3`,
        ...[after, ids, size ?? null],
      ),
    update: (id, changes, entry) =>
      transact(pool, async (client) => {
        const { rows } = await client.query(`${select} where id = $1 for update`, [id]);
        if (rows[0] === undefined) return undefined;
        const after: Tenant = { ...(rows[0].tenant as Tenant), ...changes };
        const update = 'update event_query.tenants set tenant = $2 where id = $1';
        await client.query(update, [id, JSON.stringify(after)]);
        await storeAuditEntry(client, entry);
        return after;
      }),
    delete: (id, entry) =>
      transact(pool, async (client) => {
        const { rowCount } = await client.query('delete from event_query.tenants where id = $1', [id]);
        if (rowCount === 1) await storeAuditEntry(client, entry);
        return rowCount === 1;
      }),
    remoteConfig: async (id) => {
      const { rows } = await guarded(() => pool.query(`${selectConfig} where id = $1`, [id]));
      return (rows[0]?.remote_config ?? []) as ConfigEntry[];
    },
    changeRemoteConfig: (id, change, entry) =>
      transact(pool, async (client) => {
        const { rows } = await client.query(`${selectConfig} where id = $1 for update`, [id]);
        if (rows[0] === undefined) return undefined;
        const before = rows[0].remote_config as ConfigEntry[];
        const after = withConfigChange(before, change);
        if (after === 'full' || after === before) return after;
        const update = 'update event_query.tenants set remote_config = $2 where id = $1';
        await client.query(update, [id, JSON.stringify(after)]);
        await storeAuditEntry(client, entry);
        return after;
      }),
  };
}
