import type { SqliteDatabase } from '../file/database.ts';
import { resultOf } from '../file/trouble.ts';
import type { ReadRow } from './readable.ts';

/** The columns of a table. */
export function columnsOf(database: SqliteDatabase, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[];
  return rows.map(({ name }) => name);
}

/**
 * Prepares to insert rows as they were read; returns whether the row was stored, or is stored already.
 * A row that breaks a rule of the table is not stored.
 */
export function prepareInsert(database: SqliteDatabase, table: string): (row: ReadRow) => boolean {
  const columns = columnsOf(database, table);
  const insert = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  return (row) => {
    try {
      insert.run(...columns.map((name) => row[name]));
      return true;
    } catch (error) {
      // A broken rule is none of the results that mean that nothing can be written now.
      if (resultOf(error) !== undefined) throw error;
      return false;
    }
  };
}
