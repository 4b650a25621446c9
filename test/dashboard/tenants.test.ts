import { describe, expect, it } from 'vitest';
import { createTenant, withAdmin } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { copyBy } from './waits.ts';

const log = accessLog(300);
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await createTenant(db, 'before');
  },
  furnish: ({ origin }) => sendBatch(origin, 'shop', log),
});

describe('the page of tenants', () => {
  it('makes a tenant, which then has its pages, and says what to do next', async () => {
    const { page } = await visits().open('#/tenants');
    await page.getByRole('button', { name: 'New tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'New tenant' });
    await dialog.getByLabel('Alias').fill('news');
    await dialog.getByLabel('Name').fill('The news');
    await dialog.getByRole('button', { name: 'Create tenant' }).click();
    await dialog.waitFor({ state: 'detached' });
    // It leads to where the first event is sent.
    await page.getByText('No events yet').waitFor();
    expect(new URL(page.url()).hash).toBe('#/explore/news');
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    const row = page.getByRole('row', { name: /news/ });
    await row.getByText('The news').waitFor();
    await row.getByText('none yet').waitFor();
    await row.getByRole('link', { name: 'news' }).click();
    await page.getByText('No events yet').waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /Authentication/ })
      .click();
    await page.getByRole('heading', { name: 'Authentication' }).waitFor();
  });

  it('a tenant that somebody works with stays theirs on the way over pages of none', async () => {
    const { page } = await visits().open('#/keys/shop');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    for (const aside of ['Tenants', 'Audit']) {
      await page.getByRole('link', { name: aside, exact: true }).click();
      await page.getByRole('region', { name: aside }).waitFor();
    }
    // Another comes before it by its alias.
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/usage/shop');
  });

  it('says in words why a tenant cannot be made, and keeps what was typed', async () => {
    const { page, expects } = await visits().open('#/tenants');
    expects(/status of 4\d\d/);
    await page.getByRole('button', { name: 'New tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'New tenant' });
    await dialog.getByLabel('Alias').fill('shop');
    await dialog.getByRole('button', { name: 'Create tenant' }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('shop');
    await expect.poll(() => dialog.getByLabel('Alias').inputValue()).toBe('shop');
    // What was refused can be mended and sent once more.
    await dialog.getByLabel('Alias').fill('mended');
    await dialog.getByRole('button', { name: 'Create tenant' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).hash).toBe('#/explore/mended');
  });

  it('shows what each holds: alias to copy, plan, strategy, events, last event, id', async () => {
    const { page, context } = await visits().open('#/tenants');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const row = page.getByRole('row', { name: /shop/ });
    // All of the text: an id may have any digits.
    await row.getByText('300', { exact: true }).waitFor();
    const last = log
      .map(({ eventTs }) => eventTs)
      .sort()
      .at(-1)!;
    await row.getByText(last.slice(11, 19)).waitFor();
    for (const text of ['custom', 'NONE']) await row.getByText(text, { exact: true }).waitFor();
    expect(await copyBy(page, row.getByRole('button', { name: 'Copy shop' }))).toBe('shop');
    await row.locator('summary').click();
    await row.getByText('URLs use the alias').waitFor();
  });

  it('changes a plan, and deletes a tenant only for who types its alias', async () => {
    const { page } = await visits().open('#/tenants');
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByRole('dialog').getByLabel('Alias').fill('brief');
    await page.getByRole('dialog').getByRole('button', { name: 'Create tenant' }).click();
    await page.getByText('No events yet').waitFor();
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    await page.getByRole('button', { name: 'Settings brief' }).click();
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('growth');
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    const row = page.getByRole('row', { name: /brief/ });
    await row.getByText('growth').waitFor();

    await page.getByRole('button', { name: 'Delete brief' }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByRole('button', { name: 'Delete permanently' });
    await expect.poll(() => sure.isDisabled()).toBe(true);
    await dialog.getByLabel(/Type “brief”/).fill('brief');
    await sure.click();
    await row.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Audit' }).click();
    const notes = page.getByRole('row', { name: /brief/ });
    await notes.first().getByText('deleted a tenant').waitFor();
    await expect.poll(() => notes.count()).toBe(3);
  });

  it('a tenant that was made elsewhere is found without a reload; of none it says so', async () => {
    const { page, expects } = await visits().open('#/tenants');
    expects(/status of 404/);
    await page.getByRole('row', { name: /shop/ }).waitFor();
    await page.evaluate(`(async () => {
      const headers = { 'Content-Type': 'application/json', 'X-Event-Query': 'dashboard' };
      const body = JSON.stringify({ alias: 'elsewhere', plan: 'builder' });
      await fetch('/v1/admin/tenants/create', { method: 'POST', headers, body });
      location.hash = '#/explore/elsewhere';
    })()`);
    await page.getByText('No events yet').waitFor();
    await page.evaluate(`location.hash = '#/explore/nowhere'`);
    await page.getByText('You have no access to a tenant “nowhere”').waitFor();
  });

  it('a tenant that is deleted elsewhere is gone where somebody waits for its events', async () => {
    await createTenant(visits().db, 'leaving');
    const { page, expects } = await visits().open('#/explore/leaving');
    expects(/status of 404/);
    await page.getByText('No events yet').waitFor();
    await withAdmin(visits().db, (admin) => admin.deleteTenant('leaving'));
    await page.getByText('You have no access to a tenant “leaving”').waitFor();
  });

  it('has more than a thousand tenants, a hundred more at a time', async () => {
    await withAdmin(visits().db, async (admin) => {
      for (let i = 0; i < 1_001; i++) {
        await admin.createTenant({ alias: `zone-${String(i).padStart(4, '0')}`, plan: 'builder' });
      }
    });
    const { page } = await visits().open('#/keys/zone-1000');
    // It is behind the first thousand, and has its pages like any other.
    await page.getByText('No keys yet').waitFor();
    const chooser = page.getByRole('combobox', { name: 'Tenant' });
    await expect.poll(() => chooser.inputValue()).toBe('zone-1000');
    await chooser.fill('zone-0');
    // Few of them are in the document at once.
    await page.getByText('100 of 1,000. Type to find others.').waitFor();
    await chooser.fill('zone-0999');
    await expect
      .poll(() => page.getByRole('listbox', { name: 'tenants' }).allInnerTexts())
      .toEqual(['zone-0999']);
    await chooser.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/keys/zone-0999');
    await page.getByRole('link', { name: 'Tenants' }).click();
    const rows = page.getByRole('region', { name: 'Tenants' }).locator('tbody tr');
    await rows.first().waitFor();
    await expect.poll(() => rows.count()).toBe(100);
    const more = page.getByRole('button', { name: 'More tenants' });
    await more.click();
    await page.getByText(/^200 of 1,0\d\d/).waitFor();
    await expect.poll(() => rows.count()).toBe(200);
  });
});

describe('the audit log', () => {
  it('has its older changes below the newer ones, each once', async () => {
    const names = Array.from({ length: 250 }, (_, i) => `name-${i}-`);
    await withAdmin(visits().db, async (admin) => {
      await admin.createTenant({ alias: 'noted', plan: 'scale' });
      for (const name of names) await admin.updateTenant('noted', { name });
    });
    const { page } = await visits().open('#/audit');
    const rows = page.locator('tbody tr');
    await page.getByText('name-249-').waitFor();
    for (const next of ['name-149-', 'name-49-']) {
      await expect.poll(() => page.getByText(next, { exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Older changes' }).click();
      await page.getByText(next, { exact: true }).waitFor();
    }
    await expect.poll(() => rows.count()).toBeGreaterThan(names.length);
    const found = async () => (await rows.allInnerTexts()).flatMap((text) => /name-\d+-/.exec(text) ?? []);
    expect(await found()).toEqual([...names].reverse());
    // What another filter finds is a list of its own.
    await page.getByLabel('Action').selectOption('created a tenant');
    await expect.poll(found).toEqual([]);
  });
});
