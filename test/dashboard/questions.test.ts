import { describe, expect, it } from 'vitest';
import type { Context, Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog, statusOf } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';
import { listAsked } from './waits.ts';

const log = accessLog(2000);
/** So long after the log that the first view is of all time. */
const LATER = '2026-08-01T00:00:00.000Z';
const EVEN_LATER = '2026-08-01T01:00:00.000Z';

const visits = useVisits({
  prepare: async (db) => {
    for (const alias of ['shop', 'growing']) await createTenant(db, alias);
  },
  furnish: async ({ origin }) => {
    for (let i = 0; i < log.length; i += 500) {
      for (const alias of ['shop', 'growing']) await sendBatch(origin, alias, log.slice(i, i + 500));
    }
  },
});

/** The questions that pages ask from now on: the end of the path, and the body. */
function listQuestions(context: Context): string[] {
  const asked: string[] = [];
  context.on('request', (request) => {
    const path = /\/v1\/admin\/query\/(.*)/.exec(request.url())?.[1];
    if (path !== undefined) asked.push(`${path} ${request.postData() ?? ''}`.trim());
  });
  return asked;
}

/** The count, the bars and the groups of a question, its first page, and what it is told of paths. */
const TOLD = ['events/shop', 'properties/shop'];
const page = (body: object = {}) =>
  `shop ${JSON.stringify({ ...body, pagination: { size: 50 }, include: ['receivedAt'] })}`;
const count = (body: object = {}) => `count/shop ${JSON.stringify(body)}`;
const bars = (body: object = {}, by = 'day') => `breakdown/shop ${JSON.stringify({ ...body, by })}`;
const groups = (by: string, body: object = {}) =>
  `breakdown/shop ${JSON.stringify({ ...body, by, size: 10, distinct: 'userId' })}`;
const having = (property: string, value: unknown) => ({
  filterSet: [{ property, comparison: 'EQUALS', value }],
});
/** The bars with a part for each frequent value at a path, which are one question. */
const partsBy = (path: string, body: object = {}) =>
  `breakdown/shop ${JSON.stringify({ ...body, by: [path, 'day'], size: 5 })}`;

/** Waits until all that a page shows is of its question. */
async function settled(shown: Page): Promise<void> {
  await shown.locator('.count', { hasText: /^[\d,]+ event/ }).waitFor();
  await shown.locator('.histogram[aria-busy=false] svg.chart').waitFor();
  await shown.locator('.rows[aria-busy=false]').waitFor();
  await shown.locator('.groups:not(:has([aria-busy=true]))').waitFor();
}

/** The explorer at a place, once it has asked all that it needs, and what it asks from then on. */
async function openExplorer(place: string) {
  const visitor = await openAt(visits(), LATER, place);
  await settled(visitor.page);
  await visitor.page.locator('.groups').getByLabel('By the values of').waitFor();
  const asked = listQuestions(visitor.context);
  /** Expects that these questions were asked since the last time, each once, and no others. */
  const expectAsked = async (questions: readonly string[]) => {
    await expect.poll(() => [...asked].sort()).toEqual([...questions].sort());
    await settled(visitor.page);
    expect(asked.splice(0).length).toBe(questions.length);
  };
  return { ...visitor, asked, expectAsked };
}

const breakDownBy = async (shown: Page, path: string) => {
  const field = shown.getByLabel('By the values of');
  await field.fill(path);
  await field.press('Enter');
};
const goTo = (shown: Page, place: string) => shown.evaluate<undefined>(`void (location.hash = '${place}')`);

describe('the explorer asks', () => {
  it('each question of its first view once', async () => {
    const { page: shown, context } = await visits().open('#/tenants');
    await context.addInitScript(`Date.now = () => Date.parse('${LATER}');`);
    await shown.goto('about:blank');
    const asked = listQuestions(context);
    const all = listAsked(context);
    await shown.goto(`${visits().server.origin}/dashboard#/explore/shop`);
    await settled(shown);
    const latest = {
      until: '2026-08-01T00:00:00.001Z',
      pagination: { size: 1 },
    };
    await expect
      .poll(() => [...asked].sort())
      .toEqual([...TOLD, page(), count(), bars(), `shop ${JSON.stringify(latest)}`].sort());
    // The page and the latest event are two questions at one address.
    expect(all.length).toBe(new Set(all).size + 1);
  });

  it('for the groups and for the bars with all their parts, once each', async () => {
    const { page: shown, expectAsked } = await openExplorer('#/explore/shop');
    await breakDownBy(shown, 'eventName');
    await expectAsked([groups('eventName'), partsBy('eventName')]);
    await shown.locator('.legend li', { hasText: 'page_viewed' }).waitFor({ state: 'attached' });
    expect(await shown.locator('.legend li').count()).toBe(2);
    await shown.getByRole('button', { name: 'Clear' }).click();
    await expectAsked([bars()]);
    await expect.poll(() => shown.locator('.legend').count()).toBe(0);
  });

  it('for the rest of the bars by the same question', async () => {
    const { page: shown, expectAsked } = await openExplorer('#/explore/shop');
    await breakDownBy(shown, 'referrer.host');
    const path = 'properties.referrer.host';
    await expectAsked([groups(path), partsBy(path)]);
    const without = log.filter(({ properties }) => properties.referrer === undefined).length;
    const text = `all others ${without.toLocaleString('en')}`;
    await shown.locator('.legend li', { hasText: text }).waitFor({ state: 'attached' });
  });

  it('no more for one value of the groups than for any filter', async () => {
    const { page: shown, expectAsked } = await openExplorer('#/explore/shop?range=all&by=properties.status');
    await shown.getByRole('button', { name: 'only: 404' }).click();
    const only = having('properties.status', 404);
    await expectAsked([
      ...[page(only), count(only), partsBy('properties.status', only), groups('properties.status', only)],
    ]);
    const matching = log.filter((event) => statusOf(event) === 404).length;
    await shown.locator('.legend li', { hasText: `404 ${matching}` }).waitFor({ state: 'attached' });
    expect(await shown.locator('.legend li').count()).toBe(1);
  });

  it('no count and no rows again for a range that does not move, on the way back or by a link', async () => {
    const { page: shown, expectAsked, setClock } = await openExplorer('#/explore/shop?range=all');
    await breakDownBy(shown, 'eventName');
    await expectAsked([groups('eventName'), partsBy('eventName')]);
    await setClock(EVEN_LATER);
    await shown.goBack();
    await expectAsked([bars()]);
    await goTo(shown, '#/explore/shop?range=all&by=eventName');
    await expectAsked([groups('eventName'), partsBy('eventName')]);
    await goTo(shown, '#/explore/shop?range=all&by=eventName&event=page_viewed');
    const viewed = { event: 'page_viewed' };
    await expectAsked([
      ...[page(viewed), count(viewed), partsBy('eventName', viewed), groups('eventName', viewed)],
      'properties/shop?event=page_viewed',
    ]);
  });

  it('all again by Refresh, and for a range that has moved', async () => {
    const {
      page: shown,
      expectAsked,
      setClock,
    } = await openExplorer('#/explore/shop?range=all&by=eventName');
    await shown.getByRole('button', { name: 'Refresh', exact: true }).click();
    await expectAsked([...TOLD, page(), count(), groups('eventName'), partsBy('eventName')]);
    await setClock(EVEN_LATER);
    await goTo(shown, '#/explore/shop?range=30d');
    await expect.poll(() => shown.locator('.as-of').innerText()).toBe('01:00:00');
  });
});

it('bars of all time have events that came after their buckets were known', async () => {
  const { page: shown } = await openExplorer('#/explore/growing?range=all');
  const [event] = log;
  const late = ['2026-05-14T12:00:00.000Z', '2026-05-23T12:00:00.000Z'].map((eventTs) => ({
    ...{ ...event!, eventName: 'page_viewed', eventTs, insertId: `late-${eventTs}` },
  }));
  await sendBatch(visits().server.origin, 'growing', late);
  await breakDownBy(shown, 'eventName');
  await shown.locator('.legend').waitFor({ state: 'attached' });
  await settled(shown);
  await shown.getByText('Show as table').click();
  const cells = await shown.locator('.figures td.part').allInnerTexts();
  const inAll = [...log, ...late];
  const days = Array.from({ length: 10 }, (_, i) => `2026-05-${14 + i}`);
  const numbers = days.flatMap((day) => {
    const events = inAll.filter(({ eventTs }) => eventTs.startsWith(day));
    const views = events.filter(({ eventName }) => eventName === 'page_viewed').length;
    return [views, events.length - views];
  });
  expect(cells.map(Number)).toEqual(numbers);
});
