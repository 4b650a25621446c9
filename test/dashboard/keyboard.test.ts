import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { useVisits } from './use-visits.ts';
import { prepareViews, show, VIEWS } from './views.ts';

const visits = useVisits({ command: 'demo', prepare: prepareViews });

describe('the keyboard alone', () => {
  /** Goes on by Tab until what has the focus has a name. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let i = 0; i < 200; i++) {
      const found = await page.evaluate<string>(
        `(({ ariaLabel, labels, textContent }) =>
          ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement)`,
      );
      if (name.test(found)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab never comes to ${name}`);
  }

  it('makes a key, stores its secret, and comes back to where it was', async () => {
    const { page } = await visits().open('#/keys/fresh');
    await show(page, VIEWS.keys!);
    await tabTo(page, /^\s*Generate new secret/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('typed');
    await tabTo(page, /^Generate$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'The secret of typed' }).waitFor();
    await tabTo(page, /^I have saved it/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /typed/ }).waitFor();
    await tabTo(page, /^Revoke typed/);
  });

  it('filters, opens a row, goes from row to row, and asks for what is not this', async () => {
    const { page } = await visits().open('#/explore/demo?event=order_placed&range=all');
    await show(page, VIEWS.explore!);
    await tabTo(page, /^\s*Filter$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Property$/);
    await page.keyboard.type('properties.country');
    await tabTo(page, /^Value$/);
    await page.keyboard.type('DE');
    await page.keyboard.press('Enter');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('properties.country');
    await page.locator('.rows[aria-busy=false]').waitFor();
    await page.locator('button.opener').first().focus();
    await page.keyboard.press('ArrowDown');
    const at = `[...document.querySelectorAll('button.opener')].indexOf(document.activeElement)`;
    expect(await page.evaluate(at)).toBe(1);
    await page.keyboard.press('Enter');
    await tabTo(page, /^not this: properties.order.currency/);
    await page.keyboard.press('Enter');
    await expect.poll(() => decodeURIComponent(page.url())).toContain('NOT_EQUALS');
  });

  it('stays with the filters that it applies', async () => {
    const { page } = await visits().open('#/explore/demo');
    await show(page, VIEWS.explore!);
    const inFilters = `document.activeElement?.closest('.filters') !== null`;
    for (const button of [/^Discard$/, /^Apply$/]) {
      await tabTo(page, /^\s*Filter$/);
      await page.keyboard.press('Enter');
      await tabTo(page, /^Property$/);
      await page.keyboard.type('userId');
      await tabTo(page, /^Value$/);
      await page.keyboard.type('nobody');
      await tabTo(page, button);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Apply' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(inFilters)).toBe(true);
    }
    await expect.poll(() => decodeURIComponent(page.url())).toContain('nobody');
  });

  it('skips the menu', async () => {
    const { page } = await visits().open('#/tenants');
    await show(page, VIEWS.tenants!);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  });
});
