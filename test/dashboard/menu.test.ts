import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, settle } from './views.ts';

const visits = useVisits({ command: 'demo', prepare: prepareViews });

/** The menu of a page as wide as a tablet. */
async function openTablet(place: string) {
  const { page } = await visits().open(place, { viewport: { width: 768, height: 1000 } });
  await settle(page);
  return { page, menu: page.getByRole('navigation', { name: 'Pages', exact: true }) };
}

/** The height of the menu. */
const heightOf = (page: Page) => page.evaluate<number>(`document.querySelector('.side').offsetHeight`);

describe('between a phone and a desktop', () => {
  it('the menu is a bar of icons: it says the tenant, and each page is one click away', async () => {
    const { page, menu } = await openTablet('#/keys/fresh');
    expect(await heightOf(page)).toBeLessThan(60);
    await expect.poll(() => menu.getByText('fresh', { exact: true }).first().isVisible()).toBe(true);
    for (const name of ['Live', 'Remote config', 'Audit']) {
      await menu.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await expect.poll(() => menu.locator('[aria-current]').innerText()).toBe(name);
    }
  });

  it('the name of a page appears with the focus, and within the window', async () => {
    const { page } = await openTablet('#/keys/fresh');
    const shown = `[...document.querySelectorAll('.side .title')].filter((each) =>
      getComputedStyle(each).clipPath === 'none').map((each) => each.textContent)`;
    expect(await page.evaluate(shown)).toEqual([]);
    for (const name of ['Explorer', 'Audit']) {
      const link = page.getByRole('link', { name, exact: true });
      for (let i = 0; i < 20 && (await page.evaluate<string[]>(shown))[0] !== name; i++) {
        await page.keyboard.press('Tab');
      }
      expect(await page.evaluate(shown)).toEqual([name]);
      const box = (await link.locator('.title').boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(768);
    }
  });

  it('its button opens it with texts, the choice of the tenant and the way out', async () => {
    const { page, menu } = await openTablet('#/keys/fresh');
    await menu.getByRole('button', { name: 'Menu' }).click();
    await menu.getByText('Settings').waitFor();
    await menu.getByRole('button', { name: 'Sign out' }).waitFor();
    await menu.getByRole('combobox', { name: 'Tenant' }).waitFor();
    await menu.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await expect.poll(() => heightOf(page)).toBeLessThan(60);
  });
});
