import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rotateBackups, toBackupName } from '../../../../adapters/cli/files/backup-name.ts';
import { createFolder } from '../../../support/file.ts';

it('names a backup by its file and the second in UTC, without colons', () => {
  const at = new Date('2026-11-25T06:15:00.999Z');
  expect(toBackupName('./data/event-query.db', at)).toBe('event-query-2026-11-25T061500Z.db');
  expect(toBackupName('/data/events', at)).toBe('events-2026-11-25T061500Z.db');
});

describe('the rotation of backups', () => {
  /** A folder with empty files. */
  function createBackups(...names: readonly string[]): string {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    for (const name of names) writeFileSync(folder.file(name), '');
    return folder.path;
  }

  const ofDay = (name: string, day: number) => toBackupName(name, new Date(Date.UTC(2026, 0, day)));

  it.each([1, 2, 4, 5, 6, 7, 8, 10, 100])('keeps the newest of five if %i are asked for', (keep) => {
    const names = [1, 2, 3, 4, 5].map((day) => ofDay('events.db', day));
    const folder = createBackups(...names);
    const removed = rotateBackups(folder, './events.db', join(folder, names[4]!), keep);
    const kept = names.slice(Math.max(0, 5 - keep));
    expect(readdirSync(folder).sort()).toEqual(kept);
    expect(removed).toEqual(names.filter((name) => !kept.includes(name)).map((name) => join(folder, name)));
  });

  it.each(['events.db', 'events', 'events.sqlite', 'events.db3', 'events.v2.db'])(
    'removes those of a file called %s, and of no other',
    (file) => {
      const others = [
        'events.db',
        'events.sqlite',
        'events.db3',
        'events.v2.db',
        'events-eu.db',
        'all.events',
      ]
        .filter((name) => toBackupName(name, new Date(0)) !== toBackupName(file, new Date(0)))
        .map((name) => ofDay(name, 1));
      const own = [1, 2].map((day) => ofDay(file, day));
      const folder = createBackups(...own, ...others);
      rotateBackups(folder, join('/data', file), join(folder, own[1]!), 1);
      expect(readdirSync(folder).sort()).toEqual([own[1]!, ...others].sort());
    },
  );

  it('neither removes nor counts what is no file, such as a link or a folder', () => {
    const own = [3, 4].map((day) => ofDay('events.db', day));
    const [link, inner] = [ofDay('events.db', 1), ofDay('events.db', 2)];
    const folder = createBackups(...own, 'elsewhere');
    symlinkSync(join(folder, 'elsewhere'), join(folder, link));
    mkdirSync(join(folder, inner));
    expect(rotateBackups(folder, 'events.db', join(folder, own[1]!), 2)).toEqual([]);
    expect(rotateBackups(folder, 'events.db', join(folder, own[1]!), 1)).toEqual([join(folder, own[0]!)]);
    expect(readdirSync(folder).sort()).toEqual(['elsewhere', link, inner, own[1]!].sort());
  });
});
