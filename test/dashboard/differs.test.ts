import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { hold } from './waits.ts';

/** Four days of events; on the third, half of them have another version. */
const log: SentEvent[] = Array.from({ length: 400 }, (_, i) => {
  const day = Math.floor(i / 100);
  return {
    ...{ eventName: 'viewed', userId: `user-${i % 5}`, insertId: `view-${i}` },
    eventTs: new Date(Date.UTC(2026, 4, 17 + day, i % 24)).toISOString(),
    properties: { version: day === 2 && i % 2 === 0 ? '2.0' : '1.0', color: i % 2 === 0 ? 'red' : 'blue' },
  };
});
const visits = useVisits({
  prepare: async (db) => {
    await createTenant(db, 'shop');
  },
  furnish: ({ origin }) => sendBatch(origin, 'shop', log),
});

const DAY = '#/explore/shop?after=2026-05-19&before=2026-05-19';
const panel = (page: Page) => page.getByRole('region', { name: 'What differs', exact: true });
const rows = (page: Page) => page.locator('.differs tbody tr');
const asked = (page: Page) => decodeURIComponent(new URL(page.url()).hash);

describe('what differs', () => {
  it('a range that is dragged over is compared with the rest of the time that was shown', async () => {
    const { page } = await visits().open('#/explore/shop?unit=day&range=all');
    const chart = page.locator('.histogram[aria-busy=false] svg.chart');
    await page.getByText('400 events in total').waitFor();
    await page.locator('.rows[aria-busy=false]').waitFor();
    await chart.waitFor();
    // All time is compared with nothing.
    await expect.poll(() => page.getByRole('button', { name: 'What differs' }).count()).toBe(0);
    const { x, y, width, height } = (await chart.boundingBox())!;
    await page.mouse.move(x + width * 0.625, y + height / 2);
    await page.mouse.down();
    await page.mouse.up();
    await page.locator('.count', { hasText: /^100 events match/ }).waitFor();
    await page.getByRole('button', { name: 'What differs' }).click();
    await panel(page).getByText('100 events against 300 others of all time').waitFor();
    await expect
      .poll(() => rows(page).allInnerTexts())
      .toEqual([
        expect.stringMatching(/version\s+"1\.0"[^]*50%\s+50[^]*100%\s+300[^]*−50/),
        expect.stringMatching(/version\s+"2\.0"[^]*50%\s+50[^]*0%\s+0[^]*\+50/),
      ]);
    expect(asked(page)).toContain('against=../..');
  });

  it('has an address, which keeps the question; a row filters for its value', async () => {
    const { page } = await visits().open(`${DAY}&event=viewed&against=before`);
    await panel(page).getByText('100 events against 100').waitFor();
    await page.getByRole('button', { name: 'only: version "2.0"' }).click();
    await page.locator('.count', { hasText: /^50 events match/ }).waitFor();
    expect(asked(page)).toContain('against=before');
    expect(asked(page)).toContain('event=viewed');
    // The period before has no such events.
    await panel(page).getByText('No other events to compare with').waitFor();
  });

  it('compares with another time, and closes', async () => {
    const { page } = await visits().open(`${DAY}&against=before`);
    await panel(page).getByText('100 events against 100').waitFor();
    await panel(page).getByLabel('against').selectOption('all other events');
    await panel(page).getByText('100 events against 300').waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => rows(page).count()).toBe(0);
    expect(asked(page)).not.toContain('against');
  });

  it('compares the events that match with those that do not, also in all time', async () => {
    const filter = [{ property: 'properties.version', comparison: 'EQUALS', value: '2.0' }];
    const { page } = await visits().open(
      `#/explore/shop?range=all&${new URLSearchParams({ filter: JSON.stringify(filter) }).toString()}`,
    );
    await page.locator('.count', { hasText: /^50 events match/ }).waitFor();
    await page.getByRole('button', { name: 'What differs' }).click();
    await panel(page).getByText('50 events against 350 others of all time').waitFor();
    await expect
      .poll(() => rows(page).allInnerTexts())
      .toContainEqual(expect.stringMatching(/color\s+red[^]*100%\s+50[^]*42\.9%\s+150[^]*\+57\.1/));
    expect(asked(page)).toContain('against=unmatched');
    await panel(page).getByLabel('against').selectOption('such events of all other time');
    await panel(page).getByText('No other events to compare with').waitFor();
    const { page: all } = await visits().open(`${DAY}&against=unmatched`);
    await panel(all).getByText('All events match. Add a filter').waitFor();
  });

  it('says whose events the others are by their own time, without what lies between', async () => {
    const { page } = await openAt(visits(), '2026-05-20T12:00:00.000Z', '#/explore/shop?range=today');
    const today = log.filter(
      ({ eventTs }) => eventTs >= '2026-05-20' && eventTs < '2026-05-20T12:00:00.001Z',
    );
    const before = log.filter(
      ({ eventTs }) => eventTs >= '2026-05-19' && eventTs < '2026-05-19T12:00:00.001Z',
    );
    await page.getByRole('button', { name: 'What differs' }).click();
    await panel(page)
      .getByText(`${today.length} events against ${before.length} others of the time from`)
      .waitFor();
    await panel(page).getByText('from 2026-05-19 00:00 to 2026-05-19 12:00').waitFor();
  });

  it('a chart that is compared has groups that say what they were, and which are new or gone', async () => {
    const groups = (page: Page) => page.locator('.groups .bars li').allInnerTexts();
    const { page } = await visits().open(`${DAY}&event=viewed&compare=before&by=properties.version`);
    await expect
      .poll(() => groups(page))
      .toEqual([
        expect.stringMatching(/1\.0[^]*50%[^]*−50% from 100/),
        expect.stringMatching(/2\.0[^]*50%[^]*new/),
      ]);
    const next = '#/explore/shop?after=2026-05-20&before=2026-05-20&compare=before&by=properties.version';
    const { page: later } = await visits().open(next);
    await expect
      .poll(() => groups(later))
      .toEqual([
        expect.stringMatching(/1\.0[^]*100%[^]*\+100% from 50/),
        expect.stringMatching(/2\.0[^]*gone, 50 before/),
      ]);
    // A narrow window has room for the names.
    await later.setViewportSize({ width: 390, height: 780 });
    const widths = () =>
      later.evaluate<
        number[]
      >(`[...document.querySelectorAll('.bar-text bdi')].map((each) => each.clientWidth ||
        each.getBoundingClientRect().width)`);
    await expect.poll(async () => Math.min(...(await widths()))).toBeGreaterThan(20);
    await later.setViewportSize({ width: 1280, height: 900 });
    // What is gone leads to the question about it, as every value does.
    await later.getByRole('button', { name: 'only: "2.0"' }).click();
    await expect.poll(() => asked(later)).toContain('2.0');
  });

  it('says that it loads, that nothing differs, and why it is refused', async () => {
    const { page } = await visits().open(DAY);
    const letGo = await hold(page, 'compare/shop');
    await page.getByRole('button', { name: 'What differs' }).click();
    await page.locator('.differs[aria-busy=true]').waitFor();
    letGo();
    await panel(page).getByText('100 events against 100').waitFor();
    const { page: other } = await visits().open('#/explore/shop?after=2026-05-18&before=2026-05-18');
    await other.getByRole('button', { name: 'What differs' }).click();
    await other.getByText('Nothing differs').waitFor();
    const { page: third, expects } = await visits().open(DAY);
    expects(/status of 503/);
    await third.route('**/v1/admin/query/compare/*', (route) =>
      route.fulfill({ status: 503, body: '{"error":"Too busy. Try later."}' }),
    );
    await third.getByRole('button', { name: 'What differs' }).click();
    await third.locator('.differs').getByRole('alert').waitFor();
  });

  it('says what is wrong with an address', async () => {
    const { page } = await visits().open(`${DAY}&against=yesterday`);
    await page.getByText('This link contains an unknown time to compare with: yesterday.').waitFor();
  });
});
