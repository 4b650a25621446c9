import { expect, it } from 'vitest';
import { createTenant, withAdmin } from '../support/file.ts';
import { ask } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';

let secret = '';
const visits = useVisits({
  prepare: async (db) => {
    ({ secret } = await createTenant(db, 'shop'));
    await withAdmin(db, (admin) => admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' }));
  },
});

async function send(events: readonly unknown[], authorization: string): Promise<number> {
  const { status } = await ask(visits().server.origin, '/v1/events/shop/multi', {
    headers: { 'Content-Type': 'application/json', authorization },
    body: JSON.stringify(events),
  });
  return status;
}

it('the page of refusals says what was not stored and why, until it is cleared', async () => {
  const { page } = await visits().open('#/refusals/shop');
  await page.getByText('Nothing was refused').waitFor();
  const good = { eventName: 'a', userId: 'ada' };
  const bad = { ...good, properties: { price: 'MARKED\u0000' } };
  expect(await send([good, bad, bad], `Chase ${secret}`)).toBe(200);
  expect(await send([good], 'Chase MARKED')).toBe(401);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('cell', { name: '2 events' }).waitFor();
  await page.getByRole('cell', { name: '1 request', exact: true }).waitFor();
  await page.getByText('The secret key is missing or invalid').waitFor();
  await page.getByText('properties.price').first().click();
  await page.getByText('string, 3 characters').waitFor();
  expect(await page.content()).not.toContain('MARKED');
  await page.getByRole('button', { name: 'Clear' }).click();
  const sure = page.getByRole('dialog', { name: 'Clear the refusals of shop?' });
  await sure.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('Nothing was refused').waitFor();
});
