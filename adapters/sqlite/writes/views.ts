import type { AuditEntry, SavedView, ViewChanges } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { prepareAuditEntry } from './admins.ts';

interface ViewRow {
  id: string;
  tenant_id: string;
  owner: string;
  name: string;
  question: string;
  made_by: string;
  created_at: number;
  changed_at: number;
}

/** A saved view from its row; undefined without a row. */
export function toSavedView(row: unknown): SavedView | undefined {
  if (row === undefined) return undefined;
  const { id, tenant_id, owner, name, question, made_by, created_at, changed_at } = row as ViewRow;
  return {
    ...{ id, tenantId: tenant_id, owner: owner === '' ? null : owner, name, question, by: made_by },
    ...{ createdAt: created_at, changedAt: changed_at },
  };
}

/** Prepares the writes of saved views. */
export function prepareViewWrites(database: SqliteDatabase) {
  const note = prepareAuditEntry(database);
  const select = database.prepare('SELECT * FROM views WHERE id = ?');
  const selectNamesake = database.prepare(
    'SELECT id FROM views WHERE tenant_id = ? AND owner = ? AND name = ? AND id <> ?',
  );
  const countShared = database.prepare(
    "SELECT count(*) AS count FROM views WHERE tenant_id = ? AND owner = ''",
  );
  const countOwn = database.prepare('SELECT count(*) AS count FROM views WHERE owner = ?');
  const insert = database.prepare(
    `INSERT INTO views (id, tenant_id, owner, name, question, made_by, created_at, changed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare('UPDATE views SET name = ?, question = ?, changed_at = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM views WHERE id = ?');
  const erase = database.prepare('DELETE FROM views WHERE tenant_id = ?');
  const isTaken = ({ id, tenantId, owner, name }: SavedView) =>
    selectNamesake.get(tenantId, owner ?? '', name, id) !== undefined;
  return {
    createView: (view: SavedView, max: number, noted?: AuditEntry) => {
      const { id, tenantId, owner, name, question, by, createdAt, changedAt } = view;
      if (isTaken(view)) return 'taken' as const;
      const row = owner === null ? countShared.get(tenantId) : countOwn.get(owner);
      if ((row as { count: number }).count >= max) return 'full' as const;
      insert.run(id, tenantId, owner ?? '', name, question, by, createdAt, changedAt);
      note(noted);
      return 'created' as const;
    },
    changeView: (id: string, changes: ViewChanges, noted?: AuditEntry) => {
      const before = toSavedView(select.get(id));
      if (before === undefined) return undefined;
      const after = { ...before, ...changes };
      if (isTaken(after)) return 'taken' as const;
      update.run(after.name, after.question, after.changedAt, id);
      note(noted);
      return after;
    },
    removeView: (id: string, noted?: AuditEntry) => {
      if (Number(remove.run(id).changes) === 0) return false;
      note(noted);
      return true;
    },
    eraseViews: (tenantId: string) => void erase.run(tenantId),
  };
}
