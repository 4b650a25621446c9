import { expect, it } from 'vitest';
import { lastDayErased } from '../../../../adapters/dashboard/pages/tenants/last-day.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const DAY_MS = 86_400_000;

it.each([1, 3, 30])('the day up to which %i days erase is that of the server', async (days) => {
  const { admin, tenant, clock, eraseExpired } = createPlainApi();
  await admin.createTenant({ alias: 'shop', plan: 'free' });
  const shop = await tenant('shop');
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  // The first and the last instant of each day.
  const instants = Array.from({ length: days + 4 }, (_, back) => today - back * DAY_MS);
  await shop.append(
    instants.flatMap((first) =>
      [first - 1, first].map((eventTs) => ({
        ...{ eventName: 'a', userId: 'u', eventTs, insertId: String(eventTs) },
      })),
    ),
  );
  const told = await shop.count({ before: lastDayErased(days, clock.now()) });
  await admin.updateTenant('shop', { retentionDays: days });
  const before = await shop.count({});
  await eraseExpired();
  expect(told).toBe(before - (await shop.count({})));
  expect(told).toBeGreaterThan(0);
});

it('no day before 1970 is named', () => {
  expect(lastDayErased(36_500, Date.UTC(2026, 0))).toBe('1970-01-01');
});
