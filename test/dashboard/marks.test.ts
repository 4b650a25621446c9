import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant, withAdmin } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { hinder } from './waits.ts';

const log = accessLog(2000);
const LATER = '2026-05-26T00:00:00.000Z';
const DAYS = '#/explore/shop?after=2026-05-17&before=2026-05-20&unit=day&zone=Europe%2FBerlin';
const RELEASE = 'https://shop.example/releases/1.2';
/** The marks of the tenant: one alone, seven of one day, and two out of the range that is shown. */
const MARKS: readonly (readonly [time: string, name: string, url?: string])[] = [
  ['2026-05-16T12:00:00Z', 'before'],
  ['2026-05-18T10:00:00Z', 'v1.2', RELEASE],
  ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, i) => [`2026-05-19T0${i}:00:00Z`, name] as const),
  ['2026-05-21T12:00:00Z', 'after'],
];

const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
    await withAdmin(db, async (admin) => {
      for (const [time, name, url = null] of MARKS) await admin.createMark('shop', { time, name, url });
    });
  },
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) await sendBatch(origin, 'shop', log.slice(i, i + 500));
  },
});

const flags = (page: Page) => page.getByRole('list', { name: 'Marks' }).locator('button.mark');
const told = (page: Page) => page.locator('.tip.told:not([hidden])');
const linesOf = (page: Page) =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll('.mark-lines line')].map(({ x1 }) => x1.baseVal.value)`,
  );

describe('the marks of the chart', () => {
  it('are a line at their time, and flags that name them to the focus and to a screen reader', async () => {
    const { page } = await openAt(visits(), LATER, DAYS);
    await flags(page).first().waitFor();
    // The range is whole days in UTC, and the bars are days of the zone: five, of which each end is a part.
    const width = await page.evaluate<number>(`document.querySelector('.chart').width.baseVal.value`);
    const slot = width / 5;
    const [alone, seven, ...none] = await linesOf(page);
    expect(none).toEqual([]);
    expect(alone).toBeCloseTo((1 + 12 / 24) * slot, 1);
    expect(seven).toBeCloseTo((2 + 2 / 24) * slot, 1);
    expect(await flags(page).first().getAttribute('aria-label')).toBe('Mark: v1.2, 2026-05-18 12:00');
    expect(await flags(page).last().getAttribute('aria-label')).toBe(
      '7 marks: a, 2026-05-19 02:00; b, 2026-05-19 03:00; c, 2026-05-19 04:00; d, 2026-05-19 05:00; ' +
        'e, 2026-05-19 06:00; and 2 more',
    );
    expect(await told(page).count()).toBe(0);
    // A user of the keyboard comes from the button before the chart, and goes through name and link.
    await page.getByRole('button', { name: 'What differs' }).focus();
    await page.keyboard.press('Tab');
    await told(page).getByText('v1.2').waitFor();
    await page.keyboard.press('Tab');
    const focused = `(({ href, target, rel }) => [href, target, rel])(document.activeElement)`;
    expect(await page.evaluate(focused)).toEqual([RELEASE, '_blank', 'noopener']);
    await page.keyboard.press('Tab');
    await told(page).getByText('and 2 more').waitFor();
    await expect.poll(() => told(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => told(page).count()).toBe(0);
    expect(await flags(page).last().getAttribute('aria-expanded')).toBe('false');
  });

  it('are named at the pointer on flag and bar, and a drag goes through their line', async () => {
    const { page } = await openAt(visits(), LATER, DAYS);
    await flags(page).first().hover();
    await told(page).getByText('2026-05-18 12:00').waitFor();
    // What is told stays while the pointer goes to the link.
    await told(page).getByRole('link').hover();
    await expect.poll(() => told(page).count()).toBe(1);
    const { x, y, width, height } = (await page.locator('svg.chart').boundingBox())!;
    await page.mouse.move(x + width * 0.3, y + height / 2);
    await expect.poll(() => told(page).count()).toBe(0);
    await page.locator('.tip', { hasText: '⚑ v1.2' }).waitFor();
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.locator('.tip', { hasText: /⚑ e\s*and 2 more/ }).waitFor();
    await page.mouse.move(x + width * 0.3, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.up();
    await expect.poll(() => page.url()).toContain('from=2026-05-17T22');
  });

  it('that stand near each other share a flag, and each has its line', async () => {
    const { page } = await openAt(visits(), LATER, DAYS.replace('unit=day', 'unit=hour'));
    await flags(page).first().waitFor();
    const lines = await linesOf(page);
    expect(lines).toHaveLength(8);
    const count = await flags(page).count();
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThan(8);
  });

  it('that cannot be read leave the chart, which says so', async () => {
    const { page, go, expects } = await openAt(visits(), LATER, '#/tenants');
    expects(/status of 500/);
    const letGo = await hinder(page, '**/marks/shop*', (route) =>
      route.fulfill({ status: 500, body: '{"error":"Marks are broken."}' }),
    );
    await go(DAYS);
    await page.locator('svg.chart').waitFor();
    await page.getByText('Marks are broken.').waitFor();
    letGo();
    await page.locator('.histogram').getByRole('button', { name: 'Retry' }).click();
    await flags(page).first().waitFor();
    await expect.poll(() => page.getByText('Marks are broken.').count()).toBe(0);
  });
});
