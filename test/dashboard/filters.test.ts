import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { byNewest, sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { hold, pathsKnown, typeFocused } from './waits.ts';

const day = (days: number) => new Date(Date.UTC(2026, 4, 17 + days)).toISOString();
/** A property with more values than are asked for at once, each of them once. */
const many: SentEvent[] = Array.from({ length: 300 }, (_, i) => ({
  ...{ eventName: 'numbered', userId: `one-${i}`, eventTs: day(0), insertId: `many-${i}` },
  properties: { code: `code-${i}`, mixed: i % 2 === 0 ? 5 : '5' },
}));
const visited = accessLog(2000);
const log = [...visited, ...many];
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) await sendBatch(origin, 'shop', log.slice(i, i + 500));
  },
});

const toText = (count: number) => count.toLocaleString('en');
const shows = (page: Page, count: number) =>
  page.locator('.count', { hasText: new RegExp(`^${toText(count)} events? match`) }).waitFor();
const filtered = (...filters: readonly object[]) =>
  `#/explore/shop?${new URLSearchParams({ filter: JSON.stringify(filters) }).toString()}`;
/** The suggested values, each with what stands beside it. */
async function suggested(page: Page): Promise<string[]> {
  const texts = await page.getByRole('list', { name: 'Suggested values' }).locator('li').allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}
const of404 = visited.filter((event) => statusOf(event) === 404);

describe('a filter', () => {
  it('is typed without a pointer: Enter takes the path that is marked, then the value', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await typeFocused(page, 'browser name');
    await page.getByRole('option', { selected: true, name: /^properties.agent.browser.name/ }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.agent.browser.name');
    await page.locator('input.value:focus').waitFor();
    // Nothing is asked for that nobody typed.
    await page.keyboard.press('Enter');
    expect(page.url()).not.toContain('filter=');
    await typeFocused(page, 'Firefox');
    await page.keyboard.press('Enter');
    const browserOf = ({ properties }: SentEvent) =>
      (properties.agent as { browser: { name: string } } | undefined)?.browser.name;
    await shows(page, log.filter((event) => browserOf(event) === 'Firefox').length);
  });

  it('shows its values in the range of the page, and by each as many events as it then leaves', async () => {
    const range = new URLSearchParams({ from: day(1), until: day(2), event: 'page_viewed' }).toString();
    const { page } = await visits().open(`#/explore/shop?${range}`);
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await typeFocused(page, 'status');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.status');
    const within = of404.filter(
      ({ eventTs, eventName }) => eventTs >= day(1) && eventTs < day(2) && eventName === 'page_viewed',
    );
    await expect.poll(() => suggested(page)).toContain(`404 ${within.length}`);
    await page.getByRole('list', { name: 'Suggested values' }).getByText('404').click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, within.length);
  });

  it('for the empty text is chosen by its type', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await typeFocused(page, 'method');
    await page.keyboard.press('Enter');
    await page.getByLabel('Type of the value').selectOption('empty');
    await expect.poll(() => page.getByLabel('Value', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'method = ""' }).click();
    await expect.poll(() => page.getByLabel('Type of the value').inputValue()).toBe('empty');
  });
});

describe('applied filters are chips', () => {
  const FILTERS = [
    { property: 'properties.status', comparison: 'EQUALS', value: 404 },
    { property: 'properties.method', comparison: 'NOT_EQUALS', value: 'HEAD' },
    { anyOf: [{ property: 'properties.bot', comparison: 'EQUALS', value: true }, { allOf: [] }] },
  ];

  it('that say what is asked, and open one form at a time', async () => {
    const { page } = await visits().open(filtered(...FILTERS));
    const chips = page.locator('.filter-chip');
    await expect
      .poll(() => chips.allInnerTexts())
      .toEqual(['status = 404', 'method is not "HEAD"', '(bot = true or (everything))']);
    await expect.poll(() => page.locator('.condition').count()).toBe(0);
    await page.getByRole('button', { name: 'status = 404' }).click();
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.status');
    await page.getByRole('button', { name: 'method is not "HEAD"' }).click();
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.method');
    await page.getByLabel('Value', { exact: true }).fill('GET');
    await page.keyboard.press('Enter');
    const wanted = of404.filter(({ properties }) => properties.method !== 'GET');
    await shows(page, wanted.length);
    await expect.poll(() => page.locator('.condition').count()).toBe(0);
  });

  it('are removed by one click, and Escape leaves a form as it was', async () => {
    const { page } = await visits().open(filtered(...FILTERS.slice(0, 2)));
    await page.getByRole('button', { name: 'status = 404' }).click();
    // What else could be asked for is suggested, as if this filter were not there.
    await expect.poll(async () => (await suggested(page)).length).toBe(5);
    await page.getByLabel('Value', { exact: true }).fill('500');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'status = 404' }).waitFor();
    await expect.poll(() => page.locator('.condition').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the filter on properties.method' }).click();
    await shows(page, of404.length);
  });

  it('say what is typed and not applied, which is applied on the way to another one', async () => {
    const { page } = await visits().open(filtered(...FILTERS.slice(0, 2)));
    await shows(page, of404.filter(({ properties }) => properties.method !== 'HEAD').length);
    await page.getByRole('button', { name: 'status = 404' }).click();
    await page.getByLabel('Value', { exact: true }).fill('200');
    await page.getByRole('button', { name: 'status = 200 (not applied yet)' }).waitFor();
    const before = page.url();
    await page.getByRole('button', { name: 'method is not "HEAD"' }).click();
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.method');
    await expect.poll(() => page.url()).not.toBe(before);
    const of200 = visited.filter((event) => statusOf(event) === 200);
    await shows(page, of200.filter(({ properties }) => properties.method !== 'HEAD').length);
    // One that cannot be applied stays open.
    await page.getByLabel('Value', { exact: true }).fill('');
    await page.getByRole('button', { name: 'status = 200' }).click();
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('properties.method');
    await page.keyboard.press('Escape');
  });

  it('leave the others alone where one is applied that the back button has removed meanwhile', async () => {
    const { page } = await visits().open(filtered(FILTERS[1]!));
    await page.evaluate(`location.hash = '${filtered(FILTERS[1]!, FILTERS[0]!)}'`);
    await page.getByRole('button', { name: 'status = 404' }).click();
    await page.getByLabel('Value', { exact: true }).fill('500');
    await page.goBack();
    const chips = page.locator('.filter-chip');
    await expect.poll(() => chips.allInnerTexts()).toEqual(['method is not "HEAD"']);
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => chips.allInnerTexts()).toEqual(['method is not "HEAD"', 'status = 500']);
  });

  it('take at most two lines of a phone', async () => {
    const { page } = await visits().open(filtered(...FILTERS.slice(0, 2)), {
      viewport: { width: 390, height: 844 },
    });
    await shows(page, of404.filter(({ properties }) => properties.method !== 'HEAD').length);
    const { height } = (await page.locator('.applied').boundingBox())!;
    expect(height).toBeLessThan(80);
  });
});

describe('values are suggested', () => {
  it('with their numbers under the current question, narrowed as somebody types', async () => {
    const { page } = await visits().open('#/explore/shop?event=asset_loaded');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('status');
    await page.getByText('properties.status', { exact: true }).waitFor();
    const assets = visited.filter(({ eventName }) => eventName === 'asset_loaded');
    const counts = new Map<number, number>();
    for (const event of assets) counts.set(statusOf(event), (counts.get(statusOf(event)) ?? 0) + 1);
    const wanted = [...counts].sort((a, b) => b[1] - a[1]).map(([key, count]) => `${key} ${count}`);
    await expect.poll(() => suggested(page)).toEqual(wanted);
    await page.getByLabel('Value', { exact: true }).fill('40');
    await expect.poll(() => suggested(page)).toEqual(wanted.filter((text) => text.startsWith('404')));
    await page.getByRole('button', { name: /^404/ }).click();
    await page.keyboard.press('Enter');
    await shows(page, counts.get(404)!);
    await page.getByRole('button', { name: 'status = 404' }).waitFor();
    expect(decodeURIComponent(page.url())).toContain('"property":"properties.status"');
  });

  it('of a path with many values also where they are not among the most frequent', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('userId');
    await page.getByLabel('Value', { exact: true }).fill('one-299');
    await expect.poll(() => suggested(page)).toEqual(['one-299 1']);
  });

  it('with their types where a path has several', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('properties.mixed');
    await expect
      .poll(async () => (await suggested(page)).toSorted())
      .toEqual(['"5" text · 150', '5 number · 150']);
    await page.getByRole('button', { name: /^"5"/ }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, 150);
    await page.getByRole('button', { name: 'mixed = "5"' }).waitFor();
  });

  it('of the present text only: the question about an earlier one is given up', async () => {
    const { page, context } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Property').fill('properties.code');
    await expect.poll(async () => (await suggested(page)).length).toBe(8);
    const ended = new Promise<string>((resolve) =>
      context.on('requestfailed', (request) => resolve(request.failure()!.errorText)),
    );
    const letGo = await hold(page, 'breakdown/shop');
    await page.getByLabel('Value', { exact: true }).fill('code-29');
    await page.getByLabel('Value', { exact: true }).fill('code-298');
    expect(await ended).toContain('ERR_ABORTED');
    letGo();
    await expect.poll(() => suggested(page)).toEqual(['code-298 1']);
  });
});

describe('a value of a row', () => {
  const menuOf = (page: Page, path: string) => page.getByRole('group', { name: `Filter by ${path}` });

  it('offers its filters on a click, and the answer comes into sight', async () => {
    const { page } = await visits().open('#/explore/shop?columns=properties.status');
    await page.locator('.rows[aria-busy=false]').waitFor();
    const cell = page.locator('.events td[data-label="status"] bdi').nth(40);
    const status = Number(await cell.innerText());
    await cell.click();
    const menu = menuOf(page, 'properties.status');
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await cell.click();
    await menu.getByRole('button', { name: 'not this' }).click();
    await shows(page, log.filter(({ properties }) => properties.status !== status).length);
    await expect.poll(() => menu.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('rows');
    const isSeen = `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
      document.querySelector('.count').getBoundingClientRect())`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
  });

  it('is reached by the arrow keys, and Enter offers its filters', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.locator('.rows[aria-busy=false] button.opener').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await menuOf(page, 'eventName').getByRole('button', { name: 'only this' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await menuOf(page, 'properties.page').getByRole('button', { name: 'only this' }).waitFor();
    const focused = `document.activeElement.ariaLabel`;
    await expect.poll(() => page.evaluate(focused)).toBe('only this: properties.page');
    await page.keyboard.press('Enter');
    const [newest] = [...log].sort(byNewest);
    await shows(page, log.filter(({ properties }) => properties.page === newest!.properties.page).length);
  });
});

describe('tasks, by clicks', () => {
  /** Counts the clicks of somebody. */
  function counted(page: Page) {
    let clicks = 0;
    return {
      click: async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
        clicks += 1;
        await page.getByRole(role, { name }).first().click();
      },
      clicks: () => clicks,
    };
  }

  it('who hit 404: four', async () => {
    const { page } = await visits().open('#/explore/shop');
    await pathsKnown(page);
    const { click, clicks } = counted(page);
    await click(/^\s*Filter$/);
    await typeFocused(page, 'status');
    await click(/^404 /);
    await page.keyboard.press('Enter');
    await shows(page, of404.length);
    await click('userId');
    await page.getByText(`${toText(new Set(of404.map(({ userId }) => userId)).size)} values, `).waitFor();
    expect(clicks()).toBeLessThanOrEqual(4);
  });

  it('one user: one from a row, with the newest events first', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.locator('.rows[aria-busy=false]').waitFor();
    const [newest] = [...log].sort(byNewest);
    const { click, clicks } = counted(page);
    await click(newest!.userId, 'link');
    await page.getByRole('heading', { name: newest!.userId }).waitFor();
    const events = log.filter(({ userId }) => userId === newest!.userId);
    await page.getByText(`${events.length} shown, the last page`).waitFor();
    const first = await page.locator('button.opener').first().getAttribute('aria-label');
    expect(first).toContain(newest!.eventTs.slice(0, 10));
    expect(clicks()).toBe(1);
  });
});
