import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mountTmpfs } from '../../../faults/support/small-disk.ts';
import { createFolder, runSql } from '../../../support/file.ts';
import { openRaw } from '../../sqlite/fixtures.ts';
import { createPlace, type Place, type RunOptions } from '../command.ts';

const LIST = ['tenant', 'list'];
const CREATE = ['tenant', 'create', 'new'];
const SERVE = ['serve', '--port', '0'];

/** A place with a tenant. */
async function createOwnPlace(): Promise<Place> {
  const place = createPlace();
  onTestFinished(() => place.remove());
  await place.ok(['tenant', 'create', 'shop']);
  return place;
}

interface Case {
  readonly what: string;
  /** Makes the file what it is; returns its path. */
  readonly make: (place: Place) => string;
  readonly commands: readonly (readonly string[])[];
  /** What the line on stderr says beside the path. */
  readonly says: RegExp;
  readonly options?: RunOptions;
}

const CASES: readonly Case[] = [
  {
    what: 'missing',
    make: ({ folder }) => join(folder, 'none.db'),
    commands: [LIST, ['check'], ['backup'], ['migrate'], ['compact']],
    says: /there is no file .*; name one with --db or EVENT_QUERY_DB/,
  },
  {
    what: 'a folder',
    make: ({ folder }) => folder,
    commands: [LIST, CREATE, SERVE, ['check'], ['restore', 'x']],
    says: /is a folder; name a file in it|there is no backup x/,
  },
  {
    what: 'a device',
    make: () => '/dev/null',
    commands: [LIST, CREATE, SERVE, ['check']],
    says: /is a device, a pipe or a socket; name a regular file/,
  },
  {
    what: 'a pipe',
    make: ({ folder }) => {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      return join(folder, 'pipe');
    },
    commands: [LIST, CREATE, SERVE, ['check']],
    says: /is a device, a pipe or a socket; name a regular file/,
  },
  {
    what: 'below a file',
    make: ({ db }) => join(db, 'a.db'),
    commands: [CREATE, SERVE],
    says: /is a file, not a folder; name another place/,
  },
  {
    what: 'where the system allows none',
    make: () => '/proc/event-query/a.db',
    commands: [CREATE, SERVE],
    says: /the system cannot create .*; name another place/,
  },
  {
    what: 'behind a link to itself',
    make: ({ folder }) => {
      symlinkSync('loop.db', join(folder, 'loop.db'));
      return join(folder, 'loop.db');
    },
    commands: [LIST, CREATE, SERVE],
    says: /leads back to itself; name another place/,
  },
  {
    what: 'of too long a name',
    make: ({ folder }) => join(folder, `${'x'.repeat(300)}.db`),
    commands: [LIST, CREATE, SERVE],
    says: /is too long; name a shorter one/,
  },
  {
    what: 'no database',
    make: ({ folder }) => {
      writeFileSync(join(folder, 'text.db'), 'this is no database, '.repeat(100));
      return join(folder, 'text.db');
    },
    commands: [LIST, CREATE, SERVE, ['check'], ['backup'], ['migrate']],
    says: /is not a SQLite database. Use another file/,
  },
  {
    what: 'of another application',
    make: ({ folder }) => {
      runSql(join(folder, 'other.db'), 'CREATE TABLE other (text TEXT)');
      return join(folder, 'other.db');
    },
    commands: [LIST, CREATE, SERVE, ['check'], ['backup'], ['migrate']],
    says: /of another application. Use another file/,
  },
  {
    what: 'locked by another process',
    make: ({ db }) => {
      openRaw(db).exec('BEGIN IMMEDIATE');
      return db;
    },
    commands: [CREATE],
    says: /is held by another process that writes .*: try again later/,
  },
  {
    what: 'without permission to read it',
    make: ({ db }) => {
      chmodSync(db, 0o000);
      return db;
    },
    commands: [LIST, SERVE, ['check']],
    says: /this user has no permission for .*; run it as the owner, or give this user the right/,
    options: { process: true, withoutRights: true },
  },
  {
    what: 'without permission to write it',
    make: ({ db }) => {
      chmodSync(db, 0o444);
      return db;
    },
    commands: [CREATE],
    says: /cannot be written .*: give this user the right to write it, its -wal and -shm/,
    options: { process: true, withoutRights: true },
  },
  {
    what: 'to be made in a folder without permission',
    make: ({ folder }) => {
      mkdirSync(join(folder, 'closed'), { mode: 0o500 });
      return join(folder, 'closed', 'a.db');
    },
    commands: [CREATE, SERVE],
    says: /this user has no permission for .*; run it as the owner/,
    options: { process: true, withoutRights: true },
  },
];

/** A file with a tenant on a disk of its own; undefined where this process may not mount one. */
async function createOnSmallDisk(what: string) {
  const folder = createFolder();
  const disk = mountTmpfs(folder, 4);
  if (disk === undefined) {
    console.warn(`${what}: NOT tried, since this process may not mount a tmpfs`);
    return undefined;
  }
  onTestFinished(() => {
    disk.remove();
    folder.remove();
  });
  const place = await createOwnPlace();
  const db = join(disk.path, 'events.db');
  await place.ok(['tenant', 'create', 'shop', '--db', db]);
  return { folder, disk, place, db };
}

describe('a file that cannot be used', () => {
  it.each(CASES)('$what: each command names it and says what to do', async ({ make, ...each }) => {
    const place = await createOwnPlace();
    const db = make(place);
    for (const args of each.commands) {
      const { code, stderr } = await place.run([...args, '--db', db], each.options ?? {});
      expect([args, code, stderr.trimEnd().split('\n').length]).toEqual([args, 1, 1]);
      expect(stderr).toMatch(each.says);
      if (!args.includes('restore')) expect(stderr).toContain(db);
    }
  });

  it('on a read-only file system: each command says so, and what to do', async () => {
    const small = await createOnSmallDisk('a read-only file system');
    if (small === undefined) return;
    const { folder, disk, place, db } = small;
    execFileSync('mount', ['-o', 'remount,ro', disk.path]);
    for (const args of [
      ['count', 'shop'],
      ['export', 'shop'],
      ['check'],
      ['backup', join(folder.path, 'b.db')],
    ]) {
      const { code, stderr } = await place.run([...args, '--db', db]);
      expect([args, code, stderr]).toEqual([
        ...[args, 1],
        expect.stringMatching(/events\.db is on a read-only file system .*: copy it with its -wal/),
      ]);
    }
  });

  it('on a full disk: what writes says so, and what reads works', async () => {
    const small = await createOnSmallDisk('a full disk');
    if (small === undefined) return;
    const { disk, place, db } = small;
    disk.fill(0);
    const created = await place.run([...CREATE, '--db', db]);
    expect([created.code, created.stderr]).toEqual([
      1,
      expect.stringMatching(/the disk of .*events\.db is full .*: free some room/),
    ]);
    expect(created.stderr).toContain(dirname(db));
    const made = await place.run([...CREATE, '--db', join(disk.path, 'deep', 'b.db')]);
    expect([made.code, made.stderr]).toEqual([
      1,
      expect.stringMatching(/disk of .* is full.*free some room/),
    ]);
  });
});
