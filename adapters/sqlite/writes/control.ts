import type { AuditEntry, ControlChange, StoredDocument } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';

interface DocumentRow {
  kind: string;
  id: string;
  tenant_id: string | null;
  in_group: string;
  place: string;
  names: string;
  document: string;
  version: number;
}

/** The columns of a document, without the number that orders documents of one place. */
export const DOCUMENT_COLUMNS = 'kind, id, tenant_id, in_group, place, names, document, version';

/** A document from its row; undefined without a row. */
export function toDocument(row: unknown): StoredDocument | undefined {
  if (row === undefined) return undefined;
  const { kind, id, tenant_id, in_group, place, names, document, version } = row as DocumentRow;
  return {
    ...{ kind, id, tenantId: tenant_id, group: in_group, place, version },
    names: JSON.parse(names) as string[],
    value: JSON.parse(document) as object,
  };
}

/** Prepares the writing of an audit entry, in the transaction of its operation. */
function prepareAuditEntry(database: SqliteDatabase): (entry: AuditEntry | undefined) => void {
  const insert = database.prepare('INSERT INTO audit (tenant_id, id, note) VALUES (?, ?, ?)');
  return (entry) => {
    if (entry !== undefined) insert.run(entry.tenantId, entry.id, JSON.stringify(entry));
  };
}

/** Prepares to remove documents; returns whether they were there at their versions. */
function prepareRemoves(database: SqliteDatabase): (documents: readonly StoredDocument[]) => boolean {
  const remove = database.prepare(
    'DELETE FROM documents WHERE kind = ? AND id = ? AND version = ? RETURNING sequence',
  );
  const removeNames = database.prepare('DELETE FROM document_names WHERE document = ?');
  const removeNamesOfTenant = database.prepare(
    'DELETE FROM document_names WHERE document IN (SELECT sequence FROM documents WHERE tenant_id = ?)',
  );
  const removeOfTenant = database.prepare('DELETE FROM documents WHERE tenant_id = ?');

  function removeOne({ kind, id, version }: StoredDocument): boolean {
    const row = remove.get(kind, id, version) as { sequence: number } | undefined;
    if (row === undefined) return false;
    removeNames.run(row.sequence);
    return true;
  }

  return (documents) => {
    if (!documents.every(removeOne)) return false;
    // A change may also name documents that go with their tenant, so those of tenants are removed last.
    for (const { kind, id } of documents) {
      if (kind !== 'tenant') continue;
      removeNamesOfTenant.run(id);
      removeOfTenant.run(id);
    }
    return true;
  };
}

/**
 * Prepares to put documents; returns whether they were at their versions, their names are free once all are
 * put, and their tenants are there.
 */
export function preparePuts(database: SqliteDatabase): (documents: readonly StoredDocument[]) => boolean {
  const selectTenant = database.prepare("SELECT 1 FROM documents WHERE kind = 'tenant' AND id = ?");
  const insert = database.prepare(
    `INSERT INTO documents (kind, id, tenant_id, in_group, place, names, document, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (kind, id) DO NOTHING RETURNING sequence`,
  );
  const update = database.prepare(
    `UPDATE documents
     SET tenant_id = ?, in_group = ?, place = ?, names = ?, document = ?, version = version + 1
     WHERE kind = ? AND id = ? AND version = ? RETURNING sequence`,
  );
  const removeNames = database.prepare(
    'DELETE FROM document_names WHERE document = ? AND name NOT IN (SELECT value FROM json_each(?))',
  );
  const insertName = database.prepare(
    `INSERT INTO document_names (kind, name, document) VALUES (?, ?, ?)
     ON CONFLICT (kind, name) DO NOTHING`,
  );
  const selectName = database.prepare('SELECT document FROM document_names WHERE kind = ? AND name = ?');

  /** Puts a document, without names that it has not had; returns its row, undefined if it cannot be put. */
  function putRow({ kind, id, tenantId, group, place, names, value, version }: StoredDocument) {
    if (tenantId !== null && selectTenant.get(tenantId) === undefined) return undefined;
    const listed = JSON.stringify(names);
    const columns = [tenantId, group, place, listed, JSON.stringify(value)];
    const row = (
      version === 0 ? insert.get(kind, id, ...columns) : update.get(...columns, kind, id, version)
    ) as { sequence: number } | undefined;
    if (row !== undefined && version > 0) removeNames.run(row.sequence, listed);
    return row;
  }

  /** Gives a row the names of its document; returns whether all of them were free. */
  const putNames = ({ kind, names }: StoredDocument, sequence: number) =>
    names.every((name) => {
      if (Number(insertName.run(kind, name, sequence).changes) === 1) return true;
      return (selectName.get(kind, name) as { document: number }).document === sequence;
    });

  return (documents) => {
    // All of them lose names before one gets any, so that a name may go from one to another.
    const rows = documents.map(putRow);
    return documents.every((document, i) => rows[i] !== undefined && putNames(document, rows[i].sequence));
  };
}

/** Prepares the changes of documents. */
export function prepareControlWrites(database: SqliteDatabase) {
  const [remove, put, note] = [prepareRemoves(database), preparePuts(database), prepareAuditEntry(database)];
  const begin = database.prepare('SAVEPOINT change');
  const rollBack = database.prepare('ROLLBACK TO change');
  const release = database.prepare('RELEASE change');
  const trim = database.prepare(
    `DELETE FROM audit WHERE number IN (SELECT number FROM
       (SELECT number, row_number() OVER (PARTITION BY tenant_id ORDER BY number DESC) AS place FROM audit)
     WHERE place > ?)`,
  );

  /** Makes all of a change, or nothing; returns which. */
  function commit({ puts = [], removes = [], entry }: ControlChange): boolean {
    begin.run();
    const isMade = remove(removes) && put(puts);
    if (isMade) note(entry);
    else rollBack.run();
    release.run();
    return isMade;
  }

  return {
    commit,
    commitLightly: commit,
    commitFreeing: commit,
    trimAudit: (notesMax: number) => void trim.run(notesMax),
  };
}
