import { expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, withRecordsOf } from '../support/file.ts';
import { ask, sendBatch } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';
import { settle } from './views.ts';
import { movedOn } from './visits.ts';

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const GOOD = { eventName: 'visited', userId: 'ada', properties: {} };
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    const counts = { requests: 1000, refused: 20, limited: 5, events: 4000, rejected: 7, bytes: 2_097_152 };
    await withRecordsOf(db, async ({ tenants, usage }) => {
      const { id } = (await tenants.findByAlias('shop'))!;
      await usage.add(
        id,
        [3, 40].map((days) => ({ day: dayBefore(days), ...counts })),
      );
    });
  },
});

const card = (page: Page, title: string) => page.locator('.day-bars', { hasText: new RegExp(`^${title}`) });
const total = (page: Page, title: string) => card(page, title).locator('.meter-figure').innerText();

it('the page of usage measures what is stored, in all and of each name, when somebody asks', async () => {
  const { server } = visits();
  await createTenant(visits().db, 'sizes');
  const events = [1, 2, 3].map((i) => ({ ...GOOD, insertId: `i-${i}`, eventTs: '2026-01-01T00:00:00.000Z' }));
  await sendBatch(server.origin, 'sizes', [...events, { ...events[0]!, eventName: 'größe', insertId: 'x' }]);
  const { page } = await visits().open('#/usage/sizes');
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText('4 events, 534 bytes as an export writes them.').waitFor();
  const rows = page.getByRole('region', { name: 'Stored by name' }).locator('tbody tr');
  await expect
    .poll(async () => (await rows.allInnerTexts()).map((text) => text.split(/\s+/)))
    .toEqual([
      ['visited', '3', '402', '75.3%'],
      ['größe', '1', '132', '24.7%'],
    ]);
});

it('the page of usage says what was requested, refused and stored on each day', async () => {
  const { server } = visits();
  const { page } = await visits().open('#/explore/shop');
  const events = [1, 2, 3].map((i) => ({ ...GOOD, insertId: `i-${i}`, eventTs: new Date().toISOString() }));
  await sendBatch(server.origin, 'shop', events);
  const refused = await ask(server.origin, '/v1/events/shop/multi', {
    headers: { 'Content-Type': 'application/json' },
    body: '{',
  });
  expect(refused.status).toBe(400);

  // One click from anywhere.
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect.poll(() => total(page, 'Requests')).toBe('1,002');
  await card(page, 'Requests').getByText('21 refused, of which 5 by a limit').waitFor();
  expect(await total(page, 'Events received')).toBe('4,003');
  await card(page, 'Events received').getByText('7 rejected', { exact: true }).waitFor();
  expect(await total(page, 'Bytes of events')).toBe('2.0 MiB');
  await expect.poll(() => card(page, 'Requests').locator('g').count()).toBe(30);

  await page.locator('.figures summary').click();
  const rows = page.getByRole('region', { name: 'Usage by day' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(30);
  // The day may have changed since they were sent.
  const figures = async (i: number) => (await rows.nth(i).locator('td').allInnerTexts()).map(Number);
  const [today, yesterday] = [await figures(0), await figures(1)];
  expect(today.map((each, i) => each + yesterday[i]!).slice(0, 5)).toEqual([2, 1, 0, 3, 0]);
  const row = page.getByRole('row', { name: dayBefore(3) });
  await expect
    .poll(() => row.locator('td').allInnerTexts())
    .toEqual(['1,000', '20', '5', '4,000', '7', '2,097,152']);

  await page.getByRole('button', { name: '90 days' }).click();
  await expect.poll(() => total(page, 'Requests')).toBe('2,002');
  expect(new URL(page.url()).hash).toBe('#/usage/shop?days=90');
  await page.reload();
  await expect.poll(() => total(page, 'Requests')).toBe('2,002');
  await page.goBack();
  await expect.poll(() => total(page, 'Requests')).toBe('1,002');

  await card(page, 'Requests').getByRole('link', { name: 'why' }).click();
  await page.getByRole('cell', { name: '1 request', exact: true }).waitFor();
  await page.getByText('The body is not valid JSON.').waitFor();
});

it('the page of usage asks again where it is told to', async () => {
  const { page } = await visits().open('#/usage/shop?days=7');
  await card(page, 'Events received').waitFor();
  const before = Number((await total(page, 'Events received')).replace(',', ''));
  // What is stored is another figure than what senders sent on the days: the former days have no events here.
  const stored = page.getByText(/events are stored, imported ones included/).locator('strong');
  await expect.poll(() => stored.innerText()).toBe('3');
  const event = { ...GOOD, insertId: 'later', eventTs: new Date().toISOString() };
  await sendBatch(visits().server.origin, 'shop', [event]);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect
    .poll(async () => Number((await total(page, 'Events received')).replace(',', '')))
    .toBe(before + 1);
  await expect.poll(() => stored.innerText()).toBe('4');
});

it.each([
  ['usage/shop', 'usage/history/'],
  ['usage/history/', 'usage/shop'],
])('nothing moves where %s answers last', async (last, first) => {
  const { page } = await visits().open('#/usage/shop', { viewport: { width: 320, height: 640 } });
  await settle(page);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(new RegExp(`/v1/admin/${last}`), async (route) => {
    await held;
    await route.continue();
  });
  const answered = page.waitForResponse((answer) => answer.url().includes(first));
  await page.reload();
  await answered;
  // What the page does with the first answer is drawn before the second one comes.
  await page.evaluate(`new Promise((done) => setTimeout(() => requestAnimationFrame(() => done()), 500))`);
  letGo();
  await page.getByRole('heading', { name: 'Incoming events: left now' }).waitFor();
  await card(page, 'Requests').waitFor();
  await settle(page);
  expect(await movedOn(page)).toEqual([]);
});
