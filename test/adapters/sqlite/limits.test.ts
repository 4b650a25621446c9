import { expect, it } from 'vitest';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { newFile, openStores } from './fixtures.ts';
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
