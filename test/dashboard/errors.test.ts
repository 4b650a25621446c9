import { describe, expect, it } from 'vitest';
import type { Page, Route } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { movedOn } from './visits.ts';
import { chooseEvent, gone, hinder } from './waits.ts';

const visits = useVisits({ command: 'demo' });

const busy = (route: Route) => route.fulfill({ status: 503, body: '{"error":"Too busy. Try later."}' });
const alerts = (page: Page) => page.getByRole('alert');

describe('an error that several parts of a page share', () => {
  it('is said once, with one Retry that asks all of them again and keeps the focus', async () => {
    const { page, expects } = await visits().open('#/tenants');
    expects(/status of 503/);
    const letGo = await hinder(page, '**/query/breakdown/demo', busy);
    await page.evaluate(`location.hash = '#/explore/demo?by=properties.country&range=all'`);
    await alerts(page).getByText('Too busy. Try later.').waitFor();
    await expect.poll(() => page.getByText('Not loaded.').count()).toBe(2);
    await expect.poll(() => alerts(page).count()).toBe(1);
    const retry = page.getByRole('button', { name: 'Retry' });
    await expect.poll(() => retry.count()).toBe(1);
    // What did come is there.
    await page.getByText('5,000 events in total').waitFor();

    // In vain: it stays, and so does the focus.
    await retry.press('Enter');
    await page.locator('main button:disabled').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Retry');
    letGo();
    await retry.press('Enter');
    await page.locator('svg.chart').waitFor();
    await page.locator('.bars li').first().waitFor();
    await expect.poll(() => alerts(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
  });

  it('is said once on the page of a user, too', async () => {
    const { page, expects } = await visits().open('#/tenants');
    expects(/status of 503/);
    await hinder(page, '**/query/**', busy);
    await page.evaluate(`location.hash = '#/person/demo?user=customer-0180'`);
    await alerts(page).getByText('Too busy. Try later.').waitFor();
    await page.getByText('Not loaded.').first().waitFor();
    await expect.poll(() => alerts(page).count()).toBe(1);
  });

  it('of another reason stays where it is', async () => {
    const { page, expects } = await visits().open('#/tenants');
    expects(/status of 503/);
    await hinder(page, '**/query/demo', busy);
    await page.evaluate(`location.hash = '#/explore/demo?range=all'`);
    await page.locator('.rows').getByRole('alert').getByText('Too busy. Try later.').waitFor();
    await expect.poll(() => page.getByText('Not loaded.').count()).toBe(0);
  });
});

describe('a server that cannot be reached', () => {
  it('is found again by the page itself', async () => {
    const { page, expects } = await visits().open('#/explore/demo?range=all');
    expects(/ERR_FAILED/);
    await page.getByText('5,000 events in total').waitFor();
    const letGo = await hinder(page, /\/v1\/admin\/|icon\.svg/, gone);
    await chooseEvent(page, 'page_viewed');
    await alerts(page).getByText('The server cannot be reached').waitFor();
    await expect.poll(() => alerts(page).count()).toBe(1);
    letGo();
    await page.locator('.count', { hasText: /\d events match/ }).waitFor();
    await expect.poll(() => alerts(page).count()).toBe(0);
  });

  it('takes nothing away that a refresh had asked for again, and the page says of when it is', async () => {
    const { page, expects } = await visits().open('#/explore/demo?range=all&by=properties.country');
    expects(/ERR_FAILED/);
    await page.getByText('5,000 events in total').waitFor();
    await page.locator('.rows[aria-busy=false]').waitFor();
    await page.locator('.bars li').first().waitFor();
    const letGo = await hinder(page, /\/v1\/admin\/|icon\.svg/, gone);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await alerts(page)
      .getByText(/Not refreshed: this is as of \d\d:\d\d:\d\d \(UTC\)/)
      .waitFor();
    await page.getByText('5,000 events in total').waitFor();
    await page.locator('svg.chart').waitFor();
    await page.locator('.bars li').first().waitFor();
    await page.locator('button.opener').first().waitFor();
    expect([await alerts(page).count(), await page.getByText('Not loaded').count()]).toEqual([1, 0]);
    letGo();
    await expect.poll(() => alerts(page).count()).toBe(0);
  });

  it('is found again at the first view, which can be asked for, too', async () => {
    const { page, expects } = await visits().stranger();
    expects(/ERR_FAILED/);
    expects(/status of 401/);
    await page.goto(`${visits().server.origin}/dashboard`);
    const letGo = await hinder(page, /\/v1\/admin\/|icon\.svg/, gone);
    await page.reload();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    letGo();
    await page.getByRole('heading', { name: 'event-query' }).waitFor();
  });
});

describe('what loads for the first time', () => {
  it('has its shape from the first paint on, is busy, and moves nothing when it comes', async () => {
    const { page } = await visits().open('#/tenants');
    await page.getByRole('heading', { name: 'Tenants' }).waitFor();
    const lets: (() => void)[] = [];
    const held = new Promise<void>((resolve) => lets.push(resolve));
    await page.route(/\/v1\/admin\/(session|tenants)$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.locator('main .skeleton[aria-busy=true]').waitFor();
    for (const letGo of lets) letGo();
    await page.getByRole('row', { name: /demo/ }).waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    expect(await movedOn(page)).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'keeps the room of the chart and of the rows, %s',
    async (colorScheme) => {
      const { page } = await visits().open('#/tenants', { colorScheme });
      await page.getByRole('heading', { name: 'Tenants' }).waitFor();
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      await page.route('**/v1/admin/query/**', async (route) => {
        await held;
        await route.continue();
      });
      await page.evaluate(`location.hash = '#/explore/demo?range=all'`);
      await page.locator('.histogram .skeleton').waitFor();
      await page.locator('.rows .skeleton').waitFor();
      letGo();
      await page.locator('.opener').first().waitFor();
      await page.locator('svg.chart').waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect(await movedOn(page)).toEqual([]);
    },
  );
});
