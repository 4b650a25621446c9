import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ErasureReceipt } from '../../src/index.ts';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { byNewest, sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { hold, listening, WITHOUT_FILES } from './waits.ts';

const log = accessLog(2000);
/** One user with more events than a page shows. */
const BUSY = 'ada & "eve" <1>/ü';
const busy = accessLog(130, 77).map((event, i) => ({
  ...event,
  ...{ userId: BUSY, insertId: `busy-${i}` },
  properties: { ...event.properties, plan: i % 2 === 0 ? 'free' : 'pro', country: 'DE' },
}));
const all = [...log, ...busy];
const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'outlet']) await createTenant(db, alias);
  },
  furnish: async ({ origin }) => {
    for (const alias of ['shop', 'outlet'])
      for (let i = 0; i < all.length; i += 500) await sendBatch(origin, alias, all.slice(i, i + 500));
  },
});

const placeOf = (user: string, more: Readonly<Record<string, string>> = {}) =>
  `#/person/shop?${new URLSearchParams({ user, ...more }).toString()}`;
const eventsOf = (user: string) => all.filter(({ userId }) => userId === user).sort(byNewest);
const place = (page: Page) => new URL(page.url()).hash;
/** A figure about all events of the user. */
const fact = (page: Page, name: string) =>
  page.locator('.facts div', { hasText: new RegExp(`^${name}`) }).locator('dd');
/** The times of the rows, with the days that stand above them. */
async function times(page: Page): Promise<string[]> {
  await page.locator('.rows[aria-busy=false]').waitFor();
  return page.evaluate<string[]>(`[...document.querySelectorAll('.events tbody')].flatMap((day) => {
    const [, date] = day.querySelector('th').textContent.split(' ');
    return [...day.querySelectorAll('button.opener')].map((row) => date + 'T' + row.textContent.slice(2));
  })`);
}
const timesOf = (events: readonly { readonly eventTs: string }[]) =>
  events.map(({ eventTs }) => eventTs.slice(0, 23));

describe('the way to a user and back', () => {
  it('begins at the heading, and leads back to the same rows, with the same one open', async () => {
    const { page } = await visits().open('#/explore/shop?range=all');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await expect.poll(() => page.locator('button.opener').count()).toBe(50);
    await page.locator('button.opener').nth(30).click();
    const link = page.locator('.events a').nth(40);
    await link.focus();
    const before = await page.evaluate<number>('scrollY');
    expect(before).toBeGreaterThan(400);
    await page.keyboard.press('Enter');
    await page.locator('.facts').waitFor();
    await expect.poll(() => page.evaluate<number>('scrollY')).toBe(0);
    await page.goBack();
    await expect.poll(() => page.evaluate<number>('scrollY')).toBe(before);
    await expect.poll(() => page.locator('button.opener[aria-expanded=true]').count()).toBe(1);
    // The menu leads on from the question, too.
    await page.getByRole('link', { name: 'Usage' }).click();
    await expect.poll(() => page.evaluate<number>('scrollY')).toBe(0);
    await page.getByRole('link', { name: 'Explorer' }).click();
    await expect.poll(() => place(page)).toBe('#/explore/shop?range=all');
  });
});

describe('the page of a user', () => {
  it('has all of the user: figures of all events, and the events newest first, page by page', async () => {
    const { page } = await visits().open(placeOf(BUSY));
    await page.getByRole('heading', { name: BUSY }).waitFor();
    const events = eventsOf(BUSY);
    const textOf = (eventTs: string) => `${eventTs.slice(0, 10)} ${eventTs.slice(11, 19)}`;
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('130');
    await expect.poll(() => fact(page, 'First seen').innerText()).toBe(textOf(events.at(-1)!.eventTs));
    await expect.poll(() => fact(page, 'Last seen').innerText()).toBe(textOf(events[0]!.eventTs));
    await expect.poll(() => fact(page, 'Event names').innerText()).toBe('2');
    for (const name of ['page_viewed', 'asset_loaded']) {
      const count = events.filter(({ eventName }) => eventName === name).length;
      await page.locator('.names li', { hasText: name }).getByText(String(count)).waitFor();
    }
    for (let at = 0; at < 3; at++) {
      if (at > 0) await page.getByRole('button', { name: 'Next 50' }).click();
      await expect.poll(() => times(page)).toEqual(timesOf(events.slice(50 * at, 50 * (at + 1))));
    }
    await page.getByText('30 shown, the last page').waitFor();
    await page.goBack();
    await expect.poll(() => times(page)).toEqual(timesOf(events.slice(50, 100)));
  });

  it('has its events by days of the zone, each row with its time', async () => {
    const { page } = await visits().open(placeOf(BUSY, { zone: 'Asia/Kolkata', order: 'oldest' }));
    const inIndia = eventsOf(BUSY)
      .toReversed()
      .slice(0, 50)
      .map(({ eventTs }) => new Date(Date.parse(eventTs) + 5.5 * 3_600_000).toISOString());
    await expect.poll(() => times(page)).toEqual(timesOf(inIndia.map((eventTs) => ({ eventTs }))));
    const days = await page.locator('.day').allInnerTexts();
    expect(days.map((day) => day.trim().split(' ')[1])).toEqual([
      ...new Set(inIndia.map((time) => time.slice(0, 10))),
    ]);
    expect(days[0]).toMatch(/^Sun 2026-05-17/);
  });

  it('shows the events oldest first as well, which the address says', async () => {
    const { page } = await visits().open(placeOf(BUSY));
    await page.getByLabel('Order').selectOption('oldest');
    const events = eventsOf(BUSY).toReversed();
    await expect.poll(() => times(page)).toEqual(timesOf(events.slice(0, 50)));
    await page.getByRole('button', { name: 'Next 50' }).click();
    await expect.poll(() => times(page)).toEqual(timesOf(events.slice(50, 100)));
    await page.reload();
    await expect.poll(() => times(page)).toEqual(timesOf(events.slice(50, 100)));
    await page.getByRole('button', { name: 'First page' }).click();
    await expect.poll(() => times(page)).toEqual(timesOf(events.slice(0, 50)));
    expect(place(page)).toContain('order=oldest');
  });

  it('begins at the event one came from, marked; those on its other side are a click away', async () => {
    const events = eventsOf(BUSY);
    const from = events[70]!;
    const { page } = await visits().open(
      `#/explore/shop?${new URLSearchParams({
        filter: JSON.stringify([{ property: 'insertId', comparison: 'EQUALS', value: from.insertId }]),
        range: 'all',
      }).toString()}`,
    );
    await page.locator('.events tbody a.user').click();
    const older = events.filter(({ eventTs }) => eventTs <= from.eventTs);
    await expect.poll(() => times(page)).toEqual(timesOf(older.slice(0, 50)));
    const marked = page.locator('.events tr[aria-current=true] button.opener');
    const same = events.filter(({ eventTs }) => eventTs === from.eventTs).length;
    expect(await marked.count()).toBe(same);
    expect(await marked.first().getAttribute('title')).toContain(from.eventTs);
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('130');
    await page.getByRole('button', { name: 'Next 50' }).click();
    await expect.poll(() => times(page)).toEqual(timesOf(older.slice(50)));
    await page.reload();
    await expect.poll(() => times(page)).toEqual(timesOf(older.slice(50)));
    await page.getByRole('button', { name: 'Later events' }).click();
    const newer = events.filter(({ eventTs }) => eventTs >= from.eventTs).toReversed();
    await expect.poll(() => times(page)).toEqual(timesOf(newer.slice(0, 50)));
    await page.getByRole('button', { name: 'All events' }).click();
    await expect.poll(() => times(page)).toEqual(timesOf(events.toReversed().slice(0, 50)));
    expect(await marked.count()).toBe(0);
  });

  it('shows how properties changed, of the events that it shows and no others', async () => {
    const { page } = await visits().open(placeOf(BUSY, { order: 'oldest' }));
    const shown = eventsOf(BUSY).toReversed().slice(0, 50);
    const row = (name: string) =>
      page.locator('.history > ul > li', { hasText: new RegExp(`^${name}`) }).locator('ol');
    await page.getByText('in the 50 events shown').waitFor();
    await expect.poll(() => row('country').innerText()).toBe('DE');
    const plans = shown.map(({ properties }) => properties.plan as string);
    const changes = plans.filter((plan, i) => plan !== plans[i - 1]);
    const lines = (await row('plan').innerText()).split('\n');
    expect(lines.slice(0, 4).map((line) => line.split(' ')[0])).toEqual(changes.slice(-4).toReversed());
    expect(lines[4]).toBe(`${changes.length - 4} earlier changes`);
  });

  it('shows nothing of one user under another one while answers are on their way', async () => {
    const [one, other] = [log[0]!.userId, log.find(({ userId }) => userId !== log[0]!.userId)!.userId];
    const { page } = await visits().open(placeOf(one));
    await expect.poll(() => fact(page, 'Events').innerText()).toBe(String(eventsOf(one).length));
    const letGo = await hold(page, '**');
    await page.goto(`${visits().server.origin}/dashboard${placeOf(other)}`);
    await page.getByRole('heading', { name: other }).waitFor();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('…');
    await expect.poll(() => page.locator('button.opener').count()).toBe(0);
    letGo();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe(String(eventsOf(other).length));
  });

  it('exports the events of this user, all and only these', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${placeOf(BUSY)}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export NDJSON' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('shop-user.ndjson');
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { insertId: string }).insertId);
    expect(ids).toEqual(eventsOf(BUSY).map(({ insertId }) => insertId));
  });

  it('says so of a user without events, and finds one by what is typed', async () => {
    const { page } = await visits().open(placeOf('nobody'));
    await page.getByText('No events of this user').waitFor();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('0');
    await expect.poll(() => fact(page, 'First seen').innerText()).toBe('never');
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('"eve" <1>');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: BUSY }).click();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('130');
  });
});

describe('a user is a link', () => {
  const [newest] = [...log, ...busy].sort(byNewest);
  const isThere = async (page: Page, user: string) => {
    await page.getByRole('heading', { name: user, exact: true }).waitFor();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe(String(eventsOf(user).length));
  };

  it('in rows, in an opened event, and in the users of a breakdown', async () => {
    const { page } = await visits().open('#/explore/shop?by=userId');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await page.locator('.events tbody a.user').first().click();
    await isThere(page, newest!.userId);
    await page.goBack();
    await page.locator('.rows[aria-busy=false] button.opener').first().click();
    await page.locator('.json a.user').click();
    await isThere(page, newest!.userId);
    await page.goBack();
    await page.locator('.bars a.user').first().click();
    await isThere(page, BUSY);
  });

  it('in live events', async () => {
    const { page } = await visits().open('#/live/outlet');
    await listening(page);
    await sendBatch(visits().server.origin, 'outlet', [
      { ...log[0]!, userId: 'live-user', insertId: 'live-1' },
    ]);
    await page.getByRole('link', { name: 'live-user' }).click();
    await page.getByRole('heading', { name: 'live-user' }).waitFor();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('1');
  });

  it('one click on a row shows the user; a value there asks for it in the explorer', async () => {
    const { page } = await visits().open(placeOf(BUSY));
    await page.locator('.rows[aria-busy=false] button.opener').first().click();
    await page.getByRole('button', { name: 'only this: properties.plan' }).click();
    const [first] = eventsOf(BUSY);
    const same = eventsOf(BUSY).filter(({ properties }) => properties.plan === first!.properties.plan);
    await page.locator('.count', { hasText: `${same.length} events match` }).waitFor();
  });
});

describe('erasing a user', () => {
  it('says how many events go, takes the user’s id, and erases these and no others', async () => {
    const user = log[5]!.userId;
    const count = eventsOf(user).length;
    const { page } = await visits().open(placeOf(user));
    await page.getByRole('button', { name: 'Erase…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this user?' });
    await dialog.getByText(`${count} events of ${user} will be erased`).waitFor();
    const act = dialog.getByRole('button', { name: 'Erase permanently' });
    await expect.poll(() => act.isDisabled()).toBe(true);
    const confirm = dialog.getByLabel(`Type “${user}” to confirm`);
    await confirm.fill('shop');
    await expect.poll(() => act.isDisabled()).toBe(true);
    await confirm.fill(user);
    await act.click();
    await page.getByText(`${count} events were erased`).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the receipt' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^erased-shop-\d{4}-\d\d-\d\dT[\d.-]+Z\.json$/);
    const receipt = JSON.parse(readFileSync(await download.path(), 'utf8')) as ErasureReceipt;
    expect(receipt).toMatchObject({ tenant: 'shop', erased: count, otherNames: 0 });
    expect(receipt.names.reduce((sum, name) => sum + name.count, 0)).toBe(count);
    expect(JSON.stringify(receipt)).not.toContain(user);
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('0');
    await page.getByText('No events of this user').waitFor();

    await page.goto(`${visits().server.origin}/dashboard#/explore/shop`);
    await page.getByText(`${(all.length - count).toLocaleString('en')} events in total`).waitFor();
    await page.goto(
      `${visits().server.origin}/dashboard#/person/outlet?${new URLSearchParams({ user }).toString()}`,
    );
    await expect.poll(() => fact(page, 'Events').innerText()).toBe(String(count));
    await page.goto(`${visits().server.origin}/dashboard#/audit`);
    await page
      .getByRole('row', { name: /erased events/ })
      .first()
      .waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain(user);
  });

  it('erases nothing where somebody cancels', async () => {
    const user = log[9]!.userId;
    const { page } = await visits().open(placeOf(user));
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByLabel(`Type “${user}” to confirm`).fill(user);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => fact(page, 'Events').innerText()).toBe(String(eventsOf(user).length));
  });
});
