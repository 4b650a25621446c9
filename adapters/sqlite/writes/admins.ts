import type { AuditNote, Pass, PassKind, Role } from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';

interface PassRow {
  id: string;
  kind: string;
  hash: string;
  name: string;
  role: string;
  tenant_ids: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** A pass from its row; undefined where there is none. */
export function toPass(row: unknown): Pass | undefined {
  if (row === undefined) return undefined;
  const { id, kind, hash, name, role, tenant_ids, created_at, expires_at, last_used_at } = row as PassRow;
  return {
    ...{ id, hash, name },
    kind: kind as PassKind,
    role: role as Role,
    tenantIds: tenant_ids === null ? null : (JSON.parse(tenant_ids) as string[]),
    createdAt: created_at,
    expiresAt: expires_at,
    lastUsedAt: last_used_at,
  };
}

/** Prepares how a note is kept, in the transaction of the operation that it comes with. */
export function prepareNote(database: SqliteDatabase): (note: AuditNote | undefined) => void {
  const insert = database.prepare('INSERT INTO audit (tenant_id, note) VALUES (?, ?)');
  return (note) => {
    if (note !== undefined) insert.run(note.tenantId, JSON.stringify(note));
  };
}

/** Prepares what is written of passes. */
export function prepareAdminWrites(database: SqliteDatabase) {
  const note = prepareNote(database);
  const insert = database.prepare(
    `INSERT INTO passes (id, kind, hash, name, role, tenant_ids, created_at, expires_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeExpired = database.prepare("DELETE FROM passes WHERE kind <> 'key' AND expires_at <= ?");
  const touch = database.prepare('UPDATE passes SET last_used_at = ? WHERE id = ?');
  const select = database.prepare('SELECT * FROM passes WHERE id = ?');
  const remove = database.prepare('DELETE FROM passes WHERE id = ?');
  return {
    createPass: (pass: Pass, noted?: AuditNote) => {
      const { id, kind, hash, name, role, createdAt, expiresAt, lastUsedAt } = pass;
      const tenantIds = pass.tenantIds === null ? null : JSON.stringify(pass.tenantIds);
      removeExpired.run(createdAt);
      insert.run(id, kind, hash, name, role, tenantIds, createdAt, expiresAt, lastUsedAt);
      note(noted);
    },
    touchPass: (id: string, usedAt: number) => void touch.run(usedAt, id),
    removePass: (id: string, noted?: AuditNote) => {
      const pass = toPass(select.get(id));
      if (pass === undefined) return undefined;
      remove.run(id);
      note(noted);
      return pass;
    },
  };
}
