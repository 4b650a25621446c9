import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';
import { chooseEvent, hold } from './waits.ts';

/** As many names as a tenant may have. */
const NAMES = 10_000;
const log = Array.from({ length: NAMES }, (_, i) => ({
  ...{
    eventName: `name_${String(i).padStart(4, '0')}`,
    userId: `user-${i % 9}`,
    insertId: `of-${i}`,
  },
  ...{ eventTs: '2026-05-18T00:00:00.000Z', properties: { step: i % 5 } },
}));
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 1000) await sendBatch(origin, 'shop', log.slice(i, i + 1000));
  },
});

const field = (page: Page) => page.getByRole('combobox', { name: 'Event' });
const listed = (page: Page) => page.getByRole('listbox', { name: 'event names' }).locator('li');
const asked = (page: Page) => new URL(page.url()).hash;
/** The option that assistive technology has in focus. */
const active = (page: Page) =>
  page.evaluate<string | undefined>(
    `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`,
  );
const said = (page: Page) => page.locator('.asked [role=status]').innerText();

/** Opens the explorer once it knows all names. */
async function openNames(place = '#/explore/shop'): Promise<Page> {
  const { page } = await visits().open(place);
  await page.locator('.rows[aria-busy=false]').waitFor();
  await field(page).click();
  await page.getByText('100 of 10,001. Type to find others.').waitFor();
  return page;
}

describe('ten thousand names', () => {
  it('are in no list of the document as a whole, and each is found by typing a part', async () => {
    const page = await openNames();
    await expect.poll(() => listed(page).count()).toBe(100);
    await expect.poll(() => page.locator('option').count()).toBeLessThan(60);
    await expect.poll(() => page.locator('datalist').count()).toBe(0);
    await field(page).fill('NAME_99');
    await expect.poll(() => listed(page).count()).toBe(100);
    expect(await said(page)).toBe('100 event names');
    await field(page).fill('e_9876');
    await expect.poll(() => listed(page).allInnerTexts()).toEqual(['name_9876']);
    await page.keyboard.press('Enter');
    await page.locator('.count', { hasText: '1 event matches' }).waitFor();
    expect(asked(page)).toBe('#/explore/shop?event=name_9876');
    await expect.poll(() => field(page).inputValue()).toBe('name_9876');
    await chooseEvent(page, 'all events');
    await page.locator('.count', { hasText: '10,000 events in total' }).waitFor();
  });

  it('are gone through by the arrow keys, in a ring, and Escape leaves the question as it is', async () => {
    const page = await openNames();
    expect(await active(page)).toBe('all events');
    await page.keyboard.press('ArrowDown');
    expect(await active(page)).toBe('name_0000');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await active(page)).toBe('name_0098');
    const isSeen = `(() => { const [list, option] = ['[role=listbox]', '[aria-selected=true]']
      .map((each) => document.querySelector(each).getBoundingClientRect());
      return option.top >= list.top - 1 && option.bottom <= list.bottom + 1; })()`;
    expect(await page.evaluate(isSeen)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => listed(page).count()).toBe(0);
    await expect.poll(() => field(page).getAttribute('aria-expanded')).toBe('false');
    expect(asked(page)).toBe('#/explore/shop');
    await field(page).fill('no such name');
    await page.getByText('No event names with this text').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(asked(page)).toBe('#/explore/shop');
    await expect.poll(() => field(page).inputValue()).toBe('all events');
  });

  it('a name that is chosen is the active one when the list is opened again', async () => {
    const page = await openNames('#/explore/shop?event=name_0042');
    expect(await active(page)).toBe('name_0042');
    // Choosing it once more asks nothing anew.
    await page.keyboard.press('Enter');
    expect(asked(page)).toBe('#/explore/shop?event=name_0042');
    await expect.poll(() => field(page).inputValue()).toBe('name_0042');
  });

  it.each([
    ['explore', 'Event', 'event=name_9876'],
    ['properties', 'Event', 'event=name_9876'],
    ['funnel', 'Event of step 1', 'name_9876'],
  ])('%s takes by Enter what was typed before they are known, once they are', async (at, label, asks) => {
    const { page } = await visits().open('#/keys/shop');
    const answer = await hold(page, 'events/shop');
    await page.goto(`${visits().server.origin}/dashboard#/${at}/shop`);
    const event = page.getByRole('combobox', { name: label });
    await event.fill('98');
    await page.keyboard.type('76');
    await page.keyboard.press('Enter');
    await page.getByText('Reading event names…').waitFor();
    expect(asked(page)).toBe(`#/${at}/shop`);
    answer();
    await expect.poll(() => asked(page)).toContain(asks);
    await expect.poll(() => event.inputValue()).toBe('name_9876');
  });

  it('are not taken by an Enter after which somebody typed on', async () => {
    const { page } = await visits().open('#/keys/shop');
    const answer = await hold(page, 'events/shop');
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop`);
    await field(page).fill('9876');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Backspace');
    answer();
    await expect.poll(() => listed(page).count()).toBeGreaterThan(1);
    expect(asked(page)).toBe('#/explore/shop');
    await expect.poll(() => field(page).inputValue()).toBe('987');
  });
});
