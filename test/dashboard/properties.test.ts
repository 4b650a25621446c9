import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { useVisits } from './use-visits.ts';

/** Four days; the third version has lost the price, and one event writes it as a text. */
const log: SentEvent[] = Array.from({ length: 120 }, (_, i) => {
  const version = i < 40 ? '1.0' : i < 80 ? '1.1' : '1.2';
  const isOrder = i % 2 === 0;
  return {
    ...{ eventName: isOrder ? 'order_placed' : 'page_viewed', userId: `user-${i % 5}`, insertId: `${i}` },
    eventTs: new Date(Date.UTC(2026, 4, 17, i)).toISOString(),
    properties: {
      version,
      page: `/p/${i % 3}`,
      ...(isOrder && version !== '1.2' ? { price: i === 0 ? '9' : i } : {}),
    },
  };
});
const priced = log.filter(({ properties }) => 'price' in properties);

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', log),
});

/** The cells of a table, each row as its texts. */
const cellsOf = async (page: Page, table: string) => {
  const rows = await page
    .getByRole('region', { name: table, exact: true })
    .locator('tbody tr')
    .allInnerTexts();
  return rows.map((row) => row.split(/\s+/).filter((text) => text !== ''));
};
const asked = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);

describe('the catalogue of properties', () => {
  it('has each path with its share of the events, its types and examples', async () => {
    const { page } = await visits().open('#/properties/shop');
    await expect.poll(async () => (await cellsOf(page, 'Paths of properties')).length).toBe(3);
    const rows = await cellsOf(page, 'Paths of properties');
    expect(rows[0]!.slice(0, 4)).toEqual(['properties.page', '100%', '120', 'string']);
    const price = ['properties.price', '33.3%', '40', 'number', '97.5%,', 'string', '2.5%'];
    expect(rows[1]!.slice(0, 7)).toEqual(price);
    // Of the events of one name, and of the paths with a text.
    await page.getByLabel('Search paths').fill('price');
    await expect.poll(async () => (await cellsOf(page, 'Paths of properties')).length).toBe(1);
    await page.evaluate(`location.hash += '&event=order_placed'`);
    await expect
      .poll(async () => (await cellsOf(page, 'Paths of properties'))[0]?.slice(1, 3))
      .toEqual(['66.7%', '40']);
  });

  it('tells of a path since when it is seen, by which events, and which version lost it', async () => {
    const { page } = await visits().open('#/properties/shop');
    await page.getByRole('link', { name: 'properties.price' }).click();
    const card = page.getByRole('region', { name: 'properties.price' });
    const times = priced.map(({ eventTs }) => eventTs).sort();
    const said = (time: string) => time.slice(0, 16).replace('T', ' ');
    await card.getByText(`First seen ${said(times[0]!)}`).waitFor();
    await card.getByText(`last seen ${said(times.at(-1)!)}`).waitFor();
    await expect
      .poll(() => cellsOf(page, 'By event name'))
      .toEqual([
        ['order_placed', '66.7%', '40', '60'],
        ['page_viewed', '0%', '0', '60'],
      ]);
    const other = card.getByLabel('By another path');
    await other.fill('properties.version');
    await other.press('Enter');
    await expect
      .poll(() => cellsOf(page, 'By properties.version'))
      .toEqual([
        ['"1.0"', '50%', '20', '40'],
        ['"1.1"', '50%', '20', '40'],
        ['"1.2"', '0%', '0', '40'],
      ]);
    expect(asked(page).get('by')).toBe('properties.version');
    await card.getByRole('link', { name: 'Show the events' }).click();
    await page.locator('.count', { hasText: /^40 events match/ }).waitFor();
  });

  it('says what is wrong with a link, and that a path has no events', async () => {
    const { page } = await visits().open('#/properties/shop?path=properties.gone');
    await page.getByText('No event has a value there.').waitFor();
    const { page: other } = await visits().open(`#/properties/shop?path=${'x'.repeat(3000)}`);
    await other.getByText(/This link contains too long a path/).waitFor();
  });
});
