import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';

const TOTALS = [12, 64, '99', 64, -3, null];
const sold: SentEvent[] = TOTALS.map((total, i) => ({
  ...{ eventName: 'sold', userId: `user-${i}`, eventTs: `2026-05-18T00:00:0${i}.000Z`, insertId: `s${i}` },
  properties: { total, plan: i % 2 === 0 ? 'pro' : 'free' },
}));
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', sold),
});

const AT = '#/explore/shop?range=all';
const ORDER = (page: Page) => page.getByRole('combobox', { name: 'Order', exact: true });
const users = (page: Page) => page.locator('.events tbody tr td:nth-child(3)').allInnerTexts();
const asked = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
const settled = (page: Page) => page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
const heads = (page: Page) => page.locator('.events thead th').allInnerTexts();

describe('the order of rows', () => {
  it('brings the largest or the smallest numbers first, with their column, and back', async () => {
    const { page } = await visits().open(AT);
    await settled(page);
    expect((await users(page)).length).toBe(6);
    await ORDER(page).selectOption('largest properties.total');
    await expect.poll(() => users(page)).toEqual(['user-3', 'user-1', 'user-0', 'user-4']);
    expect(await heads(page)).toEqual(['Time (UTC)', 'Event', 'User', 'total']);
    expect(await page.getByText('4 shown: all with a number at properties.total').count()).toBe(1);
    expect([asked(page).get('of'), asked(page).get('order')]).toEqual(['properties.total', null]);
    await ORDER(page).selectOption('smallest properties.total');
    await expect.poll(() => users(page)).toEqual(['user-4', 'user-0', 'user-3', 'user-1']);
    await ORDER(page).selectOption('');
    await expect.poll(() => users(page)).toHaveLength(6);
    expect([asked(page).get('of'), asked(page).get('order')]).toEqual([null, null]);
  });

  it('is in the address, with the filters', async () => {
    const filter = JSON.stringify([{ property: 'properties.plan', comparison: 'EQUALS', value: 'free' }]);
    const order = new URLSearchParams({ of: 'properties.total', order: 'smallest', filter });
    const { page } = await visits().open(`${AT}&${order.toString()}`);
    await settled(page);
    expect(await users(page)).toEqual(['user-3', 'user-1']);
    expect(await ORDER(page).inputValue()).toBe('smallest properties.total');
  });

  it('of a path without numbers says so, and leads to all events', async () => {
    const { page } = await visits().open(`${AT}&of=properties.plan`);
    await page.getByText('No events with a number there match').waitFor();
    await page
      .getByRole('region', { name: 'Events', exact: true })
      .getByRole('button', { name: /all/i })
      .click();
    await expect.poll(() => users(page)).toHaveLength(6);
    expect(asked(page).get('of')).toBeNull();
  });

  it('of what is no path is a link that cannot be read', async () => {
    const { page } = await visits().open(`${AT}&of=eventTs`);
    await page.getByText('This link contains no path below properties: eventTs.').waitFor();
  });
});
