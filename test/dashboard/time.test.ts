import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { byNewest, sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { copyBy, hold, listAsked, openCustom, openShare, openTime } from './waits.ts';

/** Events from 17 May to 20 May. */
const log = accessLog(2000);
/** Within the last day of the log. */
const NOON = '2026-05-20T12:30:00.000Z';
const HOUR_MS = 3_600_000;

/** An event each half hour of the days around the one on which the clocks of Berlin go forward. */
const spring: readonly SentEvent[] = Array.from({ length: 4 * 48 }, (_, i) => ({
  ...log[0]!,
  eventTs: new Date(Date.parse('2026-03-27T00:15:00Z') + i * 0.5 * HOUR_MS).toISOString(),
  insertId: `spring-${i}`,
}));

const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'spring', 'watched', 'paged']) await createTenant(db, alias);
  },
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) {
      await sendBatch(origin, 'shop', log.slice(i, i + 500));
      await sendBatch(origin, 'paged', log.slice(i, i + 500));
    }
    await sendBatch(origin, 'spring', spring);
  },
});

const toText = (count: number) => count.toLocaleString('en');
const shows = (page: Page, count: number, more = '') =>
  page
    .locator('.count', { hasText: new RegExp(`^${toText(count)} events? (match|in total).*${more}`) })
    .waitFor();
const choose = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const asked = (page: Page) => new URL(page.url()).hash;
/** How many events are from an instant until another. */
const between = (from: string, until: string, events: readonly SentEvent[] = log) =>
  events.filter(({ eventTs }) => eventTs >= from && eventTs < until).length;
const settled = (page: Page) => page.locator('.rows[aria-busy=false]').waitFor();
const ids = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.rows[aria-busy=false] button.opener')]
      .map(({ ariaLabel }) => ariaLabel)`,
  );
/** The name of an event's row. */
const rowText = ({ eventTs, eventName }: SentEvent) =>
  `${eventTs.slice(0, 10)} ${eventTs.slice(11, 23)} ${eventName}`;
/** The rows of the chart's table: the beginning of each bucket, and its figures. */
async function figures(page: Page): Promise<string[][]> {
  await page.locator('.histogram[aria-busy=false] .figures').waitFor();
  return page.evaluate<string[][]>(
    `[...document.querySelectorAll('.figures tbody tr')].map((row) =>
      [...row.cells].slice(0, -1).map((cell) => cell.textContent.trim()))`,
  );
}

describe('the first view', () => {
  it.each([
    [NOON, '24 h', between('2026-05-19T12:30:00.001Z', '2026-05-20T12:30:00.001Z')],
    ['2026-05-24T00:00:00.000Z', '7 d', between('2026-05-17T00:00:00.001Z', '2026-05-21')],
    ['2026-06-10T00:00:00.000Z', '30 d', log.length],
  ])('at %s shows the last events, %s, with all one click away', async (clock, preset, count) => {
    const { page } = await openAt(visits(), clock, '#/explore/shop');
    await shows(page, count, 'in the last');
    await page.getByText('the latest with events').waitFor();
    await openTime(page);
    await expect
      .poll(() => page.getByRole('button', { name: preset, exact: true }).getAttribute('aria-pressed'))
      .toBe('true');
    await choose(page, 'All');
    await page.getByText('2,000 events in total').waitFor();
    expect(asked(page)).toBe('#/explore/shop?range=all');
  });

  it('shows all time where the last 30 days have none, and says why', async () => {
    const { page } = await openAt(visits(), '2026-07-10T00:00:00.000Z', '#/explore/shop');
    await page.getByText('2,000 events in total').waitFor();
    await page.getByText('because the last 30 days have no events').waitFor();
  });

  it('of an old link is what its days say, whatever the time is', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?after=2026-05-18&before=2026-05-19');
    await shows(page, between('2026-05-18', '2026-05-20'));
    await page.getByText('Showing 2026-05-18 00:00 to 2026-05-20 00:00 (UTC).').waitFor();
  });
});

/** How many of the questions are for the count. */
const countsIn = (questions: readonly string[]) => questions.filter((url) => url.includes('/count/')).length;
/** Waits until a page that asks by itself has looked at its clock three times. */
const threeLooks = (page: Page) => page.evaluate('new Promise((done) => setTimeout(done, 3000))');

describe('a preset', () => {
  it('is the last hour when its link is opened, and each refresh moves it', async () => {
    const { page, setClock } = await openAt(visits(), NOON, '#/explore/shop?range=1h');
    await shows(page, between('2026-05-20T11:30:00.001Z', '2026-05-20T12:30:00.001Z'));
    await setClock('2026-05-20T14:30:00.000Z');
    await choose(page, 'Refresh');
    await shows(page, between('2026-05-20T13:30:00.001Z', '2026-05-20T14:30:00.001Z'));
    expect(asked(page)).toBe('#/explore/shop?range=1h');
    await page.getByText('2026-05-20 13:30 to 2026-05-20 14:30 (UTC)').waitFor();
  });

  it('is asked for again by Refresh and by itself; not before its answer, nor while hidden', async () => {
    const { page, context, setClock } = await openAt(visits(), NOON, '#/explore/watched?range=24h');
    const send = (second: number) =>
      sendBatch(visits().server.origin, 'watched', [
        { ...log[0]!, eventTs: `2026-05-20T12:30:${second}.000Z`, insertId: `watched-${second}` },
      ]);
    await shows(page, 0);
    await send(10);
    await setClock('2026-05-20T12:30:11.000Z');
    await choose(page, 'Refresh');
    await shows(page, 1);
    await expect.poll(async () => (await ids(page)).length).toBe(1);
    await page.getByText('12:30:11').waitFor();

    await openTime(page);
    await page.getByLabel('Auto-refresh').selectOption('10');
    await expect.poll(() => asked(page)).toContain('every=10');
    await send(20);
    await setClock('2026-05-20T12:30:22.000Z');
    await shows(page, 2);

    const questions = listAsked(context);
    const letGo = await hold(page, 'count/watched');
    await setClock('2026-05-20T12:30:33.000Z');
    await expect.poll(() => countsIn(questions)).toBe(1);
    await setClock('2026-05-20T12:30:44.000Z');
    await threeLooks(page);
    expect(countsIn(questions)).toBe(1);
    letGo();
    await page.getByText('12:30:44').waitFor();
    await settled(page);

    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`);
    const counts = listAsked(context);
    await send(30);
    await setClock('2026-05-20T12:30:55.000Z');
    await threeLooks(page);
    expect(counts).toEqual([]);
    await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`);
    await shows(page, 3);
  });

  it('keeps one instant while pages are turned: none skipped, none twice, whatever arrives', async () => {
    const { page, setClock } = await openAt(visits(), NOON, '#/explore/paged?range=24h');
    const day = log
      .filter(({ eventTs }) => eventTs > '2026-05-19T12:30:00.000Z' && eventTs <= NOON)
      .sort(byNewest)
      .map(rowText);
    await expect.poll(() => ids(page)).toEqual(day.slice(0, 50));
    await sendBatch(visits().server.origin, 'paged', [
      { ...log[0]!, eventTs: '2026-05-20T12:45:00.000Z', insertId: 'later' },
    ]);
    await setClock('2026-05-20T18:00:00.000Z');
    for (let at = 1; 50 * at < day.length; at++) {
      await page.getByRole('button', { name: 'Next 50' }).click();
      await expect.poll(() => ids(page)).toEqual(day.slice(50 * at, 50 * (at + 1)));
      await shows(page, day.length);
      // A reload is the same page of the same instant.
      if (at === 1) await page.reload();
    }
    expect(asked(page)).toContain(`at=${Date.parse(NOON)}`);
    await page.getByRole('button', { name: 'First page' }).click();
    await expect.poll(() => ids(page)).toEqual(day.slice(0, 50));
    await setClock('2026-05-20T18:00:00.000Z');
    await choose(page, 'Refresh');
    await shows(page, between('2026-05-19T18:00:00.001Z', '2026-05-20T18:00:00.001Z') + 1);
    expect(asked(page)).not.toContain('at=');
  });
});

const zones = (page: Page) => page.getByRole('listbox', { name: 'time zones' }).getByRole('option');
/** The first two zones of the list, as they are written. */
const firstZones = async (page: Page) =>
  (await zones(page).allInnerTexts()).slice(0, 2).map((text) => text.replaceAll(/\s/g, ''));

describe('a zone', () => {
  it('of the address has its own days, by exact counts, where clocks go forward too', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/spring?range=all&unit=day&zone=Europe/Berlin');
    const days = (await figures(page)).map(([day, count]) => [day, Number(count)]);
    expect(days).toEqual([
      // From a quarter past one in Berlin on.
      ['Fri 2026-03-27', 46],
      ['Sat 2026-03-28', 48],
      ['Sun 2026-03-29', 46],
      ['Mon 2026-03-30', 48],
      ['Tue 2026-03-31', 4],
    ]);
  });

  it('with half hours counts by minutes, and a range typed in its time is exact', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=all&zone=Asia/Kolkata&unit=day');
    const dayOf = (eventTs: string) =>
      new Date(Date.parse(eventTs) + 5.5 * HOUR_MS).toISOString().slice(0, 10);
    const wanted = new Map<string, number>();
    for (const { eventTs } of [...log].sort(byNewest).reverse())
      wanted.set(dayOf(eventTs), (wanted.get(dayOf(eventTs)) ?? 0) + 1);
    // Some of the last day is after the clock of the test, so that day is marked in no case here.
    expect((await figures(page)).map(([day, count]) => [day!.slice(4, 14), Number(count)])).toEqual([
      ...wanted,
    ]);

    await openCustom(page);
    await page.getByLabel('From (Asia/Kolkata)').fill('2026-05-18T09:15');
    await page.getByLabel('Until (Asia/Kolkata)').fill('2026-05-18T17:45');
    await choose(page, 'Apply');
    await shows(page, between('2026-05-18T03:45:00.000Z', '2026-05-18T12:15:00.000Z'));
    expect(decodeURIComponent(asked(page))).toContain(
      'from=2026-05-18T03:45:00.000Z&until=2026-05-18T12:15:00.000Z',
    );
    await page.getByText('Showing 2026-05-18 09:15 to 2026-05-18 17:45 (Asia/Kolkata).').waitFor();
    await openCustom(page);
    await choose(page, 'Clear');
    await page.getByText('2,000 events in total').waitFor();
  });

  it('is UTC, that of the browser, or any other that one finds by typing', async () => {
    const { page, context } = await openAt(visits(), NOON, '#/explore/shop?range=today');
    const tools = await context.newCDPSession(page);
    await tools.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
    await page.reload();
    await shows(page, between('2026-05-20', '2026-05-20T12:30:00.001Z'), 'today');
    await openTime(page);
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.click();
    await expect.poll(() => firstZones(page)).toEqual(['UTC', 'America/New_Yorkbrowser']);
    await zones(page).nth(1).click();
    await shows(page, between('2026-05-20T04:00', '2026-05-20T12:30:00.001Z'), 'today');
    expect(decodeURIComponent(asked(page))).toContain('zone=America/New_York');
    await zone.fill('kolk berlin');
    await page.getByText('No time zones with this text').waitFor();
    await zone.fill('new y');
    await expect.poll(() => firstZones(page)).toEqual(['America/New_Yorkbrowser']);
    await zone.fill('berlin');
    await page.keyboard.press('Enter');
    await shows(page, between('2026-05-19T22:00', '2026-05-20T12:30:00.001Z'), 'today');
    expect(decodeURIComponent(asked(page))).toContain('zone=Europe/Berlin');
    await zone.fill('utc');
    await zones(page).first().click();
    await expect.poll(() => asked(page)).toBe('#/explore/shop?range=today');
  });
});

describe('the chosen zone', () => {
  it('is that of rows and of all pages, after a reload too, with UTC as the title', async () => {
    const { page, go } = await openAt(visits(), NOON, '#/explore/shop?range=today');
    await settled(page);
    await openTime(page);
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    // By the name of today and by the former one, whichever the browser lists.
    for (const [typed, name] of [
      ['kiev', 'Europe/Kyiv'],
      ['kyiv', 'Europe/Kyiv'],
      ['katm', 'Asia/Kathmandu'],
      ['calcutta', 'Asia/Kolkata'],
    ] as const) {
      await zone.fill(typed);
      await expect.poll(async () => (await zones(page).allInnerTexts())[0]).toContain(name);
    }
    await page.keyboard.press('Enter');
    await page.getByText('Time (Asia/Kolkata)').waitFor();
    await shows(page, between('2026-05-19T18:30', '2026-05-20T12:30:00.001Z'), 'today');
    const [newest] = log.filter(({ eventTs }) => eventTs <= NOON).sort(byNewest);
    const inIndia = new Date(Date.parse(newest!.eventTs) + 5.5 * HOUR_MS).toISOString();
    await expect.poll(async () => (await ids(page))[0]).toBe(rowText({ ...newest!, eventTs: inIndia }));
    expect(await page.locator('button.opener').first().getAttribute('title')).toBe(
      `${newest!.eventTs} (UTC)`,
    );

    await go(`#/person/shop?user=${newest!.userId}`);
    await page.getByText('Last seen (Asia/Kolkata)').waitFor();
    await page.getByText('Time (Asia/Kolkata)').waitFor();
    await go('#/keys/shop');
    await page.getByText('Created (Asia/Kolkata)').waitFor();
    await go('#/audit');
    await page.getByText('When (Asia/Kolkata)').waitFor();
    await page.getByLabel('First day (Asia/Kolkata)').waitFor();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('utc');
    await zones(page).first().click();
    await page.getByText('When (UTC)').waitFor();
    await go('#/explore/shop?range=today');
    await page.getByText('Time (UTC)').waitFor();
  });

  it('can be another one wherever the address names one, also on a page without a range', async () => {
    const { page, go } = await openAt(visits(), NOON, '#/audit?zone=Asia/Kolkata');
    await page.getByText('When (Asia/Kolkata)').waitFor();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('berlin');
    await zones(page).first().click();
    await page.getByText('When (Europe/Berlin)').waitFor();
    expect(decodeURIComponent(asked(page))).toContain('zone=Europe/Berlin');
    await go('#/keys/shop');
    await page.getByText('Created (Europe/Berlin)').waitFor();
  });

  it('gives way to that of an address, and is part of the link that is copied', async () => {
    const { page, context, go } = await openAt(visits(), NOON, '#/explore/shop?range=today');
    await page.evaluate(`localStorage.setItem('event-query-zone', 'Asia/Kolkata')`);
    await go('#/explore/shop?range=today&zone=Europe/Berlin');
    await page.getByText('Time (Europe/Berlin)').waitFor();
    await go('#/explore/shop?range=today');
    await page.getByText('Time (Asia/Kolkata)').waitFor();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openShare(page);
    const link = await copyBy(page, page.getByRole('button', { name: 'Copy link', exact: true }));
    expect(decodeURIComponent(link)).toContain('zone=Asia/Kolkata');
  });
});

describe('a custom range', () => {
  it('that ends before it begins is refused by its fields, and nothing is asked', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=24h');
    await openCustom(page);
    await page.getByLabel('From (UTC)').fill('2026-05-18T10:00');
    await page.getByLabel('Until (UTC)').fill('2026-05-18T10:00');
    await choose(page, 'Apply');
    await page.getByText('“Until” must be after “From”.').waitFor();
    expect(asked(page)).toBe('#/explore/shop?range=24h');
  });

  it('keeps the end that was not typed, to the millisecond', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=24h');
    await openCustom(page);
    await page.getByLabel('Until (UTC)').fill('2026-05-20T10:00');
    await choose(page, 'Apply');
    await expect
      .poll(() => decodeURIComponent(asked(page)))
      .toBe('#/explore/shop?from=2026-05-19T12:30:00.001Z&until=2026-05-20T10:00:00.000Z');
    await shows(page, between('2026-05-19T12:30:00.001Z', '2026-05-20T10:00:00.000Z'));
  });
});

describe('tasks', () => {
  it('yesterday takes two clicks, and the next day it is another one', async () => {
    const { page, setClock } = await openAt(visits(), NOON, '#/explore/shop?range=all');
    await settled(page);
    await openTime(page);
    await choose(page, 'Yesterday');
    await shows(page, between('2026-05-19', '2026-05-20'), 'yesterday');
    await page.getByText('Showing yesterday: 2026-05-19 00:00 to 2026-05-20 00:00 (UTC).').waitFor();
    await setClock('2026-05-21T00:30:00.000Z');
    await choose(page, 'Refresh');
    await shows(page, between('2026-05-20', '2026-05-21'), 'yesterday');
    expect(asked(page)).toContain('range=yesterday');
  });

  it('one user today takes four clicks', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop');
    await settled(page);
    const [newest] = log.filter(({ eventTs }) => eventTs <= NOON).sort(byNewest);
    await page.locator('button.opener').first().click();
    await page.getByRole('button', { name: 'only this: userId' }).click();
    await openTime(page);
    await choose(page, 'Today');
    const today = log.filter(
      ({ userId, eventTs }) => userId === newest!.userId && eventTs >= '2026-05-20' && eventTs <= NOON,
    );
    await shows(page, today.length, 'today');
  });

  it('two weeks compared takes three clicks', async () => {
    const { page, go } = await openAt(visits(), '2026-05-26T00:00:00.000Z', '#/explore/shop');
    await settled(page);
    await openTime(page);
    await choose(page, '7 d');
    await page.getByLabel('Compare with the period before').check();
    const [now, before] = [
      between('2026-05-19T00:00:00.001Z', '2026-05-26'),
      between('2026-05-12', '2026-05-19T00:00:00.001Z'),
    ];
    const comparison = page.locator('.comparison');
    await comparison.getByText(toText(before), { exact: true }).waitFor();
    await expect
      .poll(() => comparison.innerText())
      .toContain(`${toText(now)} against ${toText(before)} in the period before`);
    const percent = Math.round((Math.abs(now - before) / before) * 1000) / 10;
    await expect
      .poll(() => comparison.innerText())
      .toContain(percent < 10 ? percent.toFixed(1) : String(Math.round(percent)));
    expect(asked(page)).toContain('compare=before');
    await go(asked(page));
    await comparison.waitFor();
  });
});
