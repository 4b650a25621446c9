import { describe, expect, it } from 'vitest';
import type { Box, Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { chooseEvent, hold, listAsked } from './waits.ts';

const NOW = '2026-05-20T12:00:00.000Z';
const LATER = '2026-05-20T12:10:00.000Z';
const log = accessLog(400);
const at = (eventTs: string, insertId: string, more: Partial<SentEvent> = {}): SentEvent => ({
  ...{ eventName: 'signed_up', userId: 'ada', eventTs, insertId, properties: {} },
  ...more,
});
/** An importer's first events: one of today, and two of a year before. */
const few = [
  at('2026-05-20T08:00:00.000Z', 'a'),
  at('2025-05-17T08:00:00.000Z', 'b'),
  at('2025-05-19T08:00:00.000Z', 'c'),
];
/** A letter under a tower of marks. */
const ZALGO = `Z${'\u0300\u0301\u0302\u0303\u0308\u030a\u0330\u0331\u0323'.repeat(12)}`;
const towers = [1, 2, 3].map((i) =>
  at(`2026-05-20T08:00:0${i}.000Z`, `z${i}`, {
    ...{ eventName: i === 2 ? ZALGO : 'plain', userId: i === 2 ? ZALGO : `user-${i}` },
    properties: { word: i === 2 ? ZALGO : 'plain' },
  }),
);
const large = [1, 2].map((i) =>
  at(`2026-05-20T0${i}:00:00.000Z`, `l${i}`, { properties: { total: 30_000_000_000 * i } }),
);

const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'tiny', 'towers', 'large', 'growing']) await createTenant(db, alias);
  },
  furnish: async ({ origin }) => {
    for (const [alias, events] of Object.entries({ shop: log, tiny: few, towers, large, growing: few }))
      await sendBatch(origin, alias, events);
  },
});

const settled = async (page: Page) => {
  await page.locator('.count', { hasText: /^[\d,]+ event/ }).waitFor();
  await page.locator('.rows[aria-busy=false]').waitFor();
};
const hash = (page: Page) => new URL(page.url()).hash;
/** The texts of elements, drawn ones too. */
const textsOf = (page: Page, selector: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`,
  );
const titleOf = (page: Page) => page.evaluate<string>('document.title');

describe('the first view', () => {
  it('of a tenant with few events says how many it leaves out, and leads to them', async () => {
    const { page } = await openAt(visits(), NOW, '#/explore/tiny');
    await page.locator('.count', { hasText: '1 event matches in the last 24 hours of 3 in all' }).waitFor();
    await page.getByRole('link', { name: '3 in all' }).click();
    await page.locator('.count', { hasText: '3 events in total' }).waitFor();
  });

  it('says that properties are still read, where they are chosen', async () => {
    const { page } = await visits().open('#/tenants');
    const letGo = await hold(page, 'properties/shop');
    await page.evaluate(`location.hash = '#/explore/shop?range=all'`);
    await settled(page);
    const field = page.getByLabel('By the values of');
    await field.click();
    await page.getByText('Reading properties…').first().waitFor();
    letGo();
    await page.getByRole('option', { name: /^properties.status/ }).waitFor();
    await expect.poll(() => page.getByText('Reading properties…').count()).toBe(0);
  });
});

describe('what a chart says', () => {
  it('has the year of days that are of another one', async () => {
    const { page } = await openAt(
      visits(),
      NOW,
      '#/explore/tiny?after=2025-05-17&before=2025-05-20&unit=day',
    );
    await expect.poll(() => textsOf(page, '.chart .label')).toContain('17 May 2025');
    await page.goto('about:blank');
    await page.goto(
      `${visits().server.origin}/dashboard#/explore/shop?after=2026-05-17&before=2026-05-20&unit=day`,
    );
    await expect.poll(() => textsOf(page, '.chart .label')).toContain('Sun 17 May');
  });

  it('has billions as such', async () => {
    const { page } = await openAt(visits(), NOW, '#/explore/large?range=24h&measure=properties.total%3A+sum');
    await expect.poll(() => textsOf(page, '.chart .tick text')).toContain('60B');
  });

  it('does not say that a range has no events where a filter leaves them out', async () => {
    const { page } = await openAt(visits(), NOW, '#/explore/shop?range=24h&event=nothing');
    await page.getByText('No events match in this time range.').waitFor();
    await page.goto('about:blank');
    await page.goto(`${visits().server.origin}/dashboard#/explore/shop?after=2020-01-01&before=2020-01-02`);
    await page.getByText('No events in this time range.').waitFor();
  });

  it('filters by a click on its legend, where the groups have none of its colours', async () => {
    const { page } = await visits().open('#/explore/shop?range=all&by=eventName', {
      viewport: { width: 390, height: 844 },
    });
    await settled(page);
    const count = log.filter(({ eventName }) => eventName === 'asset_loaded').length;
    await page.locator('.legend').getByRole('button', { name: 'Filter for asset_loaded' }).click();
    await page.locator('.count', { hasText: `${count} events match` }).waitFor();
    expect(hash(page)).toContain('event=asset_loaded');
  });

  it('has parts that differ where the system chooses the colours', async () => {
    const { page } = await visits().open('#/explore/shop?range=all&by=properties.page', {
      viewport: { width: 390, height: 844 },
    });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.locator('.legend li').nth(5).waitFor();
    const fills = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.legend rect')].map((rect) => getComputedStyle(rect).fill)`,
    );
    expect(fills).toHaveLength(6);
    expect(new Set(fills).size).toBe(6);
    // The bars have the colours of their legend.
    const bars = await page.evaluate<string[]>(
      `[...new Set([...document.querySelectorAll('.chart rect.bar')].map((rect) =>
        getComputedStyle(rect).fill))]`,
    );
    expect([...bars].sort()).toEqual([...fills].sort());
  });
});

describe('an event', () => {
  it('says when it arrived, in the explorer and on the page of its user', async () => {
    const { page } = await openAt(visits(), NOW, '#/explore/tiny?range=all');
    await settled(page);
    await page.locator('button.opener').first().click();
    const arrival = page.locator('.json li', { hasText: 'receivedAt' });
    await expect.poll(() => arrival.innerText()).toMatch(/"\d{4}-\d\d-\d\dT/);
    await page.getByRole('link', { name: '"ada"' }).click();
    await page.locator('.of-user button.opener').first().click();
    await expect.poll(() => arrival.innerText()).toMatch(/"\d{4}-\d\d-\d\dT/);
  });

  it('is whole on a phone', async () => {
    const { page } = await visits().open('#/explore/shop?range=all', {
      viewport: { width: 390, height: 844 },
    });
    await settled(page);
    await page.locator('button.opener').first().click();
    await page.locator('.json li').first().waitFor();
    const heights = await page.evaluate<number[]>(
      `['.whole td', '.json'].map((each) => document.querySelector(each).getBoundingClientRect().height)`,
    );
    expect(heights[0]!).toBeGreaterThan(heights[1]!);
    // What is done with a value stands within its line.
    const ends = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.json .acts button')].map((each) => each.getBoundingClientRect().right -
        each.closest('li').getBoundingClientRect().right)`,
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(0);
  });

  it('that is read stays where it is: nothing is asked by itself until its row is closed', async () => {
    const { page, context, setClock } = await openAt(visits(), NOW, '#/explore/growing?range=all&every=10');
    await settled(page);
    const row = page.locator('button.opener').first();
    await row.click();
    await page.getByText('Paused while a row is open.').waitFor();
    await sendBatch(visits().server.origin, 'growing', [at('2026-05-20T12:05:00.000Z', 'new')]);
    const asked = listAsked(context);
    await setClock(LATER);
    // Whoever refreshes on purpose has all that came, below the row that stays open.
    await page.locator('.json').waitFor();
    expect(asked).toEqual([]);
    await row.click();
    await page.locator('.count', { hasText: '4 events in total' }).waitFor();
  });

  it('with a tower of marks stays within its lines', async () => {
    const { page } = await openAt(visits(), NOW, '#/explore/towers?range=all&by=properties.word');
    await settled(page);
    await page.locator('.bars li').nth(1).waitFor();
    await page.locator('button.opener').nth(1).click();
    await page.locator('.json li', { hasText: 'word' }).waitFor();
    const lines = [
      '.events tbody tr:nth-child(2) td:nth-child(2)',
      '.bars li:has(bdi[title^="Z"], [title*="Z"])',
    ];
    for (const selector of [...lines, '.json > ul > li:last-child']) await staysWithin(page, selector);
    await page.goto(`${visits().server.origin}/dashboard#/users/towers?range=all`);
    await page.locator('.users td a.user').nth(2).waitFor();
    await staysWithin(page, '.users tbody tr:has(a[href*="user=Z"]) td');
    await page.locator('.users a[href*="user=Z"]').click();
    await page.locator('.day').waitFor();
    await staysWithin(page, '.page-head h1');
  });
});

/** Checks that nothing above and below an element is painted by its text. */
async function staysWithin(page: Page, selector: string): Promise<void> {
  await page.evaluate(
    `document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center' })`,
  );
  const { x, y, width, height } = (await page.locator(selector).first().boundingBox())!;
  const margin = 5;
  // Of whole pixels: the browser draws the others in more than one way.
  const strip = (top: number): Box => ({
    ...{ x: Math.ceil(x), y: Math.round(top) },
    ...{ width: Math.floor(Math.min(width, 300)), height: 24 },
  });
  const around = async () => {
    const strips = [strip(y - margin - 24), strip(y + height + margin)].filter((each) => each.y >= 0);
    return Promise.all(strips.map((clip) => page.screenshot({ clip })));
  };
  const before = await around();
  await page.evaluate(
    `document.querySelector(${JSON.stringify(selector)}).style.setProperty('visibility', 'hidden')`,
  );
  const after = await around();
  await page.evaluate(
    `document.querySelector(${JSON.stringify(selector)}).style.removeProperty('visibility')`,
  );
  before.forEach((picture, i) => expect(picture.equals(after[i]!), `${selector} ${i}`).toBe(true));
}

describe('a saved view', () => {
  it('has its name in the heading, the title and the bar while its question is shown', async () => {
    const { page } = await visits().open('#/explore/shop?range=all&event=page_viewed');
    await settled(page);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save this question as').fill('Pages <1>');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Pages <1>' }).click();
    await page.getByRole('button', { name: 'Views: Pages <1>' }).waitFor();
    await expect.poll(() => titleOf(page)).toBe('Explorer · Pages <1> · shop · event-query');
    expect(await textsOf(page, 'h1')).toEqual(['Explorer: Pages <1>']);
    await settled(page);
    // It stays on the next page of rows, and goes with another question.
    await page.getByRole('button', { name: 'Next 50' }).click();
    await page.getByRole('button', { name: 'First page' }).waitFor();
    await page.getByRole('button', { name: 'Views: Pages <1>' }).waitFor();
    await chooseEvent(page, 'asset_loaded');
    await expect.poll(() => titleOf(page)).toBe('Explorer · shop · event-query');
    await expect.poll(() => page.getByRole('button', { name: 'Views', exact: true }).count()).toBe(1);
  });
});

describe('a page of all tenants', () => {
  it('is of none of them, by its title and above the menu', async () => {
    const { page } = await visits().open('#/keys/shop', { viewport: { width: 390, height: 844 } });
    await page.locator('.at-tenant', { hasText: 'shop' }).waitFor();
    await page.evaluate(`location.hash = '#/audit'`);
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await expect.poll(() => titleOf(page)).toBe('Audit · event-query');
    expect(await page.locator('.at-tenant').count()).toBe(0);
  });
});

describe('on paper', () => {
  it('is what the page says, and the chart covers nothing', async () => {
    const { page } = await visits().open('#/explore/shop?range=all&by=eventName');
    await settled(page);
    await page.locator('svg.chart').waitFor();
    await page.emulateMedia({ media: 'print' });
    const gone = ['.side', '.skip', '.bar-side', '.add-filter', '.bar-acts', '.pages'];
    for (const each of gone) await expect.poll(() => page.locator(each).first().isVisible()).toBe(false);
    const bottomOf = async (selector: string) => {
      const { y, height } = (await page.locator(selector).first().boundingBox())!;
      return y + height;
    };
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())!.y;
    await expect.poll(async () => (await bottomOf('svg.chart')) <= (await bottomOf('.histogram'))).toBe(true);
    await expect.poll(async () => (await bottomOf('.histogram')) <= (await top('.by-path'))).toBe(true);
    expect(await page.locator('.events tbody tr').first().isVisible()).toBe(true);
  });
});
