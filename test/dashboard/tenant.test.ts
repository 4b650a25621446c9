import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, withAdmin } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';

const DAY_MS = 86_400_000;
const now = Date.now();

/** Events of two users and two names, today and forty days ago. */
const events = [0, 40].flatMap((daysAgo) =>
  ['ada', 'bob'].flatMap((userId) =>
    ['visited', 'bought'].map((eventName) => ({
      ...{ eventName, userId, insertId: `${daysAgo}-${userId}-${eventName}`, properties: {} },
      eventTs: new Date(now - daysAgo * DAY_MS).toISOString(),
    })),
  ),
);
const ALIASES = ['shop', 'outlet', 'kept', 'gone'];
const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ALIASES) await createTenant(db, alias);
  },
  furnish: async ({ origin }) => {
    for (const alias of ALIASES) await sendBatch(origin, alias, events);
  },
});

const tenantOf = (alias: string) => withAdmin(visits().db, (admin) => admin.getTenant(alias));
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const fact = (page: Page, name: string) =>
  page.locator('.facts div', { hasText: new RegExp(`^${name}`) }).locator('dd');

describe('the page of a tenant', () => {
  it('says what it is, and leads to the rest of it', async () => {
    const { page } = await visits().open('#/tenant/shop');
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('8');
    expect((await fact(page, 'Alias').innerText()).trim()).toBe('shop');
    const { id } = await tenantOf('shop');
    await expect.poll(() => fact(page, 'Id').innerText()).toBe(id);
    const rest = card(page, 'More of this tenant');
    await rest.getByText('Strategy NONE').waitFor();
    await rest.getByText('1 active').waitFor();
    await rest.getByText('0 values').waitFor();
    await rest.getByText('None', { exact: true }).waitFor();
    for (const name of ['Authentication', 'Keys', 'Remote config', 'Usage', 'Refusals']) {
      await rest.getByRole('link', { name }).click();
      await page.getByRole('heading', { name }).waitFor();
      await page.goBack();
      await rest.waitFor();
    }
  });

  it('changes plan, ingestion limits and name, each by itself', async () => {
    const { page } = await visits().open('#/tenant/shop');
    const plan = card(page, 'Plan');
    await plan.getByLabel('Requests a minute').waitFor();
    expect(await plan.getByRole('button').count()).toBe(0);
    await plan.getByLabel('Requests a minute').fill('7');
    await plan.getByLabel('Requests a day').fill('70');
    await plan.getByRole('button', { name: 'Save plan' }).click();
    await plan.getByText('Saved.').waitFor();
    expect(await tenantOf('shop')).toMatchObject({ plan: 'custom', limits: { perMinute: 7, perDay: 70 } });

    const limits = card(page, 'Ingestion limits');
    await limits.getByText('Default: 600,000 events and 512 MiB').waitFor();
    await limits.getByRole('radio', { name: 'Own limits' }).check();
    await limits.getByLabel('Events a minute').fill('500');
    await limits.getByLabel('Bytes a minute').fill('1048576');
    await limits.getByRole('button', { name: 'Save ingestion limits' }).click();
    await limits.getByText('Saved.').waitFor();
    const ingestion = { eventsPerMinute: 500, bytesPerMinute: 1_048_576 };
    expect(await tenantOf('shop')).toMatchObject({ ingestion });
    await limits.getByRole('radio', { name: 'No limit' }).check();
    await limits.getByRole('button', { name: 'Save ingestion limits' }).click();
    await limits.getByText('Saved.').waitFor();
    expect(await tenantOf('shop')).toMatchObject({ ingestion: null, plan: 'custom' });

    const name = card(page, 'Name');
    await name.getByLabel('Display name').fill('The shop');
    await name.getByRole('button', { name: 'Save name' }).click();
    await name.getByText('Saved.').waitFor();
    await plan.getByRole('combobox', { name: 'Plan' }).selectOption('growth');
    await plan.getByRole('button', { name: 'Save plan' }).click();
    await plan.getByText('Saved.').waitFor();
    expect(await tenantOf('shop')).toMatchObject({ name: 'The shop', plan: 'growth', limits: null });
  });

  it('says in words why a setting cannot be, and keeps what was typed', async () => {
    const { page, expects } = await visits().open('#/tenant/outlet');
    expects(/status of 400/);
    const limits = card(page, 'Ingestion limits');
    await limits.getByRole('radio', { name: 'Own limits' }).check();
    await limits.getByLabel('Events a minute').fill('0');
    await limits.getByRole('button', { name: 'Save ingestion limits' }).click();
    await expect.poll(() => limits.getByRole('alert').innerText()).toContain('eventsPerMinute');
    await expect.poll(() => limits.getByLabel('Events a minute').inputValue()).toBe('0');
    expect((await tenantOf('outlet')).ingestion).toBe('default');
  });
});

describe('changes that are not saved', () => {
  it('are told of on other pages, are there on return, and go by a click', async () => {
    const { page } = await visits().open('#/tenant/outlet');
    const name = card(page, 'Name');
    await name.getByLabel('Display name').fill('Typed');
    await name.getByRole('button', { name: 'Save name' }).waitFor();
    const told = page.getByText('Name of outlet: changes are not saved.');
    expect(await told.count()).toBe(0);
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    await told.waitFor();
    await page.getByRole('link', { name: 'Back to them' }).click();
    await expect.poll(() => name.getByLabel('Display name').inputValue()).toBe('Typed');
    await told.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Live' }).click();
    await told.waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await told.waitFor({ state: 'detached' });
    await page.goBack();
    await expect.poll(() => name.getByLabel('Display name').inputValue()).toBe('outlet');
    expect(await name.getByRole('button').count()).toBe(0);
    // What is saved is no change any more, and another one shows Save again.
    await name.getByLabel('Display name').fill('The outlet');
    await name.getByRole('button', { name: 'Save name' }).click();
    await name.getByText('Saved.').waitFor();
    await name.getByRole('button').waitFor({ state: 'detached' });
  });
});

describe('retention', () => {
  it('that keeps less says first how many events go, and wants the alias', async () => {
    const { page } = await visits().open('#/tenant/kept');
    const retention = card(page, 'Retention');
    await retention.getByRole('radio', { name: 'For a number of days' }).check();
    await retention.getByRole('textbox', { name: 'Days' }).fill('30');
    const save = retention.getByRole('button', { name: 'Save retention' });
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Keep 30 days of events?' });
    await dialog.getByText('4 events').waitFor();
    const sure = dialog.getByRole('button', { name: 'Keep less' });
    await expect.poll(() => sure.isDisabled()).toBe(true);
    await dialog.getByLabel(/Type “kept”/).fill('kept');
    await sure.click();
    await dialog.waitFor({ state: 'detached' });
    await retention.getByText('Saved.').waitFor();
    expect(await tenantOf('kept')).toMatchObject({ retentionDays: 30 });

    // To keep more loses nothing, so nothing is asked.
    await retention.getByRole('textbox', { name: 'Days' }).fill('365');
    await save.click();
    await retention.getByText('Saved.').waitFor();
    expect(await tenantOf('kept')).toMatchObject({ retentionDays: 365 });
    await retention.getByRole('radio', { name: 'Forever' }).check();
    await save.click();
    await retention.getByText('Saved.').waitFor();
    expect(await tenantOf('kept')).toMatchObject({ retentionDays: null });
  });
});

describe('the erasure of events', () => {
  it('takes what was chosen and nothing else, after a number and the alias', async () => {
    const { page } = await visits().open('#/tenant/gone');
    const dialog = page.getByRole('dialog');
    const erase = async (fields: Readonly<Record<string, string>>, count: string) => {
      await page.getByRole('button', { name: 'Erase events…' }).click();
      const next = dialog.getByRole('button', { name: 'Continue' });
      await expect.poll(() => next.isDisabled()).toBe(true);
      for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
      await next.click();
      await dialog.getByText(count, { exact: true }).waitFor();
      const sure = dialog.getByRole('button', { name: 'Erase permanently' });
      await expect.poll(() => sure.isDisabled()).toBe(true);
      await dialog.getByLabel(/Type “gone”/).fill('gone');
      await sure.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(new RegExp(`^${count} events? (was|were) erased`)).waitFor();
      await page.reload();
    };
    const longAgo = new Date(now - 30 * DAY_MS).toISOString().slice(0, 10);
    await erase({ 'User ID': 'ada', 'Event name': 'bought', 'Last day (UTC)': longAgo }, '1');
    await erase({ 'Last day (UTC)': longAgo }, '3');
    await erase({ 'User ID': 'ada' }, '2');
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('2');
    await erase({ 'Event name': 'visited', 'First day (UTC)': longAgo }, '1');
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('1');
    await page.goto(`${visits().server.origin}/dashboard#/audit`);
    const entries = page.getByRole('row', { name: /gone/ }).filter({ hasText: 'erased events' });
    await entries.first().waitFor();
    await expect.poll(() => entries.count()).toBe(4);
    await expect.poll(() => entries.first().innerText()).toMatch(/matched\s+1/);
    const texts = await entries.allInnerTexts();
    // A receipt names its entry, whose digits may spell anything.
    const id = /entry\s+[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
    for (const text of texts) expect(text).toMatch(id);
    expect(texts.map((text) => text.replace(id, '')).join()).not.toContain('ada');
  });

  it('leaves everything when somebody turns back', async () => {
    const { page } = await visits().open('#/tenant/outlet');
    await page.getByRole('button', { name: 'Erase events…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User ID').fill('ada');
    await page.keyboard.press('Enter');
    await dialog.getByText('4', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => fact(page, 'Events').innerText()).toBe('8');
  });
});
