import { expect, it } from 'vitest';
import { createSweeper } from '../../../adapters/sqlite/log/sweeper.ts';
import { newFile, openRaw } from './fixtures.ts';

it('stops between two steps when the stores are closed, and leaves the rest for the next start', async () => {
  const database = openRaw(newFile());
  database.exec('CREATE TABLE logs (number INTEGER, tenant_id TEXT); INSERT INTO logs VALUES (7, NULL)');
  let steps = 0;
  const sweeper = createSweeper(database, (number) => {
    expect(number).toBe(7);
    steps += 1;
    if (steps === 3) sweeper.stop();
    return steps === 100;
  });
  await sweeper.sweep({ pause: () => Promise.resolve() });
  expect(steps).toBe(3);
});
