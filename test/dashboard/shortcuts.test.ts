import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { withAdmin } from '../support/file.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, settle } from './views.ts';
import { typeFocused } from './waits.ts';

const TENANTS = 300;
const visits = useVisits({
  command: 'demo',
  prepare: async (db) => {
    await prepareViews(db);
    await withAdmin(db, async (admin) => {
      for (let i = 0; i < TENANTS; i++)
        await admin.createTenant({ alias: `zone-${String(i).padStart(3, '0')}`, plan: 'builder' });
    });
  },
});

async function open(place: string): Promise<Page> {
  const { page } = await visits().open(place);
  await settle(page);
  return page;
}

/** What has the focus: its label, its name or its text. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ ariaLabel, labels, textContent }) =>
      (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
  );
/** The index of the row of events that has the focus. */
const rowOf = (page: Page) =>
  page.evaluate<number>(`[...document.querySelectorAll('.opener')].indexOf(document.activeElement)`);
const dialogs = (page: Page) => page.getByRole('dialog').count();

describe('a single key', () => {
  it('/ goes to the filters, and where a page has nothing to search to the palette', async () => {
    const page = await open('#/explore/demo');
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('Event');
    const other = await open('#/usage/demo');
    await other.keyboard.press('/');
    await other.getByRole('dialog', { name: 'Go to' }).waitFor();
  });

  it('f opens a new filter, and goes back to the one that is open', async () => {
    const page = await open('#/explore/demo');
    await page.keyboard.press('f');
    await expect.poll(() => focused(page)).toBe('Property');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('');
    await page.locator('.count').click();
    await page.keyboard.press('f');
    await expect.poll(() => focused(page)).toBe('Property');
    await expect.poll(() => page.getByLabel('Property').count()).toBe(1);
  });

  it('j and k go from row to row, past an open one; Enter opens', async () => {
    const page = await open('#/explore/demo?range=all');
    await page.locator('.opener').nth(20).waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => rowOf(page)).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('tr.whole').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => rowOf(page)).toBe(2);
    await page.locator('tr.whole button').first().focus();
    await page.keyboard.press('j');
    await expect.poll(() => rowOf(page)).toBe(2);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await expect.poll(() => rowOf(page)).toBe(0);
  });

  it('j goes through a list, where Enter follows what a row leads to', async () => {
    const page = await open('#/tenants');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const alias = await focused(page);
    expect(alias).not.toBe('');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(`#/explore/${alias}`);
  });

  it('acts neither while one types nor beside a dialog nor with another key', async () => {
    const page = await open('#/explore/demo');
    await page.keyboard.press('f');
    await typeFocused(page, 'jfk?/');
    await expect.poll(() => page.getByLabel('Property').inputValue()).toBe('jfk?/');
    await page.keyboard.press('Control+k');
    expect(await dialogs(page)).toBe(0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.keyboard.press('Alt+f');
    await page.keyboard.press('Control+j');
    await expect.poll(() => page.getByLabel('Property').count()).toBe(0);
    expect(await rowOf(page)).toBe(-1);

    const keys = await open('#/keys/demo');
    await keys
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await keys.getByRole('dialog').waitFor();
    await keys.keyboard.press('?');
    await keys.keyboard.press('Control+k');
    expect(await dialogs(keys)).toBe(1);
  });

  it('can be switched off, which is remembered; the palette stays', async () => {
    const page = await open('#/explore/demo');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const key of ['Ctrl K', '/', 'f', 'j', 'k', '?'])
      await help.getByText(key, { exact: true }).waitFor();
    await help.getByRole('checkbox', { name: /Single-key shortcuts/ }).press('Space');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.reload();
    await settle(page);
    for (const key of ['f', '/', 'j', '?']) await page.keyboard.press(key);
    expect(await dialogs(page)).toBe(0);
    await expect.poll(() => page.getByLabel('Property').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await help.getByRole('checkbox', { name: /Single-key shortcuts/ }).check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.getByLabel('Property').waitFor();
  });
});

/** Opens the palette and types a text; gives the options. */
async function lookFor(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  const options = page.getByRole('dialog').getByRole('option');
  await options.first().waitFor();
  await page.keyboard.type(text);
  return options;
}

describe('the palette', () => {
  it('leads to a page of the tenant, whose heading then has the focus', async () => {
    const page = await open('#/explore/demo');
    const options = await lookFor(page, 'key');
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([expect.stringMatching(/^Keys\s+demo/), expect.stringMatching(/^key\s+user of this id/)]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(page.url()).toContain('#/keys/demo');
    await expect.poll(() => focused(page)).toBe('Keys');
  });

  it('finds a page by what it has, behind the page of that name', async () => {
    const page = await open('#/explore/demo');
    const options = await lookFor(page, 'retention');
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Retention\s/),
        expect.stringMatching(/^General\s/),
        expect.stringMatching(/^retention\s+user of this id/),
      ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/tenant/demo');
  });

  it('leads to a tenant of many, by the arrow keys, and shows a hundred at most', async () => {
    const page = await open('#/keys/demo');
    await page.getByRole('button', { name: 'Go to…' }).click();
    await page.getByText(/^100 of 3\d\d\./).waitFor();
    await expect.poll(() => page.getByRole('dialog').getByRole('option').count()).toBe(100);
    await page.keyboard.type('zone 29');
    // The last one is a user of this id.
    await expect.poll(() => page.getByRole('dialog').getByRole('option').count()).toBe(14);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const field = page.getByRole('combobox', { name: 'Page, tenant, view or user' });
    const active = await field.getAttribute('aria-activedescendant');
    const chosen = page.getByRole('dialog').getByRole('option', { selected: true });
    await expect.poll(() => chosen.getAttribute('id')).toBe(active);
    // While one goes through the list, these keys lead to its ends; while one types, to those of the text.
    const options = page.getByRole('dialog').getByRole('option');
    const isChosen = (i: number) => options.nth(i).getAttribute('aria-selected');
    await page.keyboard.press('End');
    await expect.poll(() => isChosen(13)).toBe('true');
    await page.keyboard.press('Home');
    await expect.poll(() => isChosen(0)).toBe('true');
    await page.keyboard.type('9');
    await expect.poll(() => options.count()).toBe(2);
    await page.keyboard.press('Home');
    await page.keyboard.type('-');
    await expect.poll(() => options.count()).toBe(1);
    await expect.poll(() => field.inputValue()).toBe('-zone 299');
    await field.fill('zone 29');
    await options.nth(3).hover();
    await expect.poll(() => isChosen(3)).toBe('true');
    const alias = (await chosen.locator('bdi').first().innerText()).trim();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(`#/keys/${alias}`);
    await page.getByText('No keys yet').waitFor();
  });

  it('leads from a page of no tenant to the events of a tenant', async () => {
    const page = await open('#/audit');
    await lookFor(page, 'zone-299');
    await page.keyboard.press('Enter');
    await page.getByText('No events yet').waitFor();
    expect(page.url()).toContain('#/explore/zone-299');
  });

  it('leads to a saved view, and to a user by the id', async () => {
    const page = await open('#/explore/demo?by=properties.plan&range=all');
    await page.getByRole('button', { name: 'Views' }).click();
    await typeFocused(page, 'Prices of May');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog', { name: 'Views' }).waitFor({ state: 'detached' });
    await page.evaluate(`location.hash = '#/keys/demo'`);
    await page.getByRole('button', { name: 'Generate new secret' }).waitFor();
    await lookFor(page, 'prices');
    await page.getByRole('option', { name: /Prices of May/ }).click();
    await expect.poll(() => page.url()).toContain('by=properties.plan');
    await lookFor(page, 'nobody-has-this');
    await page.getByRole('option', { name: /nobody-has-this user of this id/ }).click();
    await expect.poll(() => page.url()).toContain('#/person/demo?');
    expect(page.url()).toContain('user=nobody-has-this');
  });

  it('offers only a user of the id when nothing matches, and gives the focus back', async () => {
    const page = await open('#/keys/demo');
    await page.getByRole('button', { name: 'Generate new secret' }).focus();
    const options = await lookFor(page, 'no such place');
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([expect.stringMatching(/^no such place\s+user of this id/)]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Generate new secret');
  });
});

describe('the focus', () => {
  it('goes to the head of the rows after the next page', async () => {
    const page = await open('#/explore/demo?range=all');
    const next = page.getByRole('button', { name: 'Next 50' });
    await next.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^Events/);
  });

  it('goes to what is next if an action removes what had it', async () => {
    const page = await open('#/explore/demo');
    const close = page.getByRole('button', { name: 'Close getting started' });
    await close.focus();
    await page.keyboard.press('Enter');
    await close.waitFor({ state: 'detached' });
    expect(await page.evaluate(`document.activeElement !== document.body`)).toBe(true);
  });

  it('comes back to a button that was disabled for a while', async () => {
    const page = await open('#/usage/demo');
    await page.getByRole('button', { name: 'Refresh' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('main button:disabled').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Refresh');
  });

  it('goes to the heading of a page to which the content of another one leads', async () => {
    const page = await open('#/tenants');
    await page.getByRole('link', { name: 'empty', exact: true }).press('Enter');
    await expect.poll(() => focused(page)).toBe('Explorer');
  });
});
