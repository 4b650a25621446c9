import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { endOf } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';
import { createFilledPlace, eventsOf } from '../filled-place.ts';

interface Printed {
  readonly file: string;
  readonly events: number;
  readonly removed: readonly string[];
}

describe('backup', () => {
  it('copies one moment of a file that is being written, with all that came before', async () => {
    const place = await createFilledPlace();
    const server = await place.serve(['serve']);
    const before = await place.ok(['export', 'shop', '--event', 'before']);
    const file = join(place.folder, 'more.ndjson');
    writeFileSync(file, eventsOf('during', 60_000));
    const importing = place.start(['import', 'shop', file]);
    const imported = endOf(importing);
    const copies: Printed[] = [];
    while (copies.length < 3 || (importing.exitCode === null && copies.length < 10)) {
      const to = join(place.folder, `copy-${copies.length}.db`);
      copies.push(JSON.parse(await place.ok(['backup', to, '--json'], { process: true })) as Printed);
    }
    expect(await imported).toBe(0);
    expect(await server.stop()).toBe(0);

    const all = fromNdjson(await place.ok(['export', 'shop', '--event', 'during']));
    for (const [i, { file: copy, events }] of copies.entries()) {
      const restored = join(place.folder, `restored-${i}`, 'events.db');
      await place.ok(['restore', copy, '--db', restored]);
      expect(await place.ok(['export', 'shop', '--event', 'before', '--db', restored])).toBe(before);
      // An import stores its events in order and an export begins with the newest, so those of one moment
      // are the last ones.
      const during = fromNdjson(await place.ok(['export', 'shop', '--event', 'during', '--db', restored]));
      expect(JSON.stringify(during)).toBe(JSON.stringify(all.slice(all.length - during.length)));
      expect(events).toBe(2000 + during.length);
      const whole = await place.ok(['export', 'shop', '--db', restored]);
      expect(await place.ok(['export', 'shop', '--db', copy])).toBe(whole);
    }
  });

  it('gives a copy its name when it is complete, for its owner only', async () => {
    const place = await createFilledPlace();
    const stdout = await place.ok(['backup']);
    const folder = join(dirname(place.db), 'backups');
    const [name = '', ...others] = readdirSync(folder);
    expect([name, others]).toEqual([expect.stringMatching(/^events-\d{4}-\d\d-\d\dT\d{6}Z\.db$/), []]);
    const { size, mode } = statSync(join(folder, name));
    expect(mode & 0o777).toBe(0o600);
    expect(stdout).toBe(`${join(folder, name)}: 2000 events of 1 tenants, ${size} bytes\n`);
  });

  it('keeps the newest, and removes nothing but backups of this file', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    const old = ['2020-01-01', '2020-01-02', '2020-01-03'].map((day) => `events-${day}T000000Z.db`);
    const later = 'events-2999-01-01T000000Z.db';
    const others = [
      ...['events-notes.db', 'other-2020-01-01T000000Z.db', 'events-2020-01-01T000000Z.db.part'],
      'events-before-schema-2-2020-01-01T000000Z.db',
    ];
    for (const name of [...old, later, ...others]) writeFileSync(join(folder, name), name);
    const { file, removed } = JSON.parse(
      await place.ok(['backup', folder, '--keep', '3', '--json']),
    ) as Printed;
    expect(removed).toEqual(old.slice(0, 2).map((name) => join(folder, name)));
    const left = readdirSync(folder).map((name) => join(folder, name));
    expect(left.sort()).toEqual([file, ...[old[2]!, later, ...others].map((n) => join(folder, n))].sort());
  });

  it('keeps the backup that it has just made, whatever the clock was before', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    const later = ['2998-01-01', '2999-01-01'].map((day) => join(folder, `events-${day}T000000Z.db`));
    for (const path of later) writeFileSync(path, '');
    const { file, removed } = JSON.parse(
      await place.ok(['backup', folder, '--keep', '1', '--json']),
    ) as Printed;
    expect(removed).toEqual(later);
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file]);
  });

  it('leaves no half file and removes no older one when it fails', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    const old = 'events-2020-01-01T000000Z.db';
    writeFileSync(join(folder, old), '');
    const raw = readFileSync(place.db);
    const { root } = rootOf(place.db, 'events');
    // The first page of the table becomes unreadable.
    writeFileSync(
      place.db,
      Buffer.concat([raw.subarray(0, root), Buffer.alloc(64, 0xff), raw.subarray(root + 64)]),
    );
    const { code, stderr } = await place.run(['backup', folder, '--keep', '1']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot back up ${place.db}: `)]);
    expect(readdirSync(folder)).toEqual([old]);
  });

  it('refuses what exists, what is missing and what is no file', async () => {
    const place = await createFilledPlace();
    const taken = join(place.folder, 'taken.db');
    writeFileSync(taken, 'mine');
    expect(await place.run(['backup', taken])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${taken} exists already; nothing was changed`) as string,
    });
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    const fresh = join(place.folder, 'new.db');
    expect(await place.run(['backup', fresh, '--keep', '2'])).toMatchObject({ code: 2 });
    expect(existsSync(fresh)).toBe(false);
    expect(await place.run(['backup', '--keep', '0'])).toMatchObject({ code: 2 });
    expect(await place.run(['backup', '--db', `${place.db}.none`])).toMatchObject({ code: 1 });
    const { code, stderr } = await place.run(['backup', '--events', 'postgres://localhost/db']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('back them up with pg_dump --schema=event_query'),
    ]);
  });
});

describe('restore', () => {
  it('overwrites nothing, not even a log that was left behind', async () => {
    const place = await createFilledPlace();
    const copy = join(place.folder, 'copy.db');
    await place.ok(['backup', copy]);
    const left = ['-wal', '-shm', '-journal'].map((end) => {
      const free = join(place.folder, `free${end}.db`);
      writeFileSync(free + end, 'left');
      return [free, free + end] as const;
    });
    for (const [db, there] of [[place.db, place.db] as const, ...left]) {
      const before = readFileSync(there);
      const { code, stderr } = await place.run(['restore', copy, '--db', db]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`move ${there} away first`)]);
      expect(readFileSync(there).equals(before)).toBe(true);
    }
  });

  it('has succeeded, even if nobody reads what it prints', async () => {
    const place = await createFilledPlace();
    const copy = join(place.folder, 'copy.db');
    await place.ok(['backup', copy]);
    const restored = join(place.folder, 'restored.db');
    const child = place.start(['restore', copy, '--db', restored]);
    child.stdout!.destroy();
    expect(await endOf(child)).toBe(0);
    expect(statSync(restored).size).toBe(statSync(copy).size);
  });

  it('refuses a damaged, an empty and a foreign backup, and creates nothing', async () => {
    const place = await createFilledPlace();
    const copy = join(place.folder, 'copy.db');
    await place.ok(['backup', copy]);
    const { root } = rootOf(copy, 'events');
    const bytes = readFileSync(copy);
    bytes.fill(0xff, root, root + 64);
    const bad = join(place.folder, 'bad');
    const db = join(place.folder, 'restored', 'events.db');
    for (const content of [
      bytes,
      bytes.subarray(0, bytes.length / 2),
      Buffer.alloc(0),
      Buffer.from('a text'.repeat(200)),
    ]) {
      writeFileSync(bad, content);
      chmodSync(bad, 0o600);
      const { code, stderr } = await place.run(['restore', bad, '--db', db]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot restore ${bad}: `)]);
    }
    expect(await place.run(['restore', `${bad}.none`, '--db', db])).toMatchObject({ code: 1 });
    expect(readdirSync(place.folder)).not.toContain('restored');
  });
});

/** The position of a table's first page in a file. */
function rootOf(file: string, table: string): { readonly root: number } {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const size = database.pragma('page_size', { simple: true }) as number;
  const find = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck();
  const root = (find.get(table) as number) - 1;
  database.close();
  return { root: root * size };
}
