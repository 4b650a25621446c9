import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runSql } from '../../../support/file.ts';
import { NEXT_STEP_OPTION } from '../../../support/next-schema.ts';
import { eventsFrom } from '../../sqlite/fixtures.ts';
import { addLog, createOlderFile } from '../../sqlite/older-file.ts';
import { createPlace, type Place } from '../command.ts';

vi.mock('../../../../adapters/sqlite/file/migrations.ts', async (load) =>
  (await import('../../../support/next-schema.ts')).withNextStep(load),
);

const NEWEST = 2;

/** Commands that need an existing file. */
const OTHERS = [
  ['tenant', 'list'],
  ['tenant', 'set', 'shop', '--name', 'The shop'],
  ['key', 'list', 'shop'],
  ['count', 'shop'],
  ['names', 'shop'],
  ['properties', 'shop'],
  ['breakdown', 'shop', '--by', 'day'],
  ['count', 'shop', '--explain'],
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

/** What the name of a copy looks like that is made before the schema changes. */
const copyOf = (db: string) =>
  db.replace(/\.db$/, `-before-schema-${NEWEST}-\\d{4}-\\d\\d-\\d\\dT\\d{6}Z\\.db`);
const copiesOf = ({ db }: Place) =>
  readdirSync(dirname(db))
    .filter((name) => /before|part/.test(name))
    .map((name) => join(dirname(db), name));

const versionOf = (file: string) =>
  (runSql(file, 'PRAGMA user_version') as { user_version: number }[])[0]?.user_version;

describe('a file of an older schema', () => {
  it('is changed only by serve and migrate, which print both versions', async () => {
    const place = createOwnPlace();
    createOlderFile(place.db).close();
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
    const copy = copyOf(place.db);
    expect(await place.ok(['migrate'])).toMatch(
      new RegExp(`^migrated ${place.db} from schema 1 to ${NEWEST}; ${copy} is the file as it was\\n$`),
    );
    expect(await place.ok(['migrate'])).toBe(`${place.db} has schema ${NEWEST} already\n`);
    expect(JSON.parse(await place.ok(['migrate', '--json']))).toEqual([
      { file: place.db, from: NEWEST, to: NEWEST, backup: null },
    ]);
    await place.ok(['tenant', 'create', 'shop']);
  });

  it.each([[], ['--workers', '2']])(
    'is migrated to the newest schema by serve, after a copy',
    async (...flags) => {
      const place = createOwnPlace();
      createOlderFile(place.db).close();
      const server = await place.serve(['serve', ...flags], undefined, { NODE_OPTIONS: NEXT_STEP_OPTION });
      expect(await server.stop()).toBe(0);
      expect(server.log()).toContain(`migrated ${place.db} from schema 1 to ${NEWEST}; `);
      expect(versionOf(place.db)).toBe(NEWEST);
      const [copy, ...others] = copiesOf(place);
      expect([versionOf(copy!), others]).toEqual([1, []]);
    },
  );

  it('is neither migrated nor copied while another process has it open', async () => {
    const place = createOwnPlace();
    const old = createOlderFile(place.db);
    const env = { NODE_OPTIONS: NEXT_STEP_OPTION };
    for (const args of [['migrate'], ['migrate', '--no-backup'], ['serve', '--port', '0']]) {
      const { code, stderr } = await place.run(args, { env });
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining(`another process has ${place.db} open: stop it first; nothing was changed`),
      ]);
    }
    expect([versionOf(place.db), copiesOf(place)]).toEqual([1, []]);
    // The older one goes on.
    old.exec("INSERT INTO dropped_tenants VALUES ('another')");
    old.close();
    expect(await place.ok(['migrate', '--json'], { env })).toContain(`"from":1,"to":${NEWEST}`);
    expect(runSql(place.db, 'SELECT id FROM dropped_tenants')).toEqual([{ id: 'another' }]);
  });

  it('is copied as it was, and the older version can go on with the copy', async () => {
    const place = createOwnPlace();
    const old = createOlderFile(place.db);
    addLog(old, { number: 1, tenantId: 't', count: 30 }, (i) => eventsFrom(i, 1)[0]!);
    old.close();
    const [{ backup }] = JSON.parse(await place.ok(['migrate', '--json'])) as [{ backup: string }];
    expect([backup, statSync(backup).mode & 0o777]).toEqual([expect.stringMatching(copyOf(place.db)), 0o600]);
    expect(versionOf(backup)).toBe(1);
    expect(runSql(backup, 'SELECT count(*) AS count FROM events')).toEqual([{ count: 30 }]);
  });

  it('is copied as it is by backup and restore', async () => {
    const place = createOwnPlace();
    createOlderFile(place.db).close();
    const [copy, restored] = [join(place.folder, 'copy.db'), join(place.folder, 'restored.db')];
    expect(JSON.parse(await place.ok(['backup', copy, '--json']))).toMatchObject({ schema: 1 });
    expect(await place.ok(['restore', copy, '--db', restored])).toMatch(/schema 1\n$/);
    expect(await place.ok(['migrate', '--db', restored])).toMatch(/from schema 1 to/);
  });

  it('is migrated without a copy, where none is wanted', async () => {
    const place = createOwnPlace();
    createOlderFile(place.db).close();
    expect(await place.ok(['migrate', '--no-backup'])).toBe(
      `migrated ${place.db} from schema 1 to ${NEWEST}\n`,
    );
    expect(copiesOf(place)).toEqual([]);
  });

  it('keeps no copy, and stays as it is, where the migration fails', async () => {
    const place = createOwnPlace();
    const old = createOlderFile(place.db);
    // A name that the migration gives to a table of its own.
    old.exec('CREATE TABLE made_up (other TEXT)');
    old.close();
    const { code, stderr } = await place.run(['migrate']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot migrate ${place.db}: `)]);
    expect([versionOf(place.db), copiesOf(place)]).toEqual([1, []]);
  });
});

describe('a file of a newer schema', () => {
  it('is refused by every command, with what to do, and stays as it is', async () => {
    const place = createOwnPlace();
    await place.ok(['tenant', 'create', 'shop']);
    runSql(place.db, `PRAGMA user_version = ${NEWEST + 1}`);
    const before = readFileSync(place.db);
    for (const args of [...OTHERS, ['serve'], ['migrate'], ['backup'], ['check']]) {
      const { code, stderr } = await place.run(args);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining('Run that newer event-query, or restore a backup from before'),
      ]);
    }
    expect(readFileSync(place.db).equals(before)).toBe(true);
    expect(copiesOf(place)).toEqual([]);
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
      `event-query: ${place.db} cannot be opened: this user has no permission for ${place.db}; ` +
        'run it as the owner, or give this user the right\n',
    );
  });
});
