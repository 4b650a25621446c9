import { expect, it } from 'vitest';
import { loadPage } from '../../../../src/core/columns/log/loaded-page.ts';
import { countingPacer, eventsWith, logOf } from '../fixtures.ts';

it('says how large it is as a whole, also of what is not read yet', async () => {
  const log = logOf(eventsWith(Array.from({ length: 9 }, () => 'x'.repeat(400_000))));
  const page = loadPage({ log, rows: [8, 3, 1, 5, 0] }, (job) => Promise.resolve(job(countingPacer())));
  let pieces = 0;
  let letters = 0;
  for await (const events of page.pieces()) {
    pieces += 1;
    for (const { propertiesJson } of events) letters += propertiesJson.length;
  }
  expect(pieces).toBeGreaterThan(1);
  expect(letters).toBeGreaterThan(2_000_000);
  expect(page.bytes).toBeGreaterThanOrEqual(letters);
  expect(page.bytes).toBeLessThan(letters + 5000);
  expect(page.length).toBe(5);
  expect(page.last).toEqual({ eventTs: 0, insertId: 'id-0' });
});
