import type Database from 'better-sqlite3';
import { preparePuts } from '../../adapters/sqlite/writes/control.ts';
import { put } from '../../src/core/access/decide.ts';
import { KEY } from '../../src/core/access/key-records.ts';
import { TENANT } from '../../src/core/access/tenant-records.ts';
import type { StoredDocument } from '../../src/store-kit.ts';
import { apiKey } from './api-key.ts';

/** The document of a tenant. */
export function tenantDocument(id: string, alias: string, name = alias): StoredDocument {
  return put(TENANT, {
    ...{ id, alias, name, plan: 'growth', limits: null, ingestion: 'default' },
    ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 1 },
  });
}

/** The document of a key with one secret. */
export function keyDocument(id: string, tenantId: string, hash = `hash of ${id}`): StoredDocument {
  return put(KEY, apiKey({ id, tenantId, secrets: [{ hash, createdAt: 1, expiresAt: null }] }));
}

/** Writes documents into a file, as a store would. */
export function putDocuments(database: Database.Database, ...documents: readonly StoredDocument[]): void {
  if (!preparePuts(database)(documents)) {
    throw new Error(`the documents ${documents.map(({ id }) => id).join(', ')} cannot be put`);
  }
}
