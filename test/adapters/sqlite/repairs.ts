import Database from 'better-sqlite3';
import { rebuildSqlite, salvageSqlite } from '../../../adapters/sqlite/index.ts';
import { eventsFrom, fill, newFile, openStores, queryOf, TENANT } from './fixtures.ts';

/** A file of 300 events of one tenant, of which 43 were erased, and 20 of another. */
export async function createFile(): Promise<string> {
  const file = newFile();
  const stores = openStores(file);
  await fill(stores, 300);
  await stores.events.erase(TENANT, queryOf({ property: 'userId', comparison: 'EQUALS', value: 'user-3' }));
  await stores.events.append('another', eventsFrom(0, 20));
  await stores.close();
  return file;
}

/** Rebuilds a file that holds events only, unless told otherwise. */
export const rebuild = (file: string, holdsTenants = false) =>
  rebuildSqlite(() => new Database(file), { holdsTenants });

/** Saves what is readable of a file that holds events only, unless told otherwise. */
export const salvage = (file: string, to: string, holdsTenants = false) =>
  salvageSqlite(
    { read: () => new Database(file, { readonly: true }), write: (path) => new Database(path) },
    to,
    { holdsTenants },
  );

/** Changes a file past all stores, as damage does. */
export function change(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}
