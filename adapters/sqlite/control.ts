import type { AuditEntry, ControlStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase, type SqliteStatement } from './file/database.ts';
import type { FileWatch } from './file/watch.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';
import { DOCUMENT_COLUMNS, toDocument } from './writes/control.ts';

/** Documents and audit log in a SQLite file. */
export function sqliteControlStore(database: SqliteDatabase, writer: Writer, watch: FileWatch): ControlStore {
  const select = `SELECT ${DOCUMENT_COLUMNS} FROM documents`;
  const selectById = database.prepare(`${select} WHERE kind = ? AND id = ?`);
  const selectByName = database.prepare(
    `${select} WHERE sequence = (SELECT document FROM document_names WHERE kind = ? AND name = ?)`,
  );
  const page = `${select} WHERE kind = ? AND in_group = ?`;
  const order = 'ORDER BY place, sequence LIMIT ?';
  const selectFirst = database.prepare(`${page} ${order}`);
  const selectAfter = database.prepare(`${page} AND place > ? ${order}`);
  const selectSome = database.prepare(
    `${page} AND (? IS NULL OR place > ?) AND id IN (SELECT value FROM json_each(?)) ${order}`,
  );
  /** Looks documents up by their kind and one text, until the file changes. */
  const remember = (statement: SqliteStatement) => {
    const look = watch.remember((key) => {
      const space = key.indexOf(' ');
      return toDocument(statement.get(key.slice(0, space), key.slice(space + 1)));
    });
    return (kind: string, text: string) => promised(() => look(`${kind} ${text}`));
  };
  const selectNumber = database.prepare('SELECT number FROM audit WHERE id = ?');
  const selectAudit = database.prepare(
    'SELECT note FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?',
  );
  const selectAuditOf = database.prepare(
    `SELECT note FROM audit WHERE number < ? AND tenant_id IN (SELECT value FROM json_each(?))
     ORDER BY number DESC LIMIT ?`,
  );
  const numberOf = (id: string) => (selectNumber.get(id) as { number: number } | undefined)?.number;
  return {
    get: remember(selectById),
    find: remember(selectByName),
    list: (kind, group, { ids = null, after, size = -1 } = {}) =>
      promised(() => {
        const rows =
          ids !== null
            ? selectSome.all(kind, group, after ?? null, after ?? null, JSON.stringify(ids), size)
            : after !== undefined
              ? selectAfter.all(kind, group, after, size)
              : selectFirst.all(kind, group, size);
        return rows.map((row) => toDocument(row)!);
      }),
    commit: async (change) => {
      const { puts = [], mayBeLost = false, erases = false } = change;
      // What adds no document frees space, or leads to that: a tenant keeps its events for fewer days.
      const frees = erases || puts.every(({ version }) => version > 0);
      const name = mayBeLost ? 'commitLightly' : frees ? 'commitFreeing' : 'commit';
      const isMade = await writer.run(name, [change]);
      if (isMade && erases) await emptyLog(writer);
      return isMade;
    },
    audit: ({ before, size, tenantIds }) =>
      promised(() => {
        const end = before === undefined ? Number.MAX_SAFE_INTEGER : numberOf(before);
        if (end === undefined) return undefined;
        const rows =
          tenantIds === null
            ? selectAudit.all(end, size)
            : selectAuditOf.all(end, JSON.stringify(tenantIds), size);
        return rows.map((row) => JSON.parse((row as { note: string }).note) as AuditEntry);
      }),
    trimAudit: (...args) => writer.run('trimAudit', args),
  };
}
