import Database from 'better-sqlite3';
import { copyFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/source-copy.ts';
import { fill, newFile, openRaw, openStores, queryOf, TENANT } from './fixtures.ts';

it('the page of the commands says how to back up what is open; a copy of the file lacks events', async () => {
  const page = readFileSync(join(ROOT, 'adapters/cli/README.md'), 'utf8');
  const [, command = ''] = /`sqlite3 data\/event-query\.db "(.*)"`/.exec(page) ?? [];
  const file = newFile();
  await fill(openStores(file), 2);

  const [copy, backup] = [join(dirname(file), 'copy.db'), join(dirname(file), 'backup.db')];
  copyFileSync(file, copy);
  openRaw(file).exec(command.replace('backup.db', backup));

  const countIn = (path: string) => openStores(path).events.count(TENANT, queryOf());
  expect([await countIn(backup), await countIn(file)]).toEqual([2, 2]);
  // What is in the log beside it, here even the tables, is not in the file.
  expect(new Database(copy, { readonly: true }).pragma('user_version', { simple: true })).toBe(0);
});
