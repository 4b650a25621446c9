import type { AdminStore, AuditNote } from '../../src/index.ts';
import { promised, type SqliteDatabase } from './database.ts';
import type { Writer } from './writer/writer.ts';
import { toPass } from './writes/admins.ts';

interface AuditRow {
  number: number;
  note: string;
}

/** Who may administer, and what was changed, in a SQLite file. */
export function sqliteAdminStore(database: SqliteDatabase, writer: Writer): AdminStore {
  const selectByHash = database.prepare('SELECT * FROM passes WHERE hash = ?');
  const selectAll = database.prepare('SELECT * FROM passes ORDER BY sequence');
  const selectPage = database.prepare('SELECT * FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?');
  const selectPageOf = database.prepare(
    `SELECT * FROM audit WHERE number < ? AND tenant_id IN (SELECT value FROM json_each(?))
     ORDER BY number DESC LIMIT ?`,
  );
  return {
    create: (...args) => writer.run('createPass', args),
    findByHash: (hash) => promised(() => toPass(selectByHash.get(hash))),
    list: () => promised(() => selectAll.all().map((row) => toPass(row)!)),
    touch: (...args) => writer.run('touchPass', args),
    renew: (...args) => writer.run('renewPass', args),
    remove: (...args) => writer.run('removePass', args),
    audit: ({ before = Number.MAX_SAFE_INTEGER, size, tenantIds }) =>
      promised(() => {
        const rows =
          tenantIds === null
            ? selectPage.all(before, size)
            : selectPageOf.all(before, JSON.stringify(tenantIds), size);
        return rows.map((row) => {
          const { number, note } = row as AuditRow;
          return { ...(JSON.parse(note) as AuditNote), number };
        });
      }),
  };
}
