import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { byNewest, sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { openShare, typeFocused, WITHOUT_FILES } from './waits.ts';

const log = accessLog(400);
const LONG = `begin ${'long '.repeat(60)}end`;
/** An event with more properties than a list shows, and values that look alike. */
const wide: SentEvent[] = [5, '5', LONG, '=1+1'].map((value, i) => ({
  ...{
    eventName: 'wide',
    userId: 'ada',
    eventTs: `2026-05-18T00:00:0${i}.000Z`,
    insertId: `wide-${i}`,
  },
  properties: {
    value,
    ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key_${n}`, n])),
  },
}));
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await createTenant(db, 'wide');
  },
  furnish: async ({ origin }) => {
    await sendBatch(origin, 'shop', log);
    await sendBatch(origin, 'wide', wide);
  },
});

const heads = (page: Page) => page.locator('.events thead th').allInnerTexts();
const asked = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('columns');
const focused = (page: Page) => page.evaluate<string>('document.activeElement.ariaLabel');
const settled = (page: Page) => page.locator('.rows[aria-busy=false] button.opener').first().waitFor();
const openMenu = (page: Page) => page.getByRole('button', { name: /^Columns/ }).click();
const check = (page: Page, path: string) => page.getByRole('checkbox', { name: path, exact: true }).check();

/** A tab in which files are saved as downloads. */
async function openSaving(place: string): Promise<Page> {
  const { page, context } = await visits().open('#/keys/shop');
  await context.addInitScript(WITHOUT_FILES);
  await page.reload();
  await page.goto(`${visits().server.origin}/dashboard${place}`);
  await settled(page);
  return page;
}

async function exportCsv(page: Page) {
  const saved = page.waitForEvent('download');
  await openShare(page);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await saved;
  const rows: string[][] = parse(readFileSync(await download.path(), 'utf8'));
  return { name: download.suggestedFilename(), rows };
}

it('a file for Excel opens there by a double click: a mark, and times that are times', async () => {
  for (const place of ['#/explore/shop', '#/explore/shop?columns=properties.status']) {
    const page = await openSaving(place);
    const saved = page.waitForEvent('download');
    await openShare(page);
    await page.getByRole('button', { name: 'Export for Excel' }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    expect(text).toMatch(/^\ufeffe/);
    const [head, first]: string[][] = parse(text, { bom: true });
    expect(first![head!.indexOf('eventTs')]).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8}\.\d{3}$/);
  }
});

describe('the menu of columns', () => {
  it('is searched by typing, and what is checked is a column, kept by the address', async () => {
    const { page } = await visits().open('#/explore/shop');
    await settled(page);
    await openMenu(page);
    // Whoever opens it goes on with the search.
    await typeFocused(page, 'STAT');
    const offered = page.locator('.offered li');
    await expect.poll(() => offered.allInnerTexts()).toEqual(['properties.status']);
    await check(page, 'properties.status');
    await page.getByLabel('Column path').fill('bytes');
    await page.keyboard.press('Enter');
    expect(await heads(page)).toEqual(['Time (UTC)', 'Event', 'User', 'status', 'bytes']);
    expect(asked(page)).toBe('properties.status,properties.bytes');
    await page.getByRole('checkbox', { name: 'properties.status' }).click();
    expect(asked(page)).toBe('properties.bytes');
    await page.getByRole('button', { name: 'Reset columns' }).click();
    expect(asked(page)).toBe(null);
    expect(await heads(page)).toContain('Properties');
    expect(await focused(page)).toBe('Column path');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByLabel('Column path').count()).toBe(0);
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Columns');
  });

  it('moves a column by the keyboard, which stays with it, and by a drag', async () => {
    const columns = ['properties.status', 'properties.bytes', 'properties.method'];
    const { page } = await visits().open(`#/explore/shop?columns=${columns.join()}`);
    await settled(page);
    await openMenu(page);
    await page.getByRole('button', { name: 'Move down properties.status' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => asked(page)).toBe('properties.bytes,properties.status,properties.method');
    expect(await focused(page)).toBe('Move down properties.status');
    await page.keyboard.press('Enter');
    await expect.poll(() => asked(page)).toBe('properties.bytes,properties.method,properties.status');
    // It cannot go further down, so the way back has the focus.
    expect(await focused(page)).toBe('Move up properties.status');
    expect(await heads(page)).toEqual(['Time (UTC)', 'Event', 'User', 'bytes', 'method', 'status']);

    const row = async (at: number) => (await page.locator('.chosen li').nth(at).boundingBox())!;
    const [from, to] = [await row(2), await row(0)];
    await page.mouse.move(from.x + 20, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => asked(page)).toBe('properties.status,properties.bytes,properties.method');

    await page.getByRole('button', { name: 'Remove the column properties.bytes' }).click();
    expect(await focused(page)).toBe('Remove the column properties.method');
    // A click elsewhere closes it.
    await page.locator('.count').click();
    await expect.poll(() => page.locator('.column-panel').count()).toBe(0);
  });

  it('lists few of many properties at once, and takes a path that no event has', async () => {
    const { page } = await visits().open('#/explore/wide');
    await settled(page);
    await openMenu(page);
    await page.getByText('100 of 303 properties').waitFor();
    await expect.poll(() => page.locator('.offered li').count()).toBe(100);
    await page.getByLabel('Column path').fill('key_29');
    await expect.poll(() => page.locator('.offered li').count()).toBe(11);
    await page.getByLabel('Column path').fill('key_2999');
    await page.getByText('No event has been seen with such a property.').waitFor();
    await page.getByRole('button', { name: 'Add properties.key_2999' }).click();
    await page.getByText('No event has been seen with properties.key_2999.').waitFor();
    expect(asked(page)).toBe('properties.key_2999');
  });
});

describe('the CSV of a table with chosen columns', () => {
  it('has the columns that are shown, in their order, and every event that matches: two clicks', async () => {
    const filter = [{ property: 'properties.status', comparison: 'EQUALS', value: 404 }];
    const page = await openSaving(
      `#/explore/shop?${new URLSearchParams({
        filter: JSON.stringify(filter),
        columns: 'properties.agent.browser.name,properties.page,insertId,userId',
        after: '2026-05-17',
        before: '2026-05-20',
      }).toString()}`,
    );
    await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)`);
    const { name, rows } = await exportCsv(page);
    expect(await page.evaluate<number>('clicks')).toBe(2);
    expect(name).toBe('shop_2026-05-17-to-2026-05-20_filtered.csv');
    const [head, ...lines] = rows;
    expect(head).toEqual([
      'eventTs',
      'eventName',
      'userId',
      'properties.agent.browser.name',
      'properties.page',
      'insertId',
    ]);
    expect(await heads(page)).toEqual([
      'Time (UTC)',
      'Event',
      'User',
      'agent.browser.name',
      'page',
      'insertId',
    ]);
    const wanted = log.filter((event) => statusOf(event) === 404).sort(byNewest);
    expect(lines).toEqual(
      wanted.map(({ eventTs, eventName, userId, insertId, properties }) => [
        ...[eventTs, eventName, userId, (properties.agent as { browser: { name: string } }).browser.name],
        ...[properties.page, insertId],
      ]),
    );
    const shown = await page.locator('.events tbody tr').allInnerTexts();
    shown.forEach((text, i) => lines[i]!.slice(1).forEach((cell) => expect(text).toContain(cell)));
  });

  it('has when events arrived where that is a column', async () => {
    const page = await openSaving('#/explore/wide?range=all&columns=receivedAt');
    const shown = await page.locator('.events [data-path="receivedAt"]').allInnerTexts();
    expect(shown.length).toBeGreaterThan(1);
    for (const each of shown) expect(each).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const [head, ...lines] = (await exportCsv(page)).rows;
    const at = head!.indexOf('receivedAt');
    expect(lines.map((line) => line[at])).toEqual(shown);
  });

  it('has all columns where none are chosen', async () => {
    const page = await openSaving('#/explore/wide?range=all');
    const { name, rows } = await exportCsv(page);
    expect(name).toBe('wide_all-time.csv');
    expect(rows[0]!.length).toBe(306);
    expect(rows.length).toBe(5);
  });
});

describe('a value that is cut', () => {
  it('is whole in its title, and below its cell by the keyboard', async () => {
    const { page } = await visits().open('#/explore/wide?columns=properties.value');
    await settled(page);
    const cell = page.locator('.events [data-path="properties.value"]').nth(1);
    await expect.poll(() => cell.innerText()).not.toContain('end');
    await expect.poll(() => cell.getAttribute('title')).toBe(LONG);
    await page.locator('button.opener').nth(1).focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('.cell-menu').getByText(LONG).waitFor();
    await page.getByRole('button', { name: 'only this: properties.value' }).click();
    await page.locator('.count', { hasText: '1 event matches' }).waitFor();
  });
});
