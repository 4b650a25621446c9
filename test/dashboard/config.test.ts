import { expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, withAdmin } from '../support/file.ts';
import { ask } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';

const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await createTenant(db, 'closed');
    await withAdmin(db, (admin) => admin.updateTenant('closed', { authStrategy: 'SERVER_SIDE' }));
  },
});

/** What pages of the tenant read. */
async function read(): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const { origin } = visits().server;
  const { body } = await ask(origin, '/v1/client/shop/config/configurations', { headers, body: '{}' });
  return (body as { configurations: unknown }).configurations;
}

/** Saves a value as a person would. */
async function save(page: Page, { key, value }: { key?: string; value: string }): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (key !== undefined) await dialog.getByLabel('Key').fill(key);
  await dialog.getByLabel('Value').fill(value);
  await dialog.getByRole('button', { name: 'Save' }).click();
}

it('the page of the remote config sets, changes and removes what pages read', async () => {
  const { page } = await visits().open('#/config/shop');
  await page.getByText('No values yet').waitFor();
  await page.getByText('Everybody who knows the alias can read them').waitFor();
  await page.getByRole('button', { name: 'Set a value' }).click();
  await save(page, { key: 'hero_text', value: 'Hello\n“you”' });
  await page.getByRole('row', { name: /hero_text/ }).waitFor();
  expect(await read()).toEqual({ hero_text: 'Hello\n“you”' });

  await page.getByRole('button', { name: 'Change hero_text' }).click();
  await expect.poll(() => page.getByRole('dialog').getByLabel('Value').inputValue()).toBe('Hello\n“you”');
  await save(page, { value: `Bye ${'x'.repeat(300)}` });
  await page.getByText(/^Bye x{196}…$/).waitFor();
  expect(await read()).toEqual({ hero_text: `Bye ${'x'.repeat(300)}` });

  await page.getByRole('button', { name: 'Remove hero_text' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No values yet').waitFor();
  expect(await read()).toEqual({});

  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('cell', { name: 'removed a remote config value' }).waitFor();
  await expect.poll(() => page.getByRole('cell', { name: 'set a remote config value' }).count()).toBe(2);
});

it('a key that cannot be one is refused, and what was typed stays', async () => {
  const { page, expects } = await visits().open('#/config/closed');
  expects(/status of 400/);
  await page.getByText('Programs read them with a secret key').waitFor();
  await page.getByRole('button', { name: 'Set a value' }).click();
  await save(page, { key: 'a key', value: 'typed' });
  const dialog = page.getByRole('dialog');
  await dialog.getByText('key: takes 1 to 128 of').waitFor();
  await expect.poll(() => dialog.getByLabel('Value').inputValue()).toBe('typed');
});
