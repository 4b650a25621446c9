import { expect, it } from 'vitest';
import { createSweeper } from '../../../adapters/sqlite/sweeper.ts';
import { openFile } from '../../../adapters/sqlite/file/schema.ts';
import { fill, newFile, openRaw, openStores, P_IS_3, TENANT } from './fixtures.ts';

function openDetached() {
  const database = openRaw(newFile());
  openFile(database, 1000, 'begin');
  database.exec('INSERT INTO logs (number, tenant_id, size) VALUES (7, NULL, 0)');
  return database;
}

it('stops between two steps when the stores are closed, and leaves the rest for the next start', async () => {
  let steps = 0;
  const sweeper = createSweeper(openDetached(), (_sweep, number) => {
    expect(number).toBe(7);
    steps += 1;
    if (steps === 3) sweeper.stop();
    return steps === 100;
  });
  await sweeper.sweep(() => Promise.resolve());
  expect(steps).toBe(3);
});

it('rests after each step, and never for long, so that another process finds the lock free', async () => {
  const done: (string | number)[] = [];
  const sweeper = createSweeper(openDetached(), async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    done.push('step');
    return done.length > 4;
  });
  await sweeper.sweep(async (ms) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    done.push(ms);
  });
  expect(done).toEqual(['step', expect.any(Number), 'step', expect.any(Number), 'step']);
  expect(done.filter((each) => typeof each === 'number')).toEqual([10, 10]);
});

it('removes the columns of an older form, which no question reads', async () => {
  const file = newFile();
  const stores = openStores(file);
  await fill(stores, 40);
  const count = await stores.events.count(TENANT, P_IS_3);
  await stores.close();
  const raw = openRaw(file);
  const add = raw.prepare(
    'INSERT INTO column_chunks (log, path, chunk, entries, codes, checksum) VALUES (?, ?, 0, ?, ?, 1)',
  );
  // These are numbers of a log, and of a log of which something was erased once.
  for (const log of [1, 2 ** 21 + 1]) {
    for (const path of ['properties.p', 'eventTs']) {
      add.run(log, path, '[1,"wrong"]', Buffer.alloc(32_768, 1));
      raw.prepare('INSERT INTO column_paths (log, path, bytes, used) VALUES (?, ?, 32779, 1)').run(log, path);
    }
  }
  const opened = openStores(file);
  expect(await opened.events.count(TENANT, P_IS_3)).toBe(count);
  const rows = () =>
    ['column_chunks', 'column_paths'].map((table) =>
      raw.prepare(`SELECT count(*) FROM ${table} WHERE log < 4503599627370496`).pluck().get(),
    );
  await expect.poll(rows, { timeout: 20_000 }).toEqual([0, 0]);
  await opened.close();
});
