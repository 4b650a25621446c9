import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch, type SentEvent } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';

const log = accessLog(2000);
/** After the log, so that all of it is over. */
const LATER = '2026-05-26T00:00:00.000Z';
const NOON = '2026-05-20T12:30:00.000Z';

const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) await sendBatch(origin, 'shop', log.slice(i, i + 500));
  },
});

const toText = (count: number) => count.toLocaleString('en');
const asked = (page: Page) => new URL(page.url()).hash;
const shows = (page: Page, count: number) =>
  page.locator('.count', { hasText: new RegExp(`^${toText(count)} events? (match|in total)`) }).waitFor();
const within = (from: string, until: string, events: readonly SentEvent[] = log) =>
  events.filter(({ eventTs }) => eventTs >= from && eventTs < until);
/** Waits until the chart has its bars, as the beginning of its name says. */
const chartOf = async (page: Page, name: string) => {
  await page.locator('.count', { hasText: /^[\d,]+ event/ }).waitFor();
  await page.locator('.rows[aria-busy=false]').waitFor();
  const chart = page.locator(`.histogram[aria-busy=false] svg.chart[aria-label^="${name}"]`);
  await chart.waitFor();
  return chart;
};
/** The middle of a bar's room on the screen. */
async function middleOf(page: Page, at: number, count: number) {
  const { x, y, width, height } = (await page.locator('svg.chart').boundingBox())!;
  return { x: x + (width / count) * (at + 0.5), y: y + height / 2 };
}
async function click(page: Page, at: number, count: number): Promise<void> {
  const { x, y } = await middleOf(page, at, count);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.up();
}
const evaluate = <T>(page: Page, script: string) => page.evaluate<T>(script);
const tip = (page: Page) => page.locator('.tip');
const DAYS = '#/explore/shop?after=2026-05-17&before=2026-05-20&unit=day';

describe('the axes', () => {
  it('begin at zero, with round figures, and a bar is as high as its count', async () => {
    const { page } = await openAt(visits(), LATER, DAYS);
    await chartOf(page, '4 buckets');
    const ticks = await evaluate<string[]>(
      page,
      `[...document.querySelectorAll('.chart .tick text')].map(({ textContent }) => textContent)`,
    );
    expect(ticks).toEqual(['0', '200', '400', '600']);
    const bars = await evaluate<number[][]>(
      page,
      `[...document.querySelectorAll('.chart .bar')]
        .map(({ height, width }) => [height.baseVal.value, width.baseVal.value])`,
    );
    const highest = await evaluate<number>(page, `document.querySelector('.chart').height.baseVal.value`);
    expect(highest).toBeGreaterThanOrEqual(160);
    const days = ['17', '18', '19', '20'].map((day) => within(`2026-05-${day}`, `2026-05-${day}T99`).length);
    for (const [i, [height, width]] of bars.entries()) {
      expect(height).toBeCloseTo((days[i]! / 600) * highest, 1);
      // A few bars are no blocks.
      expect(width).toBeLessThanOrEqual(48);
    }
    const labels = await evaluate<string[]>(
      page,
      `[...document.querySelectorAll('.chart .label')].map(({ textContent }) => textContent)`,
    );
    expect(labels).toEqual(['Sun 17 May', 'Mon 18 May', 'Tue 19 May', 'Wed 20 May']);
    expect(await evaluate(page, `getComputedStyle(document.querySelector('.chart')).cursor`)).toBe(
      'ew-resize',
    );
  });

  it.each(['', '&by=properties.status', '&by=userId'])(
    'fill a card as high as the groups: %s',
    async (by) => {
      const { page } = await openAt(visits(), LATER, DAYS + by);
      await chartOf(page, '4 buckets');
      await page.locator('.groups:not(:has([aria-busy=true]))').waitFor();
      const endOf = async (part: string) => {
        const { y, height } = (await page.locator(part).boundingBox())!;
        return y + height;
      };
      const end = await endOf('.histogram');
      expect(end).toBeCloseTo(await endOf('.groups'), 0);
      // What ends each card is within it, and near its end below the chart.
      expect(end - (await endOf('.below-chart'))).toBeLessThan(20);
      expect(await endOf('.below-chart')).toBeLessThan(end);
      expect(await endOf(by === '' ? '.groups .chips' : '.group-acts')).toBeLessThan(end);
    },
  );

  it('are those of the unit that one chooses, of all time too', async () => {
    const { page } = await openAt(visits(), LATER, '#/explore/shop?range=all');
    await chartOf(page, '4 buckets');
    await page.getByLabel('Interval').selectOption('month');
    await chartOf(page, '1 buckets from 2026-05-01');
  });

  it('fit on a phone', async () => {
    const { page } = await openAt(
      visits(),
      LATER,
      '#/explore/shop?after=2026-05-17&before=2026-05-20&unit=hour',
    );
    await page.setViewportSize({ width: 320, height: 640 });
    await chartOf(page, '96 buckets');
    expect(await evaluate(page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});

describe('a bar', () => {
  it('says its exact figure at the pointer', async () => {
    const { page } = await openAt(visits(), LATER, DAYS);
    await chartOf(page, '4 buckets');
    const { x, y } = await middleOf(page, 1, 4);
    await page.mouse.move(x, y);
    await tip(page).getByText('2026-05-18').waitFor();
    await tip(page)
      .getByText(`${within('2026-05-18', '2026-05-19').length} events`)
      .waitFor();
    const [box, chart] = [(await tip(page).boundingBox())!, (await page.locator('svg.chart').boundingBox())!];
    expect(Math.abs(box.x + box.width / 2 - x)).toBeLessThan(chart.width / 4);
  });

  it('zooms in by a click at every unit, from a month to a minute', async () => {
    const { page } = await openAt(visits(), LATER, '#/explore/shop?range=all&unit=month');
    await chartOf(page, '1 buckets');
    await click(page, 0, 1);
    await chartOf(page, '31 buckets from Fri 2026-05-01');
    await click(page, 17, 31);
    await chartOf(page, '24 buckets from Mon 2026-05-18 00:00');
    await shows(page, within('2026-05-18', '2026-05-19').length);
    const [first] = within('2026-05-18', '2026-05-19')
      .map(({ eventTs }) => eventTs)
      .sort();
    const hour = Number(first!.slice(11, 13));
    await click(page, hour, 24);
    await chartOf(page, `60 buckets from Mon ${first!.slice(0, 13).replace('T', ' ')}:00`);
    await shows(page, within(first!.slice(0, 13), `${first!.slice(0, 13)}:99`).length);
    await click(page, Number(first!.slice(14, 16)), 60);
    await chartOf(page, '1 buckets');
    await shows(page, within(first!.slice(0, 16), `${first!.slice(0, 16)}:99`).length);
  });

  it('is read by a tap, and zoomed into by a second one', async () => {
    const { page, context } = await openAt(visits(), LATER, DAYS);
    await chartOf(page, '4 buckets');
    const tools = await context.newCDPSession(page);
    await tools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const tap = async (at: number) => {
      const { x, y } = await middleOf(page, at, 4);
      await tools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await tools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const before = asked(page);
    for (const [at, day] of [
      [1, '2026-05-18'],
      [2, '2026-05-19'],
    ] as const) {
      await tap(at);
      await tip(page).getByText(day).waitFor();
      await tip(page).getByText('Tap again to zoom in.').waitFor();
      expect(asked(page)).toBe(before);
    }
    await tap(2);
    await shows(page, within('2026-05-19', '2026-05-20').length);
  });
});

describe('a bucket that is not over', () => {
  const rowOf = (page: Page, text: string) => page.locator('.figures tbody tr', { hasText: text });

  it('is marked in the chart, at the pointer and in the table, until it is over', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=today&unit=day');
    await chartOf(page, '1 buckets');
    await expect.poll(() => page.locator('.chart .open').count()).toBe(1);
    const { x, y } = await middleOf(page, 0, 1);
    await page.mouse.move(x, y);
    await tip(page).getByText('not over yet').waitFor();
    await page.getByText('Show as table').click();
    await rowOf(page, '2026-05-20 not over yet').waitFor();
    await expect
      .poll(() => rowOf(page, '2026-05-20').innerText())
      .toContain(String(within('2026-05-20', '2026-05-20T12:30:00.001Z').length));
  });

  it('is not marked once it is over', async () => {
    const { page } = await openAt(visits(), LATER, DAYS);
    await chartOf(page, '4 buckets');
    await expect.poll(() => page.locator('.chart .open').count()).toBe(0);
    await expect.poll(() => page.getByText('not over yet').count()).toBe(0);
  });

  it('is marked as cut where the range begins within it', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=24h');
    await chartOf(page, '25 buckets');
    await page.getByText('Show as table').click();
    await rowOf(page, '2026-05-19 12:00 from 2026-05-19 12:30').waitFor();
    await rowOf(page, '2026-05-20 12:00 not over yet').waitFor();
  });
});

describe('bars by the values of a path', () => {
  it('have a part for each frequent value and one for the rest, whose figures are exact', async () => {
    const { page } = await openAt(visits(), LATER, `${DAYS}&by=properties.page`);
    await chartOf(page, '4 buckets');
    await page.getByText('Show as table').click();
    const heads = await page.locator('.figures th.part').allInnerTexts();
    expect(heads.length).toBe(6);
    expect(heads.at(-1)).toBe('all others');
    const cells = (await page.locator('.figures td.part').allInnerTexts()).map(Number);
    for (const [i, day] of ['17', '18', '19', '20'].entries()) {
      const events = within(`2026-05-${day}`, `2026-05-${day}T99`);
      const counts = heads
        .slice(0, -1)
        .map((value) => events.filter(({ properties }) => properties.page === value).length);
      const rest = events.length - counts.reduce((sum, count) => sum + count, 0);
      expect(cells.slice(6 * i, 6 * (i + 1))).toEqual([...counts, rest]);
    }
  });

  it('keep events without a value in the rest, and follow a click on a value', async () => {
    const { page } = await openAt(visits(), LATER, `${DAYS}&by=properties.status`);
    await chartOf(page, '4 buckets');
    const of = (status: number) => log.filter((event) => statusOf(event) === status).length;
    await page.getByRole('button', { name: 'only: 404' }).click();
    await shows(page, of(404));
    await chartOf(page, '4 buckets');
    await page.getByText('Show as table').click();
    const totals = (await page.locator('.figures td.number:nth-child(2)').allInnerTexts()).map(Number);
    expect(totals.reduce((sum, count) => sum + count, 0)).toBe(of(404));
  });
});

/** The breakdowns that the server's log has from a place on. */
const breakdownsFrom = (place: number) =>
  visits()
    .server.log.slice(place)
    .filter(({ operation }) => operation === 'breakdown');

describe('a chart in a zone of half hours by a path', () => {
  it('is one question to the server, beside the one of its groups', async () => {
    const { page, go } = await openAt(visits(), LATER, '#/keys/shop');
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    const place = visits().server.log.length;
    await go(`${DAYS}&by=properties.status&zone=Asia/Kolkata`);
    await chartOf(page, '5 buckets from Sun 2026-05-17');
    await page.locator('.groups:not(:has([aria-busy=true]))').waitFor();
    await expect.poll(() => breakdownsFrom(place).length).toBe(2);
    await page.getByText('Show as table').click();
    const totals = (await page.locator('.figures td.number:nth-child(2)').allInnerTexts()).map(Number);
    expect(totals.reduce((sum, count) => sum + count, 0)).toBe(log.length);
  });
});

describe('a measure', () => {
  it('is chosen above the chart, exact in each bar and in all, and the address keeps it', async () => {
    const { page, go } = await openAt(visits(), LATER, DAYS);
    await chartOf(page, '4 buckets');
    await page.getByLabel('Measure', { exact: true }).selectOption('Sum');
    await page.getByLabel('Path of the measure').selectOption('bytes');
    const bytesOf = (events: readonly SentEvent[]) =>
      events.reduce((sum, { properties }) => sum + (properties.bytes as number), 0);
    await page.locator('.comparison', { hasText: `${toText(bytesOf(log))} in all` }).waitFor();
    expect(new URLSearchParams(asked(page).split('?')[1]).get('measure')).toBe('properties.bytes: sum');
    const days = ['17', '18', '19', '20'].map((day) => within(`2026-05-${day}`, `2026-05-${day}T99`));
    await page.getByText('Show as table').click();
    await expect
      .poll(() => page.locator('.figures td.number:nth-child(2)').allInnerTexts())
      .toEqual(days.map((each) => toText(bytesOf(each))));
    await page.getByLabel('Measure', { exact: true }).selectOption('Distinct values');
    await page.getByLabel('Path of the measure').selectOption('userId');
    await expect
      .poll(() => page.locator('.figures td.number:nth-child(2)').allInnerTexts())
      .toEqual(days.map((each) => String(new Set(each.map(({ userId }) => userId)).size)));
    await go(asked(page));
    await page.locator('.figures th', { hasText: 'Distinct userId' }).waitFor({ state: 'attached' });
  });

  it('of parts that do not add up is a line for each', async () => {
    const measure = encodeURIComponent('properties.bytes: p95');
    const { page } = await openAt(visits(), LATER, `${DAYS}&by=properties.status&measure=${measure}`);
    await chartOf(page, '4 buckets');
    await expect.poll(() => page.locator('.chart .line:not(.dots)').count()).toBeGreaterThan(4);
    expect(await page.locator('.chart .bar').count()).toBe(0);
    const { x, y } = await middleOf(page, 1, 4);
    await page.mouse.move(x, y);
    await tip(page).getByText('95th percentile of bytes').waitFor();
  });
});

describe('a second path', () => {
  it('makes a table of the most frequent values of both, with all others, that adds up', async () => {
    const { page, go } = await openAt(visits(), LATER, `${DAYS}&by=properties.page`);
    await page.getByLabel('Second path').fill('properties.status');
    await page.keyboard.press('Enter');
    const table = page.locator('.crossed[aria-busy=false] table');
    await table.waitFor();
    const cellsOf = async () =>
      page.evaluate<string[][]>(
        `[...document.querySelectorAll('.crossed tr')].map((row) =>
          [...row.cells].map((cell) => cell.textContent.trim()))`,
      );
    const [head, ...rows] = await cellsOf();
    // Six statuses at most, so that there are no others; ten pages, and all others.
    expect(head!.slice(1, -1).sort()).toEqual(['200', '301', '304', '404', '500']);
    expect(rows.map(([name]) => name).at(-1)).toBe('all others');
    expect(rows.length).toBe(11);
    for (const [name, ...figures] of rows.slice(0, -1)) {
      const of = log.filter(({ properties }) => properties.page === name);
      const wanted = head!
        .slice(1, -1)
        .map((each) => of.filter((event) => statusOf(event) === Number(each)).length);
      expect(figures.map((each) => Number(each.replaceAll(',', '')))).toEqual([...wanted, of.length]);
    }
    const all = rows.map((row) => Number(row.at(-1)!.replaceAll(',', '')));
    expect(all.reduce((sum, each) => sum + each, 0)).toBe(log.length);
    expect(new URLSearchParams(asked(page).split('?')[1]).get('and')).toBe('properties.status');
    await go(asked(page));
    await table.waitFor();
    await page.locator('.crossed').getByRole('button', { name: 'only: 404' }).click();
    await shows(page, log.filter((event) => statusOf(event) === 404).length);
    await page.locator('.groups').getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.locator('.crossed').count()).toBe(0);
    expect(asked(page)).not.toContain('and=');
  });

  it.each([
    ['properties.referrer.host', 'properties.status', false],
    ['properties.page', 'properties.referrer.host', true],
    // Only events that are in no row are in no column either.
    ['properties.referrer.host', 'properties.referrer.host', true],
  ])('makes rows that add up, by %s and by %s', async (by, and, hasOthers) => {
    const { page } = await openAt(visits(), LATER, `${DAYS}&by=${by}&and=${and}`);
    await page.locator('.crossed[aria-busy=false] table').waitFor();
    const [head, ...rows] = await evaluate<string[][]>(
      page,
      `[...document.querySelectorAll('.crossed tr')].map((row) =>
        [...row.cells].map((cell) => cell.textContent.trim()))`,
    );
    expect(head!.includes('all others')).toBe(hasOthers);
    for (const row of rows) {
      const figures = row.slice(1).map((each) => Number(each.replaceAll(',', '')));
      expect(figures.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBe(figures.at(-1));
    }
    expect(rows.at(-1)![0]).toBe('all others');
  });

  it('tells another measure in its cells as soon as that is chosen', async () => {
    const address = `${DAYS}&by=properties.status&and=eventName`;
    const { page } = await openAt(visits(), LATER, address);
    await page.locator('.crossed[aria-busy=false] table').waitFor();
    await page.getByLabel('Measure', { exact: true }).selectOption('Distinct values');
    await page.getByLabel('Path of the measure').selectOption('userId');
    const wanted = new Set(log.filter((event) => statusOf(event) === 200).map(({ userId }) => userId)).size;
    const row = page.locator('.crossed tr', { hasText: /^200/ });
    await expect.poll(() => row.locator('td').last().innerText()).toBe(toText(wanted));
  });
});

describe('the period before', () => {
  it('stands behind each bar with its figure, and says the difference', async () => {
    // The events of both periods are those of the name and the filters.
    const filter = encodeURIComponent(
      JSON.stringify([{ property: 'properties.status', comparison: 'EQUALS', value: 200 }]),
    );
    const views = log.filter((event) => event.eventName === 'page_viewed' && statusOf(event) === 200);
    const viewsWithin = (from: string, until: string) => within(from, until, views).length;
    const { page } = await openAt(
      visits(),
      LATER,
      `#/explore/shop?after=2026-05-19&before=2026-05-20&unit=day&compare=before` +
        `&event=page_viewed&filter=${filter}`,
    );
    await chartOf(page, '2 buckets');
    const [before, now] = [viewsWithin('2026-05-17', '2026-05-19'), viewsWithin('2026-05-19', '2026-05-21')];
    await page.locator('.comparison', { hasText: `${toText(now)} against ${toText(before)}` }).waitFor();
    await page.getByText('Show as table').click();
    await expect
      .poll(() => page.locator('.figures td.before').allInnerTexts())
      .toEqual([
        String(viewsWithin('2026-05-17', '2026-05-18')),
        String(viewsWithin('2026-05-18', '2026-05-19')),
      ]);
    await expect.poll(() => page.locator('.chart .before').count()).toBe(2);
  });

  it('stands beside the measure in the legend, whose path keeps its capitals', async () => {
    const measure = encodeURIComponent('properties.totalBytes: sum');
    const { page } = await openAt(visits(), NOON, `${DAYS}&compare=before&measure=${measure}`);
    await page.locator('.legend li', { hasText: /^\s*sum of totalBytes/ }).waitFor();
  });

  it('of an unfinished day ends at the same time of the day before', async () => {
    const { page } = await openAt(visits(), NOON, '#/explore/shop?range=today&compare=before');
    const before = within('2026-05-19', '2026-05-19T12:30:00.001Z').length;
    await page.locator('.comparison', { hasText: `against ${before} in the period before` }).waitFor();
  });

  it('of all time is none, and the chart says what to choose', async () => {
    const { page } = await openAt(visits(), LATER, '#/explore/shop?range=all&compare=before');
    await page.getByText('Choose a range with a beginning and an end').waitFor();
  });
});
