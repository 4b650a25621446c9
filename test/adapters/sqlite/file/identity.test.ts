import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { identify, watchPlace } from '../../../../adapters/sqlite/file/identity.ts';
import { createFolder } from '../../../support/file.ts';

/** A file with its write-ahead log in a folder of its own, which can be renamed. */
function openHome() {
  const folder = createFolder();
  const home = join(folder.path, 'home');
  mkdirSync(home);
  const file = join(home, 'a.db');
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)');
  onTestFinished(() => {
    database.close();
    folder.remove();
  });
  return { home, file, find: watchPlace(identify(database)!) };
}

/** So long that a folder which did not change can be believed by its time. */
const STILL_MS = 1100;

it.each([
  ['the folder has just changed', 0],
  ['the folder was still for a while', STILL_MS],
])('a file that is moved, back, and replaced is noticed each time, where %s', async (_what, stillMs) => {
  const { home, file, find } = openHome();
  await sleep(stillMs);
  for (const end of ['', '-wal']) {
    expect([find(), find()]).toEqual([undefined, undefined]);
    renameSync(file + end, `${file}-away`);
    expect([find(), find()]).toEqual(['gone', 'gone']);
    renameSync(`${file}-away`, file + end);
    expect([find(), find()]).toEqual([undefined, undefined]);
    await sleep(stillMs);
  }
  expect([find(), find()]).toEqual([undefined, undefined]);
  renameSync(home, `${home}-away`);
  expect(find()).toBe('gone');
  renameSync(`${home}-away`, home);
  expect([find(), find()]).toEqual([undefined, undefined]);
  writeFileSync(join(home, 'other'), '');
  expect(find()).toBe(undefined);
  renameSync(join(home, 'other'), file);
  expect([find(), find()]).toEqual(['replaced', 'replaced']);
});

it('a file that is moved at the very moment of another change in its folder is noticed', () => {
  const { home, file, find } = openHome();
  for (let i = 0; i < 200; i++) {
    writeFileSync(join(home, `other-${i}`), '');
    expect(find()).toBe(undefined);
    // Often the folder has the same time after both.
    renameSync(file, `${file}-away`);
    expect(find()).toBe('gone');
    renameSync(`${file}-away`, file);
  }
});
