import { execFileSync, spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupSqlite, inspectSqlite } from '../../../adapters/sqlite/index.ts';
import { ROOT } from '../../support/source-copy.ts';
import { fill, newFile, openRaw, openStores, queryOf, TENANT } from './fixtures.ts';

const page = readFileSync(join(ROOT, 'adapters/cli/operate.md'), 'utf8');
const countIn = (path: string) => openStores(path).events.count(TENANT, queryOf());

/** The shell of SQLite as the system has it: Debian's is older than the driver. */
const shell = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' });
const hasShell = shell.status === 0;
if (!hasShell) console.warn('backups: NOT tried by the command sqlite3, which is not installed');

it('a copy of the file lacks events that the way of the page has', async () => {
  const [, command = ''] = /`sqlite3 data\/event-query\.db "(.*)"`/.exec(page) ?? [];
  const file = newFile();
  await fill(openStores(file), 2);

  const [copy, backup] = [join(dirname(file), 'copy.db'), join(dirname(file), 'backup.db')];
  copyFileSync(file, copy);
  openRaw(file).exec(command.replace('backup.db', backup));

  expect([await countIn(backup), await countIn(file)]).toEqual([2, 2]);
  // What is in the log beside it, here even the tables, is not in the file.
  expect(new Database(copy, { readonly: true }).pragma('user_version', { simple: true })).toBe(0);
});

it('needs no room for the free pages of a file, which no copy has', async () => {
  const file = newFile();
  const before = openStores(file);
  await fill(before, 10);
  await before.close();
  const pretending = (pages: { readonly used: number; readonly free: number }) => (path: string) => {
    const database = new Database(path);
    const all = pages.used + pages.free;
    // The pages of a file that would fit on no disk.
    const prepare = (sql: string) =>
      database.prepare(
        sql
          .replace('pragma_page_count', `(SELECT page_count + ${all} AS page_count FROM pragma_page_count)`)
          .replace(
            'pragma_freelist_count',
            `(SELECT freelist_count + ${pages.free} AS freelist_count FROM pragma_freelist_count)`,
          ),
      );
    return { prepare, exec: (sql: string) => database.exec(sql), close: () => database.close() };
  };
  const [copy, other] = [join(dirname(file), 'copy.db'), join(dirname(file), 'other.db')];
  backupSqlite(file, copy, pretending({ used: 0, free: 1e12 }));
  expect(await countIn(copy)).toBe(10);
  expect(() => backupSqlite(file, other, pretending({ used: 1e12, free: 0 }))).toThrow('free some room');
});

it('a file is refused whose pages are sound, and whose table and index disagree', async () => {
  const file = newFile();
  const before = openStores(file);
  await fill(before, 10);
  await before.close();
  const database = new Database(file).unsafeMode();
  const place = `sqlite_schema WHERE name = 'log_positions'`;
  database.exec(`CREATE INDEX log_positions ON events (id, ts)`);
  const row = database.prepare(`SELECT * FROM ${place}`).get();
  // A row changes while the table does not know of its index.
  database.pragma('writable_schema = ON');
  database.exec(`DELETE FROM ${place}; PRAGMA writable_schema = RESET; UPDATE events SET ts = ts + 1`);
  database.pragma('writable_schema = ON');
  database.prepare('INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)').run(row);
  database.close();

  expect(openRaw(file).pragma('quick_check', { simple: true })).toBe('ok');
  const connect = (path: string) => new Database(path);
  expect(() => inspectSqlite(file, connect)).toThrow(/is damaged: .*index log_positions/);
});

it('nothing of a schema needs a function that SQLite 3.34 lacks', () => {
  const file = newFile();
  openStores(file);
  const parts = openRaw(file)
    .prepare("SELECT coalesce(sql, '') FROM sqlite_schema")
    .pluck()
    .all() as string[];
  const known = ['length', 'events', 'unique', 'key', 'large_events'];
  const called = parts.flatMap((sql) =>
    [...sql.toLowerCase().matchAll(/(\w+)\s*\(/g)].map(([, name]) => name!),
  );
  const functions = new Set(called.filter((name) => /length|json|iif|unixepoch|concat|format/.test(name)));
  expect([...functions].filter((name) => !known.includes(name))).toEqual([]);
});

// `.ci/run` installs the command and demands it.
describe.runIf(hasShell || process.env.EVENT_QUERY_SQLITE3 === 'required')('the command sqlite3', () => {
  /** Runs it on a file that stores have open. */
  const ask = (file: string, ...commands: string[]) =>
    execFileSync('sqlite3', [file, ...commands], { encoding: 'utf8', cwd: dirname(file) });

  /** A file with a large event, so that the index of those has an entry. */
  async function createOpenFile(): Promise<string> {
    const file = newFile();
    const stores = openStores(file);
    await fill(stores, 3000);
    const propertiesJson = JSON.stringify({ text: 'x'.repeat(10_000) });
    const large = { eventName: 'large', userId: 'u', eventTs: 1, insertId: 'large', propertiesJson };
    await stores.events.append(TENANT, [large]);
    return file;
  }

  it.each([...page.matchAll(/`sqlite3 data\/event-query\.db "(.*)"`/g)].map(([, command]) => command!))(
    'makes a whole backup of an open file: %s',
    async (command) => {
      const file = await createOpenFile();
      ask(file, command);
      const backup = join(dirname(file), 'backup.db');
      expect(statSync(backup).size).toBeGreaterThan(0);
      expect(ask(backup, 'PRAGMA integrity_check')).toBe('ok\n');
      expect([await countIn(backup), await countIn(file)]).toEqual([3001, 3001]);
    },
  );

  it('finds nothing wrong with a file, and can read all of it', async () => {
    const file = await createOpenFile();
    expect(ask(file, 'PRAGMA integrity_check')).toBe('ok\n');
    const read = join(dirname(file), 'read.db');
    execFileSync('sqlite3', [read], { input: ask(file, '.dump') });
    expect(ask(read, 'SELECT count(*) FROM events')).toBe('3001\n');
  });
});
