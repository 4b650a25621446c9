import type { RefusalStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';
import { toRefusal } from './writes/refusals.ts';

/** Refusals in a SQLite file. */
export function sqliteRefusalStore(database: SqliteDatabase, writer: Writer): RefusalStore {
  const select = database.prepare('SELECT * FROM refusals WHERE tenant_id = ?');
  return {
    add: (...args) => writer.run('addRefusals', args),
    list: (tenantId) => promised(() => select.all(tenantId).map(toRefusal)),
    eraseExamples: (...args) => writer.run('eraseRefusalExamples', args),
    erase: async (...args) => {
      await writer.run('eraseRefusals', args);
      await emptyLog(writer);
    },
  };
}
