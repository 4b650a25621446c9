import { describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { createTenant } from '../support/file.ts';
import { sendBatch } from '../support/traffic.ts';
import { accessLog } from './access-log.ts';
import { openAt } from './clock.ts';
import { useVisits } from './use-visits.ts';

const NOW = '2026-05-20T12:00:00.000Z';
const visits = useVisits({
  prepare: (db) => createTenant(db, 'shop'),
  furnish: ({ origin }) => sendBatch(origin, 'shop', accessLog(400)),
});

/** The pages that show the events of a range of time: without one, their first view is of the latest. */
const TIMED = ['explore', 'users', 'funnel', 'retention'];
const OF_TIME = ['range', 'from', 'until', 'after', 'before'];

/** What a link says of time, and where it leads. */
interface Link {
  readonly page: string;
  readonly text: string;
  readonly parameters: URLSearchParams;
}

/** The links of the page's own content, once it has its answers. */
async function linksIn(page: Page): Promise<readonly Link[]> {
  await expect.poll(() => page.locator('main [aria-busy=true], main .skeleton').count()).toBe(0);
  const found = await page.evaluate<[string, string][]>(
    `[...document.querySelectorAll('main a[href^="#/"]')].map((link) =>
      [link.getAttribute('href'), link.textContent])`,
  );
  return found.map(([href, text]) => {
    const [, name = '', query = ''] = /^#\/([^/?]+)[^?]*\??(.*)$/s.exec(href) ?? [];
    return { page: name, text, parameters: new URLSearchParams(query) };
  });
}

const STEPS = JSON.stringify([{ event: 'page_viewed' }, { event: 'asset_loaded' }]);
const FILTER = JSON.stringify([{ property: 'properties.bot', comparison: 'EQUALS', value: false }]);
const BERLIN = 'Europe/Berlin';
/** Places with a question each, and what shows that they are there. */
const PLACES: Readonly<Record<string, readonly [page: string, question: Readonly<Record<string, string>>]>> =
  {
    explorer: ['explore', { range: '7d', event: 'page_viewed', by: 'userId', zone: BERLIN }],
    'explorer of days': ['explore', { after: '2026-05-17', before: '2026-05-18', filter: FILTER }],
    'first view of the explorer': ['explore', {}],
    'explorer with nothing': ['explore', { range: '24h', event: 'nothing' }],
    users: ['users', { range: '24h', event: 'page_viewed', filter: FILTER, zone: BERLIN }],
    'first view of users': ['users', {}],
    'users of instants': [
      'users',
      { from: '2026-05-17T10:00:00.000Z', until: '2026-05-18T11:00:00.000Z', search: '1', sort: 'last' },
    ],
    'users by a condition': ['users', { range: '7d', search: 'Chrome', in: 'properties.agent.browser.name' }],
    funnel: ['funnel', { range: '7d', steps: STEPS, within: '1d', zone: BERLIN }],
    'users of a step': ['users', { range: '7d', steps: STEPS, within: '1d', stopped: '1', zone: BERLIN }],
    retention: ['retention', { range: '7d', steps: STEPS, cohort: 'day' }],
    user: ['person', { user: 'visitor-7', range: '7d', event: 'page_viewed', search: '7' }],
    'user of a row': ['person', { user: 'visitor-7' }],
    'nobody found': ['users', { range: '7d', search: 'nobody' }],
  };

describe('every link of a page keeps its question, or says that it is of all time', () => {
  it.each(Object.keys(PLACES))('%s', async (name) => {
    const [from, question] = PLACES[name]!;
    const hash = `#/${from}/shop?${new URLSearchParams(question).toString()}`;
    const { page } = await openAt(visits(), NOW, hash);
    await page.locator('main h1').first().waitFor({ state: 'attached' });
    await page.locator('.rows, .reached, .cohorts').first().waitFor();
    const links = await linksIn(page);
    for (const { page: to, text, parameters } of links.filter((link) => TIMED.includes(link.page))) {
      const said = OF_TIME.filter((each) => parameters.has(each));
      expect(said, `${text} says a range`).not.toEqual([]);
      if (parameters.get('range') === 'all') continue;
      // The range of a first view is one that nobody chose, and the link says it.
      const own = OF_TIME.filter((each) => each in question);
      expect(own.length === 0 || said.join() === own.join(), `${text} says this range`).toBe(true);
      for (const each of own) expect(parameters.get(each), text).toBe(question[each]);
      if (to !== 'explore' || from === 'users')
        expect(parameters.get('event'), text).toBe(question.event ?? null);
      if (question.zone !== undefined) expect(parameters.get('zone'), text).toBe(question.zone);
    }
    // The page of a user is of all time, and leads back to the table with its question.
    for (const { parameters } of links.filter((link) => link.page === 'person' && from === 'users'))
      for (const [each, value] of Object.entries(question)) expect(parameters.get(each)).toBe(value);
  });
});
