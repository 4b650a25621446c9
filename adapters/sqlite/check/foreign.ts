import type { SqliteDatabase } from '../file/database.ts';
import { toFinding, type FileFinding } from './finding.ts';
import { INDEXES, TABLES } from './tables.ts';

/** A table, an index, a trigger or a view. */
interface SchemaPart {
  readonly type: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
}

/** What a schema of this version has: no trigger and no view. */
const isOurs = ({ type, name }: SchemaPart): boolean =>
  (type === 'table' && Object.hasOwn(TABLES, name)) || (type === 'index' && INDEXES.includes(name));

const listParts = (database: SqliteDatabase) =>
  // SQLite keeps the names that begin so for itself, such as those of the indexes of unique columns.
  database
    .prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'")
    .all() as SchemaPart[];

/** The parts of a file that no schema of this version has. What hangs on a table comes before the table. */
export function listForeignParts(database: SqliteDatabase): readonly SchemaPart[] {
  const order = ['trigger', 'view', 'index', 'table'];
  return listParts(database)
    .filter((part) => !isOurs(part))
    .sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
}

/** What a file has that no schema of this version has, and what it lacks. */
export function findForeignParts(database: SqliteDatabase): FileFinding[] {
  const parts = listParts(database);
  const foreign = listForeignParts(database).map(({ type, name }) =>
    toFinding('foreignParts', `the ${type} ${JSON.stringify(name)} is not of event-query`),
  );
  const lacking = INDEXES.filter(
    (index) => !parts.some(({ type, name }) => type === 'index' && name === index),
  );
  return [...foreign, ...lacking.map((index) => toFinding('damagedPage', `the index ${index} is not there`))];
}
