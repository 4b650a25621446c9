import type { AuditEntry, AdminCredential, Renewal, Role } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';

interface PassRow {
  id: string;
  kind: string;
  hash: string;
  name: string;
  role: string;
  tenant_ids: string | null;
  viewed_ids: string | null;
  identity: string | null;
  invitation: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** A credential from its row; undefined without a row. */
export function toPass(row: unknown): AdminCredential | undefined {
  if (row === undefined) return undefined;
  const { id, kind, hash, name, role, created_at, expires_at, last_used_at, ...texts } = row as PassRow;
  return {
    ...{ id, hash, name },
    kind: kind as AdminCredential['kind'],
    role: role as Role,
    tenantIds: fromJson(texts.tenant_ids) as AdminCredential['tenantIds'],
    viewedIds: fromJson(texts.viewed_ids) as AdminCredential['viewedIds'],
    identity: fromJson(texts.identity) as AdminCredential['identity'],
    invitation: fromJson(texts.invitation) as AdminCredential['invitation'],
    createdAt: created_at,
    expiresAt: expires_at,
    lastUsedAt: last_used_at,
  };
}

/** Null stays null in its column. */
function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function fromJson(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}

/** Prepares the writing of an audit entry, in the transaction of its operation. */
export function prepareAuditEntry(database: SqliteDatabase): (entry: AuditEntry | undefined) => void {
  const insert = database.prepare('INSERT INTO audit (tenant_id, id, note) VALUES (?, ?, ?)');
  return (entry) => {
    if (entry !== undefined) insert.run(entry.tenantId, entry.id, JSON.stringify(entry));
  };
}

/** Prepares the writes of credentials. */
export function prepareAdminWrites(database: SqliteDatabase) {
  const note = prepareAuditEntry(database);
  const insert = database.prepare(
    `INSERT INTO credentials (id, kind, hash, name, role, tenant_ids, viewed_ids, identity, created_at,
       expires_at, last_used_at, invitation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeExpired = database.prepare("DELETE FROM credentials WHERE kind <> 'key' AND expires_at <= ?");
  const touch = database.prepare('UPDATE credentials SET last_used_at = ? WHERE id = ?');
  const select = database.prepare('SELECT * FROM credentials WHERE id = ?');
  const renew = database.prepare(
    'UPDATE credentials SET name = ?, role = ?, tenant_ids = ?, viewed_ids = ?, identity = ? WHERE id = ?',
  );
  /** The fields of a credential that may change, in column order. */
  const toColumns = ({
    name,
    role,
    tenantIds,
    viewedIds,
    identity,
  }: Omit<Renewal, 'identity'> & Pick<AdminCredential, 'identity'>) =>
    [name, role, toJson(tenantIds), toJson(viewedIds), toJson(identity)] as const;
  const remove = database.prepare('DELETE FROM credentials WHERE id = ?');
  const trim = database.prepare(
    `DELETE FROM audit WHERE number IN (SELECT number FROM
       (SELECT number, row_number() OVER (PARTITION BY tenant_id ORDER BY number DESC) AS place FROM audit)
     WHERE place > ?)`,
  );
  const forgetSpent = database.prepare('DELETE FROM spent WHERE until <= ?');
  const spend = database.prepare('INSERT INTO spent (id, until) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
  return {
    createPass: (credential: AdminCredential, noted?: AuditEntry) => {
      const { id, kind, hash, createdAt, expiresAt, lastUsedAt, invitation } = credential;
      removeExpired.run(createdAt);
      const times = [createdAt, expiresAt, lastUsedAt];
      insert.run(id, kind, hash, ...toColumns(credential), ...times, toJson(invitation));
      note(noted);
    },
    touchPass: (id: string, usedAt: number) => void touch.run(usedAt, id),
    renewPass: (id: string, version: number, renewal: Renewal) => {
      if (toPass(select.get(id))?.identity?.version !== version) return undefined;
      renew.run(...toColumns(renewal), id);
      return toPass(select.get(id));
    },
    removePass: (id: string, noted?: AuditEntry) => {
      const credential = toPass(select.get(id));
      if (credential === undefined) return undefined;
      remove.run(id);
      note(noted);
      return credential;
    },
    trimAudit: (notesMax: number) => void trim.run(notesMax),
    spend: (id: string, until: number, now: number) => {
      forgetSpent.run(now);
      return Number(spend.run(id, until).changes) === 1;
    },
  };
}
