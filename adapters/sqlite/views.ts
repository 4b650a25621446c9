import { compareViews, type ViewStore } from '../../src/store-kit.ts';
import { promised, type SqliteDatabase } from './file/database.ts';
import { emptyLog } from './writer/empty-log.ts';
import type { Writer } from './writer/writer.ts';
import { toSavedView } from './writes/views.ts';

/** Saved views in a SQLite file. */
export function sqliteViewStore(database: SqliteDatabase, writer: Writer): ViewStore {
  const select = database.prepare("SELECT * FROM views WHERE tenant_id = ? AND owner IN ('', ?)");
  return {
    list: (tenantId, owner) =>
      promised(() =>
        select
          .all(tenantId, owner)
          .map((row) => toSavedView(row)!)
          .sort(compareViews),
      ),
    create: (...args) => writer.run('createView', args),
    change: (...args) => writer.run('changeView', args),
    remove: (...args) => writer.run('removeView', args),
    erase: async (...args) => {
      await writer.run('eraseViews', args);
      await emptyLog(writer);
    },
  };
}
