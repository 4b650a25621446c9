import type { AdminStore, AuditEntry } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import type { Writer } from './writer/writer.ts';
import { toPass } from './writes/admins.ts';

/** The credentials and the audit log in a SQLite file. */
export function sqliteAdminStore(database: SqliteDatabase, writer: Writer): AdminStore {
  const selectByHash = database.prepare('SELECT * FROM credentials WHERE hash = ?');
  const selectAll = database.prepare('SELECT * FROM credentials ORDER BY sequence');
  const selectNumber = database.prepare('SELECT number FROM audit WHERE id = ?');
  const selectPage = database.prepare('SELECT note FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?');
  const selectPageOf = database.prepare(
    `SELECT note FROM audit WHERE number < ? AND tenant_id IN (SELECT value FROM json_each(?))
     ORDER BY number DESC LIMIT ?`,
  );
  const numberOf = (id: string) => (selectNumber.get(id) as { number: number } | undefined)?.number;
  return {
    create: (...args) => writer.run('createPass', args),
    findByHash: (hash) => promised(() => toPass(selectByHash.get(hash))),
    list: () => promised(() => selectAll.all().map((row) => toPass(row)!)),
    touch: (...args) => writer.run('touchPass', args),
    renew: (...args) => writer.run('renewPass', args),
    remove: (...args) => writer.run('removePass', args),
    audit: ({ before, size, tenantIds }) =>
      promised(() => {
        const end = before === undefined ? Number.MAX_SAFE_INTEGER : numberOf(before);
        if (end === undefined) return undefined;
        const rows =
          tenantIds === null
            ? selectPage.all(end, size)
            : selectPageOf.all(end, JSON.stringify(tenantIds), size);
        return rows.map((row) => JSON.parse((row as { note: string }).note) as AuditEntry);
      }),
    trimAudit: (...args) => writer.run('trimAudit', args),
    spend: (...args) => writer.run('spend', args),
  };
}
