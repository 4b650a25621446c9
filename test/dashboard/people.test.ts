import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { useVisits } from './use-visits.ts';
import { signIn } from './visits.ts';
import { copyBy, typeFocused } from './waits.ts';

const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'outlet']) await createTenant(db, alias);
  },
  furnish: ({ origin }) => sendBatch(origin, 'shop', accessLog(12)),
});

/** Counts the clicks on a page from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => (clicks += 1), true)`);
  return () => page.evaluate<number>('clicks');
}

/** Makes a link for somebody at the open page of people, and reads it from the dialog. */
async function invite(
  page: Page,
  name: string,
  act: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Name').fill(name);
  await act();
  await page.getByRole('button', { name: 'Create link' }).click();
  const dialog = page.getByRole('dialog', { name: `Link for ${name}` });
  const link = (await dialog.getByRole('region', { name: 'link' }).innerText()).trim();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return link;
}

/** Signs a person in by a link, in a browser of their own. */
async function enter(link: string): Promise<Page> {
  const { page, expects } = await visits().stranger();
  expects(/status of 40[0134]/);
  await signIn(page, link);
  return page;
}

const rowsOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

describe('the page of people', () => {
  it('gives a colleague a look at the data in four clicks: People, Invite, Create link, Copy', async () => {
    const { page, context } = await visits().open('#/explore/shop');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('button.opener').first().waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    // The name field has the focus, and the tenant that was seen before is chosen.
    await typeFocused(page, 'ada');
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link for ada' });
    const link = await copyBy(page, dialog.getByRole('button', { name: 'Copy link' }));
    expect(await clicks()).toBe(4);
    expect(link).toMatch(/\/sign-in#eql_[0-9a-f]{64}$/);
    await dialog.getByText('only on the machine of the server').waitFor();

    const ada = await enter(link);
    await ada.locator('button.opener').first().waitFor();
    await ada.getByLabel('Tenant').click();
    await expect.poll(() => ada.getByRole('listbox', { name: 'tenants' }).allInnerTexts()).toEqual(['shop']);
    await ada.keyboard.press('Escape');
    await ada.getByRole('link', { name: 'People' }).click();
    await rowsOf(ada, 'ada').waitFor();
    await expect.poll(() => ada.getByRole('row').count()).toBe(2);
    await expect.poll(() => ada.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  });

  it('shows the link once, and lists it until it is used', async () => {
    const { page } = await visits().open('#/people');
    const link = await invite(page, 'bob', () => page.getByRole('checkbox', { name: 'shop' }).check());
    await rowsOf(page, 'bob').getByText('link not used yet').waitFor();
    expect(await page.content()).not.toContain(link.split('#')[1]);
    await enter(link);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowsOf(page, 'bob').getByText('link not used yet').waitFor({ state: 'detached' });
    await expect.poll(() => rowsOf(page, 'bob').innerText()).toMatch(/viewer\s+outlet, shop\s+link of/);
  });

  it('ends the session of somebody, who sees that at the next step', async () => {
    const { page } = await visits().open('#/people');
    const eve = await enter(
      await invite(page, 'eve', () => page.getByRole('checkbox', { name: 'outlet' }).check()),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowsOf(page, 'eve')
      .getByRole('button', { name: /^End session/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
    await rowsOf(page, 'eve').waitFor({ state: 'detached' });
    await eve.getByRole('link', { name: 'Usage' }).click();
    await eve.getByText('Your session has ended').waitFor();
  });

  it('an admin of a tenant sees and invites for this tenant alone', async () => {
    const { page } = await visits().open('#/people');
    const asAdmin = async () => {
      await page.getByLabel('Role').selectOption('admin');
      await page.getByRole('checkbox', { name: 'outlet' }).check();
    };
    const mia = await enter(await invite(page, 'mia', asAdmin));
    await mia.getByRole('link', { name: 'People' }).click();
    await rowsOf(mia, 'mia').waitFor();
    await mia.getByRole('button', { name: 'Invite' }).click();
    await expect.poll(() => mia.getByRole('checkbox').count()).toBe(1);
    await mia.locator('input[type=checkbox]:checked').waitFor();
    await mia.keyboard.press('Escape');
    await invite(mia, 'noa');
    await rowsOf(mia, 'noa').waitFor();
    await expect.poll(() => rowsOf(mia, 'ada').count()).toBe(0);
  });

  it('who ends the own sessions is signed out, and comes back by a new link', async () => {
    const { page } = await visits().open('#/people');
    const one = await enter(
      await invite(page, 'zoe', () => page.getByRole('checkbox', { name: 'shop' }).check()),
    );
    await one.getByRole('link', { name: 'People' }).click();
    await rowsOf(one, 'zoe').getByText('this browser').waitFor();
    await one.getByRole('button', { name: /^End session of|^End session zoe/ }).click();
    await one.getByRole('button', { name: 'End and sign out' }).click();
    await one.getByRole('heading', { name: 'event-query' }).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowsOf(page, 'zoe').waitFor({ state: 'detached' });
    const owner = await visits().stranger();
    await signIn(owner.page, visits().printLink());
  });

  it('who ends all with the own name leaves none, though one has ended meanwhile', async () => {
    const { page } = await visits().open('#/people');
    const asAdmin = async () => {
      await page.getByLabel('Role').selectOption('admin');
      await page.getByRole('checkbox', { name: 'outlet' }).check();
    };
    const links = [];
    for (let i = 0; i < 3; i++) links.push(await invite(page, 'ida', asAdmin));
    const [ida] = [await enter(links[0]!), await enter(links[1]!)];
    await ida.getByRole('link', { name: 'People' }).click();
    await expect.poll(() => rowsOf(ida, 'ida').count()).toBe(3);
    await rowsOf(ida, 'ida this browser')
      .getByRole('button', { name: /^End session/ })
      .click();
    await ida.getByLabel('All 3 sessions and links with this name').check();
    // The owner withdraws the unused link before ida's own list shows it.
    await page.getByRole('button', { name: 'Refresh' }).click();
    const unused = rowsOf(page, 'ida').filter({ hasText: 'link not used yet' });
    await expect.poll(() => unused.count()).toBe(1);
    await unused.getByRole('button', { name: /^Withdraw link/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw link' }).click();
    await unused.waitFor({ state: 'detached' });
    await ida.getByRole('button', { name: 'End and sign out' }).click();
    await ida.getByRole('heading', { name: 'event-query' }).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowsOf(page, 'ida').first().waitFor({ state: 'detached' });
  });
});
