import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { copyBy, openShare, typeFocused } from './waits.ts';

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', accessLog(120)),
});

const KNOWN = [{ property: 'userId', comparison: 'IS_NOT_NULL', value: null }];
const QUESTION = `filter=${encodeURIComponent(JSON.stringify(KNOWN))}`;

const hash = (page: Page) => new URL(page.url()).hash;
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Views' });
const settled = (page: Page) => page.locator('.rows[aria-busy=false] button.opener').first().waitFor();

/** Saves the question of the page. */
async function save(page: Page, name: string, isShared = false): Promise<void> {
  await page.getByRole('button', { name: 'Views' }).click();
  // The field has the focus.
  await typeFocused(page, name);
  if (isShared)
    await dialogOf(page)
      .getByRole('checkbox', { name: /Share with everyone/ })
      .check();
  await page.getByRole('button', { name: 'Save view' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

describe('saved views', () => {
  it('a question is saved by two clicks and opened by two', async () => {
    const { page } = await visits().open(`#/explore/shop?${QUESTION}`);
    await settled(page);
    await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)`);
    // Enter would send the form too; a click on its button counts.
    await save(page, 'known users');
    expect(await page.evaluate<number>('clicks')).toBe(2);
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop`);
    await settled(page);
    await page.evaluate('globalThis.clicks = 0');
    await page.getByRole('button', { name: 'Views' }).click();
    await dialogOf(page).getByRole('link', { name: 'known users' }).click();
    await expect.poll(() => hash(page)).toContain('IS_NOT_NULL');
    expect(await page.evaluate<number>('clicks')).toBe(2);
    await settled(page);
  });

  it('is renamed, updated and deleted, and a name that is taken is told', async () => {
    const { page, expects } = await visits().open('#/explore/shop');
    expects(/status of 409/);
    await settled(page);
    await save(page, 'one', true);
    await page.getByRole('button', { name: 'Views' }).click();
    await dialogOf(page).getByText('shared by').waitFor();
    await dialogOf(page).getByLabel('Save this question as').fill('one');
    await dialogOf(page)
      .getByRole('checkbox', { name: /Share with everyone/ })
      .check();
    await page.getByRole('button', { name: 'Save view' }).click();
    await dialogOf(page).getByText('already exists').waitFor();

    await page.keyboard.press('Escape');
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop?${QUESTION}`);
    await settled(page);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Rename one' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('first');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    const link = dialogOf(page).getByRole('link', { name: 'first' });
    await link.waitFor();
    // Another name leaves the question as it was, which says the range of the first view.
    await expect.poll(() => link.getAttribute('href')).toBe('#/explore/shop?range=all&view=first');

    await page.getByRole('button', { name: 'Update first' }).click();
    await page.getByRole('button', { name: 'Update', exact: true }).click();
    await expect.poll(async () => link.getAttribute('href')).toContain('IS_NOT_NULL');

    await page.getByRole('button', { name: 'Delete first' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await link.waitFor({ state: 'detached' });
  });
});

describe('the dialog of views', () => {
  it('is left with the page', async () => {
    const { page } = await visits().open('#/keys/shop');
    await page.getByRole('link', { name: 'Explorer', exact: true }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Views' }).click();
    await dialogOf(page).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'Explorer', exact: true }).click();
    await settled(page);
    await expect.poll(() => dialogOf(page).count()).toBe(0);
  });
});

describe('a view of the last days', () => {
  it('is of those before it is opened, though it was saved on a later page', async () => {
    const { page } = await openAt(visits(), '2026-05-21T00:00:00.000Z', '#/explore/shop?range=30d');
    await settled(page);
    await page.getByRole('button', { name: 'Next 50' }).click();
    await expect.poll(() => hash(page)).toMatch(/at=\d+&cursor=/);
    await save(page, 'the last days');
    await page.getByRole('button', { name: 'Views' }).click();
    const link = dialogOf(page).getByRole('link', { name: 'the last days' });
    await expect.poll(() => link.getAttribute('href')).toBe('#/explore/shop?range=30d&view=the+last+days');
  });
});

describe('a link for a colleague', () => {
  it('is copied by one click, and opens the first page of the question', async () => {
    const { page, context } = await openAt(
      visits(),
      '2026-05-21T00:00:00.000Z',
      `#/explore/shop?range=30d&${QUESTION}`,
    );
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await settled(page);
    await page.getByRole('button', { name: 'Next 50' }).click();
    await expect.poll(() => hash(page)).toMatch(/at=\d+&cursor=/);
    await openShare(page);
    const link = await copyBy(page, page.getByRole('button', { name: 'Copy link', exact: true }));
    expect(link).not.toContain('cursor');
    // The last 30 days are those of who opens it.
    expect(link).not.toContain('at=');
    await page.goto(link);
    await settled(page);
    expect(hash(page)).toContain('IS_NOT_NULL');
  });
});
