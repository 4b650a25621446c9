import { expect, it } from 'vitest';
import { sqliteRateLimiter } from '../../../adapters/sqlite/limits.ts';
import type { Writer } from '../../../adapters/sqlite/writer/writer.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { newFile, openRaw, openStores } from './fixtures.ts';
import { testResources } from '../../support/resources.ts';

const LIMITS = requestWindows({ perMinute: 3, perDay: 100 });

it('are shared by all processes on a file, and judged by the time behind the lock', async () => {
  const file = newFile();
  let now = 1000;
  const resources = testResources({ runtime: { now: () => now } });
  const [one, two] = [openStores(file, { resources }), openStores(file, { resources })];
  expect((await one.limits.take('k', LIMITS, REQUEST_COST)).windows[0]!.remaining).toBe(2);
  expect((await two.limits.take('k', LIMITS, REQUEST_COST)).windows[0]!.remaining).toBe(1);
  expect((await one.limits.take('k', LIMITS, REQUEST_COST)).allowed).toBe(true);
  const refused = await two.limits.take('k', LIMITS, REQUEST_COST);
  expect(refused).toMatchObject({ allowed: false, retryAfterMs: 20_000 });
  now += refused.retryAfterMs;
  expect((await two.limits.take('k', LIMITS, REQUEST_COST)).allowed).toBe(true);
  expect((await one.limits.take('other', LIMITS, 0)).windows[0]!.remaining).toBe(3);
});

it('that were taken in memory while others are written stay taken', async () => {
  const file = newFile();
  openStores(file);
  const writes: { readonly name: string; readonly end: (error?: Error) => void }[] = [];
  const run = (name: string) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ name, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  const limits = sqliteRateLimiter(openRaw(file), { run } as unknown as Writer, { now: () => 1000 });
  const take = () => limits.take('k', LIMITS, REQUEST_COST);
  const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  const first = take();
  writes[0]!.end(full);
  expect((await first).windows[0]!.remaining).toBe(2);
  // The disk has room for only one of two writes of what the first has left.
  const [second, third] = [take(), take()];
  writes[1]!.end(full);
  expect((await second).windows[0]!.remaining).toBe(1);
  writes[2]!.end();
  await expect.poll(() => writes.length).toBe(4);
  expect((await limits.take('k', LIMITS, 0)).windows[0]!.remaining).toBe(1);
  writes[3]!.end();
  await third;
  expect(writes.map(({ name }) => name)).toEqual(['take', 'keepBuckets', 'keepBuckets', 'take']);
});
