import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { chooseEvent, openTime } from './waits.ts';

const NOW = '2026-05-20T12:00:00.000Z';
const HOUR_MS = 3_600_000;

const idOf = (i: number) => `u${String(i).padStart(3, '0')}`;
/** User i has an event more than the remainder by seven, one each hour, the last of them i hours ago. */
const eventsOf = (i: number): SentEvent[] =>
  Array.from({ length: 1 + (i % 7) }, (_, k) => ({
    ...{ eventName: k === 0 ? 'signed_up' : 'order_placed', userId: idOf(i), insertId: `${i}-${k}` },
    eventTs: new Date(Date.parse(NOW) - (i + (i % 7) - k) * HOUR_MS).toISOString(),
    properties: k === 0 ? { email: `${idOf(i)}@${i % 10 === 0 ? 'Example' : 'other'}.org` } : { total: k },
  }));
const numbers = Array.from({ length: 130 }, (_, i) => i);
const events = numbers.flatMap(eventsOf);

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', events),
});

const asked = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
/** The users of the table, once it has its answer. */
const named = async (page: Page) => {
  await page.locator('.rows[aria-busy=false]').waitFor();
  return page.locator('.users td a.user').allInnerTexts();
};
/** What a row of the table says. */
const rowOf = async (page: Page, user: string) => {
  const text = await page.locator('.users tbody tr', { hasText: user }).innerText();
  return text.split(/\s+/).filter((each) => each !== '');
};
const timeOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).split('T');
const ALL = '#/users/shop?range=all';

describe('the table of users', () => {
  it('has all of them by ID, page by page, with how many events they have, from when to when', async () => {
    const { page } = await openAt(visits(), NOW, ALL);
    await expect.poll(() => named(page)).toEqual(numbers.slice(0, 100).map(idOf));
    await page.getByText('100 shown of 130').waitFor();
    const times = eventsOf(13).map(({ eventTs }) => Date.parse(eventTs));
    expect(await rowOf(page, idOf(13))).toEqual([
      ...[idOf(13), String(times.length), ...timeOf(Math.min(...times)), ...timeOf(Math.max(...times))],
    ]);
    await page.getByRole('button', { name: 'Next 100' }).click();
    await expect.poll(() => named(page)).toEqual(numbers.slice(100).map(idOf));
    await page.reload();
    await expect.poll(() => named(page)).toEqual(numbers.slice(100).map(idOf));
    await page.getByRole('button', { name: 'First page' }).click();
    await expect.poll(async () => (await named(page))[0]).toBe(idOf(0));
  });

  it('comes by figures, which are those of all users, and says which are shown', async () => {
    const { page } = await openAt(visits(), NOW, ALL);
    await page.getByLabel('Order').selectOption('most events first');
    const byCount = [...numbers].sort((a, b) => (b % 7) - (a % 7) || a - b).map(idOf);
    await expect.poll(() => named(page)).toEqual(byCount.slice(0, 100));
    await page.getByText('In this order, the first 100 are shown.').waitFor();
    expect(await page.locator('th[aria-sort]').innerText()).toBe('Events');
    await page.getByLabel('Order').selectOption('latest last event first');
    await expect.poll(() => named(page)).toEqual(numbers.slice(0, 100).map(idOf));
    await page.getByLabel('Order').selectOption('latest first event first');
    const byFirst = [...numbers].sort((a, b) => a + (a % 7) - (b + (b % 7)) || a - b).map(idOf);
    await expect.poll(() => named(page)).toEqual(byFirst.slice(0, 100));
    expect(asked(page).get('sort')).toBe('first');
  });

  it('is of a range of time, an event and filters, as the explorer is, to which it leads', async () => {
    const { page } = await openAt(visits(), NOW, '#/users/shop?range=24h&zone=Asia%2FKolkata');
    // Whose last event is not as long as 24 hours ago.
    await expect.poll(() => named(page)).toEqual(numbers.slice(0, 24).map(idOf));
    await page.getByText('Last event (Asia/Kolkata)').waitFor();
    await chooseEvent(page, 'order_placed');
    const within = events.filter(
      ({ eventName, eventTs }) =>
        eventName === 'order_placed' && Date.parse(eventTs) > Date.parse(NOW) - 24 * HOUR_MS,
    );
    await expect.poll(() => named(page)).toEqual([...new Set(within.map(({ userId }) => userId))]);
    await page.getByRole('link', { name: 'Show their events' }).click();
    await page.locator('.count', { hasText: `${within.length} events match` }).waitFor();
    expect(asked(page).get('range')).toBe('24h');
    expect(asked(page).get('zone')).toBe('Asia/Kolkata');
    // The menu leads back to the question.
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await expect.poll(() => asked(page).get('event')).toBe('order_placed');
    await openTime(page);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(async () => (await named(page)).length).toBe(100);
  });
});

describe('a search for users', () => {
  it('finds a part of their ID, and of a value that one of their events has', async () => {
    const { page } = await openAt(visits(), NOW, ALL);
    await named(page);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill('u12');
    await page.keyboard.press('Enter');
    await expect.poll(() => named(page)).toEqual(numbers.slice(120).map(idOf));
    await page.getByText('10 shown of 10, the last page').waitFor();
    await page.getByRole('link', { name: 'Show their events' }).click();
    const found = events.filter(({ userId }) => userId.includes('u12'));
    await page.locator('.count', { hasText: `${found.length} events match` }).waitFor();
    await page.goBack();

    await page.getByRole('combobox', { name: 'In' }).fill('properties.email');
    await search.fill('Example');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => named(page)).toEqual(numbers.filter((i) => i % 10 === 0).map(idOf));
    // One event has the text, and all events of the user count.
    expect((await rowOf(page, idOf(20)))[1]).toBe(String(eventsOf(20).length));
    await page.reload();
    await expect.poll(() => named(page)).toHaveLength(13);
    expect(await page.getByLabel('Order').count()).toBe(0);
    await search.fill('example');
    await page.keyboard.press('Enter');
    await page.getByText('No users match').waitFor();
    await page.getByRole('link', { name: 'Show all users of all time.' }).click();
    await expect.poll(async () => (await named(page)).length).toBe(100);
  });

  it('that finds no user in the range says so, and goes on in all time', async () => {
    const { page } = await openAt(visits(), NOW, '#/users/shop?range=1h&search=u12');
    await page.getByText('No users match in this range of time').waitFor();
    await page.getByRole('button', { name: 'Search in all time' }).click();
    await expect.poll(() => named(page)).toEqual(numbers.slice(120).map(idOf));
    expect(Object.fromEntries(asked(page))).toEqual({ range: 'all', search: 'u12' });
  });

  it('takes how many of the events they have at least', async () => {
    const { page } = await openAt(visits(), NOW, `${ALL}&event=order_placed`);
    await named(page);
    await page.getByLabel('Events at least').fill('6');
    await page.keyboard.press('Enter');
    await expect.poll(() => named(page)).toEqual(numbers.filter((i) => i % 7 === 6).map(idOf));
  });
});

describe('the page of a user', () => {
  it('leads back to the table with its question, also after a reload', async () => {
    const { page } = await openAt(visits(), NOW, `${ALL}&event=order_placed&search=u01&sort=events`);
    await page.getByRole('link', { name: 'u013' }).click();
    await page.getByRole('heading', { name: 'u013' }).waitFor();
    // All events of the user, whatever the question was.
    await expect.poll(() => page.locator('.facts dd').first().innerText()).toBe('7');
    await page.reload();
    await page.getByRole('link', { name: 'Back to users' }).click();
    const found = numbers.slice(10, 20).filter((i) => i % 7 > 0);
    const byCount = [...found].sort((a, b) => (b % 7) - (a % 7) || a - b).map(idOf);
    await expect.poll(() => named(page)).toEqual(byCount);
    expect(await page.getByRole('link', { name: 'Users', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    );
  });

  it('without a user says so', async () => {
    const { page } = await openAt(visits(), NOW, '#/person/shop');
    await page.getByText('This link names no user').waitFor();
    await page.getByRole('link', { name: 'Show all users.' }).click();
    await expect.poll(async () => (await named(page)).length).toBe(100);
  });
});

describe('on a phone', () => {
  it('the table is cards, and nothing is wider than the window', async () => {
    const { page } = await visits().open(ALL, { viewport: { width: 390, height: 844 } });
    await named(page);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
    await page.locator('.users td a.user').first().click();
    await page.locator('.day').first().waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
