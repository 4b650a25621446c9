import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { hold, WITHOUT_FILES } from './waits.ts';

/** More values than an answer holds groups, each of them once. */
const CODES = 1_200;
const ALIKE = [5, '5', 5, true, 'true', '=1+1', 'a,"b"', null, ['x']];
const coded: SentEvent[] = Array.from({ length: CODES }, (_, i) => ({
  ...{
    eventName: 'coded',
    userId: `one-${i % 7}`,
    eventTs: '2026-05-17T00:00:00.000Z',
    insertId: `code-${i}`,
  },
  properties: {
    code: `Code-${i}`,
    ...(i < ALIKE.length ? { value: ALIKE[i]! } : {}),
  },
}));
const visited = accessLog(1000);
const log = [...visited, ...coded];
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) await sendBatch(origin, 'shop', log.slice(i, i + 500));
  },
});

const by = (path: string, event = '') =>
  `#/explore/shop?${new URLSearchParams({ by: path, ...(event === '' ? {} : { event }) }).toString()}`;
const bars = (page: Page) => page.locator('.groups .bars li');
const valuesOf = (page: Page) => page.locator('.groups .bar-text').allInnerTexts();
const said = (page: Page) => page.locator('.group-search [role=status]').innerText();

/** Saves the groups of a page; the name of the file and its rows. */
async function saveGroups(page: Page) {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const download = await saved;
  const text = readFileSync(await download.path(), 'utf8');
  const rows: string[][] = parse(text);
  return {
    name: download.suggestedFilename(),
    text,
    rows,
  };
}

describe('many values', () => {
  it('scroll by themselves: the events below them stay where they are', async () => {
    const { page } = await visits().open(by('properties.code'));
    await page.locator('.rows[aria-busy=false]').waitFor();
    await bars(page).nth(9).waitFor();
    const top = () => page.evaluate<number>(`document.getElementById('rows').getBoundingClientRect().top`);
    const before = await top();
    await page.getByRole('button', { name: 'Show up to 100' }).click();
    await bars(page).nth(99).waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(60);
    await page.getByRole('button', { name: 'Show up to 1,000' }).click();
    await bars(page).nth(999).waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(60);
    const list = `document.querySelector('.groups .bars')`;
    expect(await page.evaluate(`${list}.scrollHeight > 10 * ${list}.clientHeight`)).toBe(true);
    expect(await page.evaluate(`document.documentElement.scrollHeight < 6000`)).toBe(true);
  });

  it('have bars by the largest of them, and the share of all events as a number', async () => {
    const { page } = await visits().open(by('properties.status'));
    await bars(page).first().waitFor();
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.groups .bar-line rect')]
        .map((each) => Number(each.getAttribute('width')))`,
    );
    const counts = new Map<number, number>();
    for (const event of visited) counts.set(statusOf(event), (counts.get(statusOf(event)) ?? 0) + 1);
    const sorted = [...counts.values()].sort((a, b) => b - a);
    // What has no value has a bar, too, which may be the longest.
    const lines = [...sorted, CODES];
    const longest = Math.max(...lines);
    expect(widths.length).toBe(lines.length);
    widths.forEach((width, i) => expect(width).toBeCloseTo((lines[i]! / longest) * 100, 6));
    const share = ((sorted[0]! / log.length) * 100).toFixed(1).replace(/\.0$/, '');
    await expect
      .poll(() => page.locator('.groups .bar-details').first().innerText())
      .toContain(`${share}% · `);
    const missing = page.locator('.groups .bars li', {
      hasText: 'missing or null',
    });
    await missing.getByText(CODES.toLocaleString('en')).waitFor();
    await expect.poll(() => missing.locator('rect').count()).toBe(1);
  });
});

describe('a search among values', () => {
  it('finds all of them that have the text, in any case, where an answer holds all', async () => {
    const { page } = await visits().open(by('properties.page'));
    await bars(page).nth(9).waitFor();
    await page.getByLabel('Search values').fill('/BLOG/1');
    const pages = new Set(visited.map(({ properties }) => properties.page as string));
    const wanted = [...pages].filter((each) => each.includes('/blog/1'));
    await expect.poll(async () => (await valuesOf(page)).toSorted()).toEqual(wanted.toSorted());
    expect(await said(page)).toBe(`${wanted.length} of ${pages.size} values`);
    await page.getByLabel('Search values').fill('nothing of this');
    await expect.poll(() => said(page)).toBe(`0 of ${pages.size} values`);
    await expect.poll(() => bars(page).count()).toBe(0);
    await page.getByLabel('Search values').fill('');
    await expect.poll(() => bars(page).count()).toBe(12);
  });

  it('finds those beyond the most frequent by the server, and says how', async () => {
    const { page } = await visits().open(by('properties.code', 'coded'));
    await bars(page).nth(9).waitFor();
    await page.getByLabel('Search values').fill('Code-99');
    const wanted = coded
      .map(({ properties }) => properties.code as string)
      .filter((c) => c.includes('Code-99'));
    await expect.poll(async () => (await valuesOf(page)).toSorted()).toEqual(wanted.toSorted());
    expect(await said(page)).toBe(
      '11 found among 1,200 values. Beyond the 1,000 most frequent, capital letters count.',
    );
    await page.getByRole('button', { name: 'only: Code-999', exact: true }).click();
    await page.locator('.count', { hasText: /^1 event matches/ }).waitFor();
  });

  it('is over when other values are asked for', async () => {
    const { page } = await visits().open(by('properties.page'));
    await bars(page).nth(9).waitFor();
    await page.getByLabel('Search values').fill('blog');
    await page.getByLabel('By the values of').fill('properties.bytes');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Search values').inputValue()).toBe('');
    await page.getByText('other values').waitFor();
  });
});

describe('groups as CSV', () => {
  it('are those of the answer, with their types, and no value is a formula', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${by('properties.value', 'coded')}`);
    await bars(page).first().waitFor();
    const { name, text, rows } = await saveGroups(page);
    expect(name).toBe('shop_all-time_filtered_by-properties.value.csv');
    expect(rows.slice(1).toSorted()).toEqual(
      [
        ['5', 'number', '2', '2'],
        ['5', 'text', '1', '1'],
        ['true', 'boolean', '1', '1'],
        ['true', 'text', '1', '1'],
        ["'=1+1", 'text', '1', '1'],
        ['a,"b"', 'text', '1', '1'],
        ['', 'missing or null', String(CODES - ALIKE.length + 1), ''],
        ['', 'list', '1', ''],
      ].toSorted(),
    );
    expect(text).toContain('"5",text');
  });

  it('says on the page and in the name of the file when there are more', async () => {
    const { page, context } = await visits().open('#/keys/shop');
    await context.addInitScript(WITHOUT_FILES);
    await page.reload();
    await page.goto(`${visits().server.origin}/dashboard${by('properties.code')}`);
    await bars(page).nth(9).waitFor();
    await page.getByText('The file holds the 10 most frequent of 1,200 values.').waitFor();
    const { name, rows } = await saveGroups(page);
    expect(name).toBe('shop_all-time_by-properties.code_first-10-of-1200.csv');
    expect(rows.filter(([, type]) => type === 'text').map(([value]) => value)).toEqual(
      (await valuesOf(page)).slice(0, 10),
    );
    // While the groups of another path are on their way, none are saved under its name.
    const answer = await hold(page, 'breakdown/shop');
    await page.getByLabel('By the values of').fill('properties.page');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('button', { name: 'Save as CSV' }).isDisabled()).toBe(true);
    answer();
    await page
      .getByText('most frequent of 160 values')
      .or(page.getByText(/most frequent of 1\d\d values/))
      .waitFor();
  });
});

describe('tasks, by clicks', () => {
  it('break down, then one value: two', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)`);
    await page.getByRole('button', { name: 'agent.browser.name', exact: true }).click();
    await page.getByRole('button', { name: 'only: Firefox' }).click();
    const wanted = visited.filter(
      ({ properties }) => (properties.agent as { browser: { name: string } }).browser.name === 'Firefox',
    );
    await page.locator('.count', { hasText: `${wanted.length} events match` }).waitFor();
    expect(await page.evaluate<number>('clicks')).toBe(2);
  });
});
