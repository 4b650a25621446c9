import { expect, it } from 'vitest';
import { createSweeper } from '../../../adapters/sqlite/log/sweeper.ts';
import { openFile } from '../../../adapters/sqlite/schema.ts';
import { newFile, openRaw } from './fixtures.ts';

it('stops between two steps when the stores are closed, and leaves the rest for the next start', async () => {
  const database = openRaw(newFile());
  openFile(database, 1000);
  database.exec('INSERT INTO logs (number, tenant_id, size) VALUES (7, NULL, 0)');
  let steps = 0;
  const sweeper = createSweeper(database, (_sweep, number) => {
    expect(number).toBe(7);
    steps += 1;
    if (steps === 3) sweeper.stop();
    return steps === 100;
  });
  await sweeper.sweep({ pause: () => Promise.resolve() });
  expect(steps).toBe(3);
});
