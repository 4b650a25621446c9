import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  createAdmin,
  createEngine,
  type Admin,
  type Engine,
  type Ledger,
  type Runtime,
  type Scheduler,
  type Stores,
} from '../../src/index.ts';
import { nodeRuntime } from '../node-http/index.ts';
import { sqliteStores, type SqliteDatabase } from '../sqlite/index.ts';
import { failure, messageOf } from './errors.ts';
import { shellWord } from './print/printable.ts';

/** What commands work with, opened on one file. */
export interface Workplace {
  readonly stores: Stores;
  readonly engine: Engine;
  readonly admin: Admin;
  readonly runtime: Runtime;
}

/** What the parts of one process share. */
export interface Shared {
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
}

/** A driver of SQLite: how it opens a file, and how a thread finds it. */
export interface Driver {
  readonly name: string;
  readonly connect: (file: string) => SqliteDatabase;
}

/** better-sqlite3 where it is installed, else the driver that newer versions of Node bring along. */
export async function loadDriver(): Promise<Driver> {
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

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/**
 * Opens the stores in a SQLite file; makes the file and its folder, for their owner only. A server, which
 * shares its memory, has a thread that writes. Throws an Error of one line.
 */
export async function openStores(file: string, runtime: Runtime, shared?: Shared): Promise<Stores> {
  const { name, connect } = await loadDriver();
  try {
    makeFile(file);
    const stores = sqliteStores({
      connect: () => connect(file),
      clock: runtime,
      writer: shared === undefined ? 'inline' : 'thread',
      thread: { driver: name, file },
      ...shared,
    });
    await stores.ready();
    return stores;
  } catch (error) {
    throw failure(`cannot open ${file}: ${messageOf(error)}`);
  }
}

/** Makes an empty file where there is none. SQLite gives the mode of it to the files beside it. */
function makeFile(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
}

/** Who else than its owner may read a file, or write it, as a warning; undefined where nobody may. */
export function findExposure(file: string): string | undefined {
  // Windows has no such modes.
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o077;
  if (mode === 0) return undefined;
  return `others than its owner may open ${file}; to end that: chmod 600 ${['', '-wal', '-shm']
    .map((end) => shellWord(file + end))
    .join(' ')}`;
}

/** Whether a command may begin a new file, or asks for what only an old one can have. */
export type FileUse = 'create' | 'existing';

/** Throws an Error where there is no file: a mistyped name must not leave an empty database behind. */
export function checkExists(file: string): void {
  if (!existsSync(file)) throw failure(`there is no file ${file}; name another with --db or EVENT_QUERY_DB`);
}

/** Opens a file, does the work of one command, and closes the file again. */
export async function withStores<T>(
  file: string,
  use: FileUse,
  work: (workplace: Workplace) => Promise<T>,
): Promise<T> {
  if (use === 'existing') checkExists(file);
  const runtime = nodeRuntime();
  const stores = await openStores(file, runtime);
  try {
    const engine = createEngine({ events: stores.events, runtime });
    return await work({ stores, engine, runtime, admin: createAdmin({ stores, runtime }) });
  } finally {
    await stores.close();
  }
}
