import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import type { SqliteDatabase } from '../../sqlite/index.ts';
import { note } from '../print/output.ts';
import { failure, messageOf, onOneLine } from '../process/errors.ts';

/** How a file is opened. */
interface Connecting {
  /** Whether nothing can be written, not even what closing a connection writes. */
  readonly readOnly?: boolean;
}

/** A SQLite driver: the name by which a thread loads it, and a function that opens a file. */
export interface SqliteDriver {
  readonly name: string;
  readonly connect: (file: string, how?: Connecting) => SqliteDatabase;
}

/**
 * Loads better-sqlite3 if it is installed and works, else the driver that is built into newer versions of
 * Node. `say` is told that an installed one does not work; by default, stderr is.
 */
export async function loadSqlite(say: (text: string) => void = note): Promise<SqliteDriver> {
  const broken: string[] = [];
  try {
    const { default: Database } = await import('better-sqlite3');
    // The native addon loads with the first database; it may be missing, or built for another Node version.
    new Database(':memory:').close();
    // The arrow function adapts its types, which are stricter about bound values than the stores' interface.
    return {
      name: 'better-sqlite3',
      connect: (file, how) => new Database(file, { readonly: how?.readOnly ?? false }),
    };
  } catch (error) {
    // Node and the addon's loader write their reasons on several lines.
    const reason = reasonOf(onOneLine(messageOf(error)));
    if (!isMissing(error)) broken.push(`better-sqlite3 does not load (${reason})`);
  }
  try {
    // The name is not a literal, because Node 20 and its types do not have this module.
    const name = 'node:sqlite';
    const { DatabaseSync } = (await withoutExperimentalWarning(() => import(name))) as {
      DatabaseSync: new (file: string, how: Connecting) => SqliteDatabase;
    };
    // Of several processes, the first one says it for all.
    if (cluster.isPrimary) broken.forEach((why) => say(`${why}: ${name} is used instead`));
    return { name, connect: (file, how = {}) => new DatabaseSync(file, how) };
  } catch {
    const remedy = broken.length > 0 ? rebuilding('better-sqlite3') : installing('better-sqlite3');
    const why = broken[0] ?? 'no SQLite driver is installed';
    throw failure(`${why}: ${remedy}, or use Node 22.13 or later`);
  }
}

/** Node 22 and 24 warn of their driver each time it is loaded, whatever is done with it. */
async function withoutExperimentalWarning<T>(load: () => Promise<T>): Promise<T> {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    const [kind] = rest as [string | { type?: string } | undefined];
    const type = typeof kind === 'string' ? kind : kind?.type;
    if (type !== 'ExperimentalWarning') Reflect.apply(emitWarning, undefined, [warning, ...rest]);
  };
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Loads an optional package, such as a database driver. Throws an Error that says how to install it. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw failure(`${name} does not load (${messageOf(error)})`);
    throw failure(`${name} is not installed: ${installing(name)}`);
  }
}

/** A command that is installed for all folders finds no package of the one in which it runs. */
const installing = (name: string) =>
  `run "npm install ${name}", with --global if event-query is installed so`;

/** Installing a package that is there runs no script again. */
const rebuilding = (name: string) => `run "npm rebuild ${name}", with pnpm "pnpm approve-builds"`;

/** Why an addon does not load, without the dozen of paths at which its loader has looked. */
function reasonOf(message: string): string {
  const [what = '', ...places] = message.split(' Tried: ');
  return places.length === 0 ? what : 'its build did not run';
}

/** Whether an error says that a package is not installed. */
export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/**
 * Opens a file without changing it or its write-ahead log. A connection that can write moves the log into
 * the file when it closes last, so a file with a log is opened read-only. A read-only connection creates an
 * empty log where there is none, so a file without a log is not.
 */
export function connectQuietly(file: string, connect: SqliteDriver['connect']): SqliteDatabase {
  return connect(file, { readOnly: existsSync(`${file}-wal`) });
}
