import type { UsageDay, UsageStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';

/** How much tenants were used, in a SQLite file. */
export function sqliteUsageStore(database: SqliteDatabase, writer: Writer): UsageStore {
  const select = database.prepare(
    `SELECT day, requests, refused, limited, events, rejected, bytes FROM usage_days
     WHERE tenant_id = ? AND day >= ? ORDER BY day`,
  );
  return {
    add: (...args) => writer.run('addUsage', args),
    list: (tenantId, from) => promised(() => select.all(tenantId, from) as UsageDay[]),
    erase: async (...args) => {
      await writer.run('eraseUsage', args);
      await emptyLog(writer);
    },
  };
}
