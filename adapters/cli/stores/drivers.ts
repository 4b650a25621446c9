import type { SqliteDatabase } from '../../sqlite/index.ts';
import { failure, messageOf } from '../errors.ts';

/** A driver of SQLite: how it opens a file, and how a thread finds it. */
export interface SqliteDriver {
  readonly name: string;
  readonly connect: (file: string) => SqliteDatabase;
}

/** better-sqlite3 where it is installed, else the driver that newer versions of Node bring along. */
export async function loadSqlite(): Promise<SqliteDriver> {
  const broken: string[] = [];
  try {
    const { default: Database } = await import('better-sqlite3');
    // The native part loads with the first database, and may be missing or built for another version of Node.
    new Database(':memory:').close();
    // Its types know more of bound values than the stores ask for.
    return { name: 'better-sqlite3', connect: (file) => new Database(file) };
  } catch (error) {
    if (!isMissing(error)) broken.push(`better-sqlite3 does not load (${messageOf(error)})`);
  }
  try {
    // The name is not a literal because Node 20 and its types do not know the module.
    const name = 'node:sqlite';
    const { DatabaseSync } = (await import(name)) as { DatabaseSync: new (file: string) => SqliteDatabase };
    return { name, connect: (file) => new DatabaseSync(file) };
  } catch {
    const why = broken[0] ?? 'no SQLite driver is installed';
    throw failure(`${why}: run "npm install better-sqlite3", or use Node 22.13 or later`);
  }
}

/** Loads the package of another database, which is installed by who uses it. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw failure(`${name} does not load (${messageOf(error)})`);
    throw failure(`${name} is not installed: run "npm install ${name}"`);
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
