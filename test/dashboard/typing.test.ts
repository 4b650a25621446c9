import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { listAsked, openCustom, pathsKnown, typeFocused } from './waits.ts';

const log = accessLog(400);
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', log),
});

const shows = (page: Page, text: string) => page.locator('.count', { hasText: text }).waitFor();
const place = (page: Page) => decodeURIComponent(new URL(page.url()).hash);
/** What a browser says of a field that holds what cannot be sent. */
const refusal = (page: Page, selector: string) =>
  page.evaluate<string>(`document.querySelector('${selector}').validationMessage`);
/** A new filter, on a path of which all is known. */
async function addFilter(page: Page, path = 'properties.status'): Promise<void> {
  await pathsKnown(page);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  if (path !== '') await page.getByLabel('Property').last().fill(path);
}

describe('the value of a filter', () => {
  it('that is a number begins empty, and nothing is asked before one was typed', async () => {
    const { page } = await visits().open('#/explore/shop');
    await addFilter(page);
    await page.getByText('number in 400 events').waitFor();
    await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await refusal(page, 'input.value')).not.toBe('');
    expect(place(page)).toBe('#/explore/shop');
  });

  it('that was typed before the path stays, as a number where the path holds some', async () => {
    const { page } = await visits().open('#/explore/shop');
    await addFilter(page, '');
    await page.getByLabel('Value', { exact: true }).fill('404');
    await page.getByLabel('Property').fill('properties.status');
    await page.getByText('number in 400 events').waitFor();
    await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('404');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, `${log.filter((event) => statusOf(event) === 404).length} events match`);
  });

  it('is not rounded, and what is no number is refused in words', async () => {
    const { page } = await visits().open('#/explore/shop');
    await addFilter(page);
    for (const [text, said] of [
      ['9007199254740993', 'The nearest to 9007199254740993 is 9007199254740992'],
      ['4o4', '4o4 is not a number'],
    ] as const) {
      await page.getByLabel('Value', { exact: true }).fill(text);
      await page.getByRole('button', { name: 'Apply' }).click();
      expect(await refusal(page, 'input.value')).toContain(said);
    }
    await page.getByLabel('Comparison').selectOption('IN');
    await page.locator('textarea.value').fill('404\nabc');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await refusal(page, 'textarea.value')).toContain('abc is not a number');
    expect(place(page)).toBe('#/explore/shop');
    await page.locator('textarea.value').fill('404\n500');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => place(page).replaceAll('+', ' ')).toContain('"value":[404,500]');
  });
});

describe('a day', () => {
  it('is asked for when it is typed whole, by one step of the history', async () => {
    const { page, context } = await visits().open('#/explore/shop');
    await shows(page, '400 events in total');
    await page.locator('.rows[aria-busy=false]').waitFor();
    const asked = listAsked(context);
    const steps = await page.evaluate<number>('history.length');
    const openFields = () => openCustom(page);
    await openFields();
    // The first field has the focus: nobody needs a pointer to go on.
    await typeFocused(page, '051820261200AM');
    expect(place(page)).toBe('#/explore/shop');
    expect(asked).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => place(page)).toBe('#/explore/shop?after=2026-05-18');
    await shows(page, 'events match');
    expect(await page.evaluate<number>('history.length')).toBe(steps + 1);
    await openFields();
    await expect.poll(() => page.getByLabel('From (UTC)').inputValue()).toBe('2026-05-18T00:00');
    await page.getByLabel('Until (UTC)').fill('2026-05-20T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => place(page)).toContain('before=2026-05-19');
    await page.goBack();
    await expect.poll(() => place(page)).toBe('#/explore/shop?after=2026-05-18');
  });
});

describe('what was typed and not applied', () => {
  it('stays when a value is clicked, and the page says that it is not asked for', async () => {
    const { page } = await visits().open('#/explore/shop?by=properties.method');
    await addFilter(page);
    await page.getByLabel('Value', { exact: true }).fill('404');
    await page.getByText('Results, copies and exports do not include it').waitFor();
    await page.getByRole('button', { name: 'only: GET' }).click();
    await expect.poll(() => place(page)).toContain('"value":"GET"');
    await page.getByRole('button', { name: 'method = "GET"' }).waitFor();
    await expect.poll(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('404');
    await page.getByRole('button', { name: 'Apply' }).click();
    const both = log.filter((event) => statusOf(event) === 404 && event.properties.method === 'GET');
    await shows(page, `${both.length} events match`);
    // The way back takes one filter away, and brings none that was applied.
    await page.goBack();
    await expect.poll(() => page.locator('.filter-chip').count()).toBe(1);
    await expect.poll(() => page.getByRole('button', { name: 'Apply' }).count()).toBe(0);
  });
});
