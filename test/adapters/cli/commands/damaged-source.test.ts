import { existsSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { breakIndex } from '../../../support/damage.ts';
import { runSql } from '../../../support/file.ts';
import { createFilledPlace } from '../filled-place.ts';

const trigger = 'CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events WHERE id = NEW.id; END';

/** Damage of which `VACUUM INTO` and a walk through the log see nothing. */
const DAMAGES: readonly (readonly [string, (file: string) => unknown])[] = [
  ['too few rows', (file) => runSql(file, 'UPDATE logs SET size = 7')],
  ['no rows', (file) => runSql(file, 'UPDATE logs SET size = 0')],
  ['fewer than no rows', (file) => runSql(file, 'UPDATE logs SET size = -1')],
  ['more rows than there are', (file) => runSql(file, 'UPDATE logs SET size = size + (1 << 27)')],
  ['more rows than a log has', (file) => runSql(file, 'UPDATE logs SET size = size + (1 << 40)')],
  ['a missing event', (file) => runSql(file, 'DELETE FROM events WHERE id % 1000 = 7')],
  ['a trigger', (file) => runSql(file, trigger)],
  ['an index that lacks a row', breakIndex],
];

it.each(DAMAGES)('a file with %s: no command takes a part of it for all', async (_, damage) => {
  const place = await createFilledPlace();
  await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query']);
  damage(place.db);
  const [restored, target] = [join(place.folder, 'restored', 'r.db'), join(place.folder, 'copied.db')];
  const checked = await place.run(['check']);
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('damage: ')]);
  const tries = [
    ['restore', place.db, '--db', restored],
    ['copy', 'shop', '--to', `sqlite:${target}`],
  ];
  for (const args of tries) {
    const { code, stdout, stderr } = await place.run(args);
    expect.soft([args, code, stdout]).toEqual([args, 1, '']);
    expect.soft(stderr).toContain(`${place.db} is damaged: `);
  }
  expect(existsSync(dirname(restored))).toBe(false);
});

it('a backup that fails leaves no empty folder', async () => {
  const place = await createFilledPlace();
  truncateSync(place.db, 8192);
  const { code, stderr } = await place.run(['backup']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot back up ${place.db}`)]);
  expect(existsSync(join(dirname(place.db), 'backups'))).toBe(false);
});

it('a backup prints nothing with --quiet', async () => {
  const place = await createFilledPlace();
  expect(await place.run(['backup', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
});
