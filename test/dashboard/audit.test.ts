import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, runSql, withAdmin } from '../support/file.ts';
import { useVisits } from './use-visits.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
/** The entries that the tests write, newest last: whose they are, what they did, and how long ago. */
const ENTRIES = [
  { who: 'eve <1> & "co"', action: 'key.revoke', ago: 45 * DAY_MS },
  { who: 'ada', action: 'key.create', ago: 3 * DAY_MS },
  { who: 'ada', action: 'limits.reset', ago: 2 * DAY_MS },
  { who: 'eve <1> & "co"', action: 'key.create', ago: 2 * DAY_MS },
] as const;
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await createTenant(db, 'outlet');
    await withAdmin(db, (admin) => admin.deleteTenant('outlet'));
    const [{ id: tenantId }] = runSql(
      db,
      "SELECT id FROM documents WHERE kind = 'tenant' AND place = 'shop'",
    ) as [{ id: string }];
    for (const [i, { who, action, ago }] of ENTRIES.entries()) {
      const id = `00000000-0000-4000-8000-00000000000${i}`;
      const entry = {
        ...{ id, at: now - ago, who, from: '::1', credentialId: null, person: null, action, tenantId },
        ...{ alias: 'shop', details: { mark: `mark-${i}` } },
      };
      const add = 'INSERT INTO audit (tenant_id, id, note) VALUES (?, ?, ?)';
      runSql(db, add, tenantId, id, JSON.stringify(entry));
    }
  },
});

const place = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
const marks = async (page: Page) =>
  (await page.locator('tbody tr').allInnerTexts()).flatMap((text) => /mark-\d/.exec(text) ?? []);
const dayOf = (ago: number) => new Date(now - ago).toISOString().slice(0, 10);

describe('the audit log', () => {
  it('says how long ago a change was, and the exact instant', async () => {
    const { page } = await visits().open('#/audit');
    const row = page.getByRole('row', { name: /mark-1/ });
    await row.getByText('3 d ago', { exact: true }).waitFor();
    const iso = new Date(now - 3 * DAY_MS).toISOString();
    await expect.poll(() => row.locator('time').getAttribute('datetime')).toBe(iso);
    await expect.poll(() => row.locator('time').getAttribute('title')).toBe(`${iso} (UTC)`);
    // A date says more than so many days.
    const old = page.getByRole('row', { name: /mark-0/ }).locator('time');
    await expect.poll(() => old.innerText()).not.toContain('ago');
    await expect.poll(() => old.innerText()).toContain(dayOf(45 * DAY_MS));
  });

  it('shows the changes of a person, an action and days, which the address says', async () => {
    const { page } = await visits().open('#/audit');
    await page.getByRole('row', { name: /mark-0/ }).waitFor();
    // One click from the list, since the person of a change is a link.
    await page
      .getByRole('row', { name: /mark-3/ })
      .getByRole('link', { name: /^eve/ })
      .click();
    await expect.poll(() => marks(page)).toEqual(['mark-3', 'mark-0']);
    expect(place(page).get('who')).toBe(ENTRIES[3].who);
    await expect.poll(() => page.getByLabel('Person').inputValue()).toBe(ENTRIES[3].who);
    await page.getByLabel('Action').focus();
    await page.getByLabel('Action').selectOption('created a key');
    await expect.poll(() => marks(page)).toEqual(['mark-3']);
    expect(await page.evaluate<string>('document.activeElement.value')).toBe('key.create');
    await page.reload();
    await expect.poll(() => marks(page)).toEqual(['mark-3']);
    await page.goBack();
    await expect.poll(() => marks(page)).toEqual(['mark-3', 'mark-0']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => marks(page)).toEqual(['mark-3', 'mark-2', 'mark-1', 'mark-0']);

    await page.getByLabel('First day').fill(dayOf(3 * DAY_MS));
    await page.getByLabel('Last day').fill(dayOf(3 * DAY_MS));
    expect(await marks(page)).toHaveLength(4);
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => marks(page)).toEqual(['mark-1']);
    await page.getByLabel('Person').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No changes found').waitFor();
    expect(Object.fromEntries(place(page))).toEqual({
      ...{ who: 'nobody', after: dayOf(3 * DAY_MS), before: dayOf(3 * DAY_MS) },
    });
  });

  it('shows the changes of a tenant, from its page or by a click, and of one that is gone', async () => {
    const { page } = await visits().open('#/tenant/shop');
    const rest = page.getByRole('region', { name: 'More of this tenant' });
    await rest.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /mark-0/ }).waitFor();
    const rows = page.locator('tbody tr');
    // Beside those of the test: the tenant was made, and its key.
    await expect.poll(() => rows.count()).toBe(ENTRIES.length + 2);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page
      .getByRole('row', { name: /deleted a tenant/ })
      .getByRole('link', { name: 'outlet' })
      .click();
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => page.getByLabel('Tenant', { exact: true }).last().inputValue()).toBe('outlet');
  });

  it('is one click away, from everywhere', async () => {
    const { page } = await visits().open('#/explore/shop');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /mark-3/ }).waitFor();
  });
});
