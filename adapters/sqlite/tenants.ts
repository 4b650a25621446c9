import type { TenantStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import type { FileWatch } from './file/watch.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';
import { TENANT_COLUMNS, toConfig, toTenant } from './writes/tenants.ts';

/** Tenants in a SQLite file. */
export function sqliteTenantStore(database: SqliteDatabase, writer: Writer, watch: FileWatch): TenantStore {
  const select = `SELECT ${TENANT_COLUMNS} FROM tenants`;
  const selectById = database.prepare(`${select} WHERE id = ?`);
  const selectByAlias = database.prepare(`${select} WHERE alias = ?`);
  const selectConfig = database.prepare('SELECT remote_config FROM tenants WHERE id = ?');
  const selectAll = database.prepare(`${select} WHERE alias > ? ORDER BY alias LIMIT ?`);
  const selectSome = database.prepare(
    `${select} WHERE alias > ? AND id IN (SELECT value FROM json_each(?))
     ORDER BY alias LIMIT ?`,
  );
  const findById = watch.remember((id) => toTenant(selectById.get(id)));
  const findByAlias = watch.remember((alias) => toTenant(selectByAlias.get(alias)));
  return {
    create: (...args) => writer.run('createTenant', args),
    findById: (id) => promised(() => findById(id)),
    findByAlias: (alias) => promised(() => findByAlias(alias)),
    list: ({ ids = null, after = '', size = -1 } = {}) =>
      promised(() => {
        const rows =
          ids === null ? selectAll.all(after, size) : selectSome.all(after, JSON.stringify(ids), size);
        return rows.map((row) => toTenant(row)!);
      }),
    update: (...args) => writer.run('updateTenant', args),
    delete: async (...args) => {
      const removed = await writer.run('deleteTenant', args);
      await emptyLog(writer);
      return removed;
    },
    remoteConfig: (id) => promised(() => toConfig(selectConfig.get(id)) ?? []),
    changeRemoteConfig: (...args) => writer.run('changeRemoteConfig', args),
  };
}
