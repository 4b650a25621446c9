import { expect, it } from 'vitest';
import { createSweeper } from '../../../adapters/sqlite/sweeper.ts';
import { openFile } from '../../../adapters/sqlite/file/schema.ts';
import { newFile, openRaw } from './fixtures.ts';

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
