import Database from 'better-sqlite3';
import { writeSchema } from '../../../adapters/sqlite/file/schema.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';

/** Makes a file of the schema before the next step, for a test that has that step. */
export function createOlderFile(file: string): Database.Database {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  writeSchema(database, 0, 1);
  return database;
}

/** Adds a log of `count` events; `eventOf` makes one. */
export function addLog(
  database: Database.Database,
  { number, tenantId, count }: { number: number; tenantId: string; count: number },
  eventOf: (i: number) => StoredEvent,
): void {
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, jsonb(?), NULL)');
  const addName = database.prepare('INSERT OR IGNORE INTO event_names VALUES (?, ?)');
  database.transaction(() => {
    database
      .prepare('INSERT INTO logs (number, tenant_id, size) VALUES (?, ?, ?)')
      .run(number, tenantId, count);
    for (let row = 0; row < count; row++) {
      const { eventTs, insertId, eventName, userId, propertiesJson } = eventOf(row);
      insert.run(number * 2 ** 32 + row, number, eventTs, insertId, eventName, userId, propertiesJson);
      addName.run(number, eventName);
    }
  })();
}
