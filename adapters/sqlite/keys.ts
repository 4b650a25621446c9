import type { KeyStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import type { FileWatch } from './file/watch.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';
import { prepareFindKey } from './writes/keys.ts';

/** API keys in a SQLite file. */
export function sqliteKeyStore(database: SqliteDatabase, writer: Writer, watch: FileWatch): KeyStore {
  const selectByHash = database.prepare(
    'SELECT api_keys.* FROM key_secrets JOIN api_keys ON api_keys.id = key_id WHERE hash = ?',
  );
  const selectOfTenant = database.prepare('SELECT * FROM api_keys WHERE tenant_id = ? ORDER BY sequence');
  const selectLive = database.prepare(
    `SELECT 1 FROM api_keys
     WHERE tenant_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
       AND EXISTS (SELECT 1 FROM json_each(permissions) WHERE value = ?)
     LIMIT 1`,
  );
  const find = prepareFindKey(database);
  const findByHash = watch.remember((hash) => find(selectByHash.get(hash)));
  return {
    create: (...args) => writer.run('createKey', args),
    findBySecretHash: (hash) => promised(() => findByHash(hash)),
    list: (tenantId) => promised(() => selectOfTenant.all(tenantId).map((row) => find(row)!)),
    hasLive: (tenantId, permission, now) =>
      promised(() => selectLive.get(tenantId, now, permission) !== undefined),
    addSecret: (...args) => writer.run('addSecret', args),
    restrict: (...args) => writer.run('restrictKey', args),
    revoke: (...args) => writer.run('revokeKey', args),
    touch: (...args) => writer.run('touchKey', args),
    erase: async (...args) => {
      await writer.run('eraseKeys', args);
      await emptyLog(writer);
    },
  };
}
