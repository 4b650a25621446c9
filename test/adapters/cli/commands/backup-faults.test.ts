import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mountTmpfs } from '../../../faults/support/small-disk.ts';
import { cleanEnv } from '../../../support/clean-env.ts';
import { createFolder } from '../../../support/file.ts';
import { endOf, NODE_ARGS } from '../command.ts';
import { createFilledPlace, eventsOf } from '../filled-place.ts';

describe('a backup on a disk without room', () => {
  it('is refused before it begins, where the disk is too small', async () => {
    const folder = createFolder();
    const disk = mountTmpfs(folder, 1);
    if (disk === undefined) {
      console.warn('a backup on a small disk: NOT tried, since this process may not mount a tmpfs');
      return;
    }
    onTestFinished(() => {
      disk.remove();
      folder.remove();
    });
    const place = await createFilledPlace();
    await place.import('shop', eventsOf('more', 5000));
    const to = join(disk.path, 'copy.db');
    const { code, stderr } = await place.run(['backup', to]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /copy\.db needs up to \d+ bytes, and its disk has \d+ bytes free: free some room/,
      ),
    ]);
    expect(readdirSync(disk.path)).toEqual([]);
  });

  it('says that the disk became full, and leaves nothing', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'copies');
    mkdirSync(folder);
    // A bound on the size of each file stands for a disk that fills up meanwhile.
    const { status, stderr } = spawnSync(
      'prlimit',
      ['--fsize=200000', process.execPath, ...NODE_ARGS, 'backup', join(folder, 'copy.db'), '--db', place.db],
      { encoding: 'utf8', env: cleanEnv() },
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /the disk of .*copy\.db became full: free some room.*nothing is left of the copy/,
      ),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a folder in which an older backup cannot be removed', () => {
  it('has the new one, and the command says that not all older ones are removed', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    const old = ['01', '02', '03'].map((day) => join(folder, `events-2020-01-${day}T000000Z.db`));
    for (const path of old) writeFileSync(path, '');
    // A file cannot be removed while another one is mounted on it.
    if (spawnSync('mount', ['--bind', old[2]!, old[1]!]).status !== 0) {
      console.warn('a backup that stays: NOT tried, since this process may not mount a file');
      return;
    }
    onTestFinished(() => void spawnSync('umount', ['--lazy', old[1]!]));
    const { code, stderr } = await place.run(['backup', folder, '--keep', '1']);
    const left = readdirSync(folder).map((name) => join(folder, name));
    const made = left.find((path) => !old.includes(path))!;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`${made} is complete, but not all older backups were removed: `),
    ]);
    expect(left.sort()).toEqual([old[1]!, old[2]!, made].sort());
    expect(await place.ok(['check', '--db', made])).toContain('is sound: 2000 events');
  });
});

describe('what a killed backup has left', () => {
  it('is removed by the next one, and what another process makes is not', async () => {
    const place = await createFilledPlace();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    const machine = hostname().replaceAll(/[^\w-]/g, '-');
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const part = (host: string, pid: number) => `events-x.db.${host}.${pid}.0123456789abcdef.part`;
    const [left, living] = [part(machine, ended), part(machine, process.pid)];
    const [away, forgotten] = [part('another', 1), part('another', 2)];
    const other = 'notes.part';
    for (const name of [left, living, away, forgotten, other]) writeFileSync(join(folder, name), '');
    const longAgo = Date.now() / 1000 - 90_000;
    utimesSync(join(folder, forgotten), longAgo, longAgo);
    await place.ok(['backup', folder]);
    const kept = readdirSync(folder).filter((name) => name.endsWith('.part'));
    expect(kept.sort()).toEqual([living, away, other].sort());
  });
});

describe('two restores to one place', () => {
  it('make one file, whole, and the other is refused', async () => {
    const place = await createFilledPlace();
    const copies = ['one.db', 'two.db'].map((name) => join(place.folder, name));
    await place.ok(['backup', copies[0]!]);
    await place.import('shop', eventsOf('more', 3000));
    await place.ok(['backup', copies[1]!]);
    const db = join(place.folder, 'restored', 'events.db');
    const codes = await Promise.all(copies.map((copy) => endOf(place.start(['restore', copy, '--db', db]))));
    expect(codes.sort()).toEqual([0, 1]);
    expect(existsSync(db)).toBe(true);
    expect(readdirSync(dirname(db)).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await place.ok(['check', '--db', db])).toMatch(/is sound: (2000|5000) events/);
  });
});
