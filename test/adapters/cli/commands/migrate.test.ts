import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../../../adapters/sqlite/file/migrations.ts';
import { runSql } from '../../../support/file.ts';
import { createFirstVersion } from '../../sqlite/first-version.ts';
import { createPlace, type Place } from '../command.ts';

const NEWEST = MIGRATIONS.length;

/** Commands that need an existing file. */
const OTHERS = [
  ['tenant', 'list'],
  ['tenant', 'set', 'shop', '--name', 'The shop'],
  ['key', 'list', 'shop'],
  ['count', 'shop'],
  ['names', 'shop'],
  ['properties', 'shop'],
  ['breakdown', 'shop', '--by', 'day'],
  ['explain', 'shop'],
  ['tail', 'shop'],
  ['export', 'shop'],
  ['import', 'shop', '-'],
  ['erase', 'shop', '--user', 'u', '--yes'],
  ['dashboard', 'link'],
  ['compact'],
];

function createOwnPlace(): Place {
  const place = createPlace();
  onTestFinished(() => place.remove());
  mkdirSync(dirname(place.db), { recursive: true });
  return place;
}

const versionOf = (file: string) =>
  (runSql(file, 'PRAGMA user_version') as { user_version: number }[])[0]?.user_version;

describe('a file of an older schema', () => {
  it('is changed only by serve and migrate, which print both versions', async () => {
    const place = createOwnPlace();
    createFirstVersion(place.db).close();
    const before = readFileSync(place.db);
    for (const args of [...OTHERS, ['tenant', 'create', 'shop']]) {
      const { code, stderr, stdout } = await place.run(args);
      expect([args, code, stdout]).toEqual([args, 1, '']);
      expect(stderr).toContain(`The file has schema 1, and this event-query works with schema ${NEWEST}`);
      expect(stderr).toContain('run "event-query migrate" or start "event-query serve"');
    }
    expect(readFileSync(place.db).equals(before)).toBe(true);
    expect(await place.run(['config', 'check'])).toMatchObject({ code: 0 });
    expect(versionOf(place.db)).toBe(1);
    expect(await place.ok(['migrate'])).toBe(`migrated ${place.db} from schema 1 to ${NEWEST}\n`);
    expect(await place.ok(['migrate'])).toBe(`${place.db} has schema ${NEWEST} already\n`);
    expect(JSON.parse(await place.ok(['migrate', '--json']))).toEqual([
      { file: place.db, from: NEWEST, to: NEWEST },
    ]);
    await place.ok(['tenant', 'create', 'shop']);
  });

  it('is migrated to the newest schema by serve', async () => {
    const place = createOwnPlace();
    createFirstVersion(place.db).close();
    const server = await place.serve(['serve']);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain(`migrated ${place.db} from schema 1 to ${NEWEST}`);
    expect(versionOf(place.db)).toBe(NEWEST);
  });
});

describe('a file of no bytes', () => {
  it('is refused by every command but serve and tenant create, and stays empty', async () => {
    const place = createOwnPlace();
    writeFileSync(place.db, '');
    for (const args of OTHERS) {
      const { code, stderr } = await place.run(args);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining('is empty: it holds no database'),
      ]);
    }
    expect(statSync(place.db).size).toBe(0);
    await place.ok(['tenant', 'create', 'shop']);
    expect(await place.ok(['tenant', 'list', '--json'])).toContain('"shop"');
  });

  it('is initialized by serve, which calls it new', async () => {
    const place = createOwnPlace();
    writeFileSync(place.db, '');
    const server = await place.serve(['serve']);
    expect(await server.stop()).toBe(0);
    expect(server.printed).toContain(`serving ${place.db}, a new file\n`);
  });
});

describe('a file that cannot be opened', () => {
  it('is a folder, or below a file, or where the system allows none', async () => {
    const place = createOwnPlace();
    for (const args of [['tenant', 'list'], ['tenant', 'create', 'a'], ['serve']]) {
      const run = (db: string) => place.run([...args, '--db', db], { process: true });
      const folder = dirname(place.db);
      const ofFolder = await run(folder);
      expect([ofFolder.code, ofFolder.stderr]).toEqual([
        1,
        expect.stringContaining(`${folder} is a folder; name a file in it`),
      ]);
      writeFileSync(join(folder, 'file'), '');
      const below = await run(join(folder, 'file', 'a.db'));
      expect([below.code, below.stderr]).toEqual([
        1,
        expect.stringMatching(/there is no file|is a file, not a folder/),
      ]);
      const nowhere = await run('/proc/event-query/a.db');
      expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('/proc/event-query')]);
    }
  });

  it('is unreadable, which is not the same as absent', async () => {
    const place = createOwnPlace();
    await place.ok(['tenant', 'create', 'shop']);
    chmodSync(dirname(place.db), 0o000);
    onTestFinished(() => chmodSync(dirname(place.db), 0o700));
    const { code, stderr } = await place.run(['tenant', 'list'], { process: true, withoutRights: true });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `event-query: ${place.db} cannot be opened: this user has no permission for ${place.db}\n`,
    );
  });
});
