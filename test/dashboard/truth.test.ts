import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { addColumn, chooseEvent, hold, listAsked, pathsKnown } from './waits.ts';

/** Values that look alike and are not: of each type one event. */
const ALIKE: readonly unknown[] = [5, '5', true, 'true', '', 'plain', null];
const log = accessLog(400);
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await createTenant(db, 'alike');
  },
  furnish: async ({ origin }) => {
    await sendBatch(origin, 'shop', log);
    const events = ALIKE.map((value, i) => ({ ...log[i]!, properties: { value, comma: { 'a,b%': i } } }));
    await sendBatch(origin, 'alike', events);
  },
});

const place = (parameters: Readonly<Record<string, string>>, alias = 'shop') =>
  `#/explore/${alias}?${new URLSearchParams(parameters).toString()}`;
const failed = log.filter((event) => statusOf(event) === 404);
const shows = (page: Page, text: string) => page.locator('.count', { hasText: text }).waitFor();
/** What assistive technology is told of the count. */
const told = (page: Page) =>
  page.evaluate<string>(`document.querySelector('.count > [aria-hidden=false]')?.textContent ?? ''`);
const faded = (page: Page, selector: string) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('${selector}')].every((each) => getComputedStyle(each).opacity < 1)`,
  );

describe('while an answer is on its way', () => {
  it('no figure of the question before stands as the count, and bars and rows are dim', async () => {
    const { page } = await visits().open('#/explore/shop', { reducedMotion: 'reduce' });
    await shows(page, '400 events in total');
    await page.locator('svg.chart').waitFor();
    await page.locator('.rows[aria-busy=false]').waitFor();
    const answers = await Promise.all(
      ['count/shop', 'breakdown/shop', 'shop'].map((path) => hold(page, path)),
    );
    await chooseEvent(page, 'page_viewed');
    await shows(page, '… events match');
    expect(await told(page)).toBe('');
    await expect.poll(() => faded(page, '.plot, .rows .table')).toBe(true);
    for (const answer of answers) answer();
    const viewed = log.filter(({ eventName }) => eventName === 'page_viewed');
    await shows(page, `${viewed.length} events match`);
    expect(await told(page)).toBe(`${viewed.length} events match`);
    await page.locator('.rows[aria-busy=false]').waitFor();
    expect(await faded(page, '.rows .table')).toBe(false);
  });

  it('nobody waits for the answer to the question before, and it takes no place', async () => {
    const { page, context } = await visits().open('#/explore/shop');
    await shows(page, '400 events in total');
    const ended = new Promise<string>((resolve) =>
      context.on('requestfailed', (request) => {
        if (request.url().includes('/count/')) resolve(request.failure()!.errorText);
      }),
    );
    const answer = await hold(page, 'count/shop');
    await chooseEvent(page, 'page_viewed');
    await shows(page, '… events match');
    await chooseEvent(page, 'asset_loaded');
    expect(await ended).toContain('ERR_ABORTED');
    answer();
    await shows(page, `${log.filter(({ eventName }) => eventName === 'asset_loaded').length} events match`);
  });

  it('the groups of another path are dim, and no figure stands above them', async () => {
    const { page } = await visits().open(place({ by: 'properties.status' }), { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'only: 404' }).waitFor();
    const answer = await hold(page, 'breakdown/shop');
    await page.getByLabel('By the values of').fill('properties.method');
    await page.keyboard.press('Enter');
    await page.getByText('Counting by properties.method…').waitFor();
    expect(await faded(page, '.bars')).toBe(true);
    await expect.poll(() => page.getByText('distinct users').count()).toBe(0);
    answer();
    await page.getByText('distinct users').waitFor();
  });
});

describe('a link that cannot be read', () => {
  const EVENTS = /\d events/;
  it.each([
    [{ filter: '[broken' }, 'an unreadable filter'],
    [
      { filter: '[{"property":"properties.status","comparison":"STARTS_WITHH","value":"4"}]' },
      'an unreadable filter',
    ],
    [{ unit: 'century' }, 'an unknown unit of time: century'],
    [{ after: '2026-13-45' }, 'an invalid date: 2026-13-45'],
    [{ range: '5y' }, 'an unknown time range: 5y'],
    [{ from: '2026-05-18T25:00Z' }, 'an invalid time: 2026-05-18T25:00Z'],
    [{ range: '1h', zone: 'Mars/Phobos' }, 'an unknown time zone: Mars/Phobos'],
  ])('%o is told, and answered by nothing until all events are asked for', async (parameters, said) => {
    // A page that asks no question about events.
    const { page, context } = await visits().open('#/keys/shop');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    const asked = listAsked(context);
    for (const name of ['explore', 'live']) {
      await page.goto(`${visits().server.origin}/dashboard${place(parameters).replace('explore', name)}`);
      await page.getByRole('alert').getByText(said).waitFor();
      await expect.poll(() => page.getByText(EVENTS).count()).toBe(0);
      await expect.poll(() => page.getByRole('button', { name: /Export/ }).count()).toBe(0);
    }
    expect(asked.filter((url) => url.includes('/query/')).join('\n')).toBe('');
    await page.goBack();
    await page.getByRole('button', { name: 'Show all events' }).click();
    await shows(page, '400 events in total');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });
});

describe('an error', () => {
  it('is told once, with ways on; without a network it goes by itself when there is one again', async () => {
    const refused = JSON.stringify([{ property: 'nothing', comparison: 'EQUALS', value: 1 }]);
    const { page, context, expects } = await visits().open(place({ filter: refused }));
    expects(/status of 400|ERR_INTERNET_DISCONNECTED/);
    // Each part of the page says so until the count does, which says it for all.
    await page.getByRole('button', { name: 'Retry' }).first().waitFor();
    const alerts = page.getByRole('alert');
    await expect.poll(() => alerts.count()).toBe(1);
    await page.getByRole('button', { name: 'Show all events' }).click();
    await shows(page, '400 events in total');

    await context.setOffline(true);
    await chooseEvent(page, 'page_viewed');
    await alerts.getByText('The server cannot be reached').first().waitFor();
    await expect.poll(() => alerts.count()).toBe(1);
    await context.setOffline(false);
    await shows(page, 'events match');
    await expect.poll(() => alerts.count()).toBe(0);
  });

  it('of a session that has ended takes no data away, and hides no way out', async () => {
    const { page, context, expects } = await visits().open(place({ by: 'properties.status' }));
    expects(/status of 401/);
    await shows(page, '400 events in total');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await context.clearCookies();
    await chooseEvent(page, 'page_viewed');
    await page.getByText('Your session has ended').waitFor();
    await expect.poll(() => page.locator('button.opener').count()).toBeGreaterThan(0);
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    await shows(page, '… events match');
    const box = (await page.getByRole('button', { name: 'Sign out' }).boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(900);
  });
});

describe('types', () => {
  it('are told apart in groups, in rows and in an event', async () => {
    const { page } = await visits().open(place({ by: 'properties.value' }, 'alike'));
    await page.locator('.bars li').first().waitFor();
    const texts = await page.locator('.bars .bar-text').allInnerTexts();
    expect([...texts].sort()).toEqual(
      ['(empty text)', '"5"', '"true"', '5', 'missing or null', 'plain', 'true'].sort(),
    );
    await page.goto(`${visits().server.origin}/dashboard${place({ columns: 'properties.value' }, 'alike')}`);
    await page.getByRole('columnheader', { name: 'value' }).waitFor();
    await page.locator('.rows[aria-busy=false]').waitFor();
    const cells = await page.locator('.events tbody td:nth-child(4)').allInnerTexts();
    expect([...cells].sort()).toEqual(['', '"5"', '"true"', '5', 'null', 'plain', 'true'].sort());
    for (const opener of [0, 2, 4, 6, 8, 10, 12])
      await page.locator('.events tbody tr').nth(opener).locator('button.opener').click();
    const scalars = await page.locator('.json .scalar').allInnerTexts();
    for (const value of ALIKE) expect(scalars).toContain(JSON.stringify(value));
  });

  it('a column of what every object of the language has is empty', async () => {
    const columns = 'properties.constructor,properties.comma.toString,properties.value';
    const { page } = await visits().open(place({ columns }, 'alike'));
    await page.locator('.rows[aria-busy=false]').waitFor();
    const cellsOf = (column: number) => page.locator(`.events tbody td:nth-child(${column})`).allInnerTexts();
    expect([await cellsOf(4), await cellsOf(5)]).toEqual([ALIKE.map(() => ''), ALIKE.map(() => '')]);
    expect(await cellsOf(6)).toContain('plain');
  });

  it('a path with a comma and a percent sign can be a column, kept by a link', async () => {
    const { page } = await visits().open('#/explore/alike');
    await addColumn(page, 'properties.comma.a,b%');
    await page.getByRole('columnheader', { name: 'comma.a,b%' }).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'comma.a,b%' }).waitFor();
    await page.locator('.rows[aria-busy=false]').waitFor();
    const cells = await page.locator('.events tbody td:nth-child(4)').allInnerTexts();
    expect([...cells].sort()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });
});

describe('paths and time', () => {
  it('a short path is that of a property, in filters, groups and columns, and no second one', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('status');
    await page.getByLabel('Property').press('Tab');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.status');
    await page.getByLabel('Value', { exact: true }).fill('404');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, `${failed.length} events match`);
    await page.getByLabel('By the values of').fill('method');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'only: GET' }).waitFor();
    for (const typed of ['status', 'properties.status']) {
      await addColumn(page, typed);
    }
    await page.locator('.rows[aria-busy=false]').waitFor();
    await expect.poll(() => page.getByRole('columnheader', { name: 'status' }).count()).toBe(1);
    const cells = await page.locator('.events tbody td:nth-child(4)').allInnerTexts();
    expect(new Set(cells)).toEqual(new Set(['404']));
  });

  it('a path that no event has is told by the field, also of an event name; no other path is', async () => {
    const { page } = await visits().open(
      place({ by: 'properties.nothing', columns: 'properties.no,status' }),
    );
    /** What is told by the field of a path, as assistive technology has it. */
    const told = (label: string) =>
      page.evaluate<string>(`document.getElementById(
        [...document.querySelectorAll('input, button')].find(({ ariaLabel, labels, textContent }) =>
          (ariaLabel ?? labels?.[0]?.textContent ?? textContent).startsWith('${label}'))
          .getAttribute('aria-describedby'))?.textContent ?? ''`);
    await expect.poll(() => told('By the values of')).toBe('No event has been seen with properties.nothing.');
    await expect.poll(() => told('Columns')).toBe('No event has been seen with properties.no.');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('button', { name: 'Remove the column properties.no' }).click();
    await page.keyboard.press('Escape');
    for (const path of ['properties.method', 'userId', 'eventName']) {
      await page.getByLabel('By the values of').fill(path);
      await page.keyboard.press('Enter');
      await page.getByText('distinct users').waitFor();
      expect(await told('By the values of')).toBe('');
    }
    expect(await told('Columns')).toBe('');
    await chooseEvent(page, 'page_viewed');
    await addColumn(page, 'nowhere');
    await expect
      .poll(() => told('Columns'))
      .toBe('No event “page_viewed” has been seen with properties.nowhere.');
  });

  it('a unit of time is no path of a breakdown', async () => {
    const { page } = await visits().open(place({ by: 'day' }));
    await page.getByText('is a unit of time, not a path').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^only:/ }).count()).toBe(0);
  });

  it('a click on an hour shows its minutes, and no other hour', async () => {
    const { page } = await visits().open(place({ after: '2026-05-18', before: '2026-05-18' }));
    const chart = (text: string) =>
      page.locator(`.histogram[aria-busy=false] svg.chart[aria-label^="${text}"]`);
    await chart('24 ').waitFor();
    await page.getByText('Show as table').click();
    await page.getByRole('button', { name: 'Only this: Mon 2026-05-18 07:00' }).click();
    await chart('60 buckets from Mon 2026-05-18 07:00 to Mon 2026-05-18 07:59').waitFor();
    await page.locator('option', { hasText: 'Auto (minute)' }).waitFor({ state: 'attached' });
    const within = log.filter(({ eventTs }) => eventTs.startsWith('2026-05-18T07')).length;
    await shows(page, `${within} event`);
  });
});

describe('the next page of rows', () => {
  it('is where the keyboard goes on, and rows are told apart by what happened', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await page.getByRole('button', { name: 'Next 50' }).click();
    await page.locator('.rows[aria-busy=false]').waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('rows');
    await expect
      .poll(() => page.locator('button.opener').first().getAttribute('aria-label'))
      .toMatch(/^2026-05-\d\d [\d:.]+ (page_viewed|asset_loaded)$/);
  });
});
