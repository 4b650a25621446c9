import { describe, expect, it } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { withAdmin } from '../../support/file.ts';
import type { Fault } from '../gate.ts';
import { useWebSdk } from '../suite.ts';
import { comparable, inOrder, messagesIn, toStored } from './messages.ts';

const suite = useWebSdk(
  "import mixpanel from 'mixpanel-browser'; window.mixpanel = mixpanel; window.ends = [];",
  (passed) => messagesIn(passed).map(toStored),
);

/** Opens a page that loads the SDK, as its user is told to. */
async function openPage(more: object = {}): Promise<Page> {
  const page = await suite.context.newPage();
  await page.goto(`${suite.site.origin}/`);
  const settings = {
    api_host: `${suite.gate.origin}/v1/mixpanel/${suite.tenant.alias}`,
    ...{ batch_flush_interval_ms: 100, ...more },
  };
  await page.evaluate(`mixpanel.init('a token', ${JSON.stringify(settings)}); 0`);
  return page;
}

/** What a page calls once for each method. */
const CALLS = [
  `track('Order Placed', { total: 12.5, items: [{ sku: 'ü🙂' }], '+/?>~': 'þÿ' })`,
  `track_pageview({ mixpanel: 'mine' })`,
  `identify('ada')`,
  `people.set({ plan: 'pro', name: 'Åda 🙂' })`,
  `people.increment('visits', 2)`,
  `people.union('browsers', 'x')`,
  `people.unset('visits')`,
  `get_group('company', 'acme').set('plan', 'pro')`,
  `set_group('company', ['acme'])`,
  `alias('countess')`,
  `track('At once', {}, { send_immediately: true })`,
  `track('By beacon', {}, { transport: 'sendBeacon', send_immediately: true })`,
];
const callAll = (page: Page, calls: readonly string[] = CALLS) =>
  page.evaluate(`${calls.map((call) => `mixpanel.${call};`).join('\n')} 0`);
const track = (page: Page, name: string) => callAll(page, [`track('${name}')`]);

/** The events that have to be stored, each once where it has an id. */
function sentEvents() {
  const passed = suite.gate.passed.filter(({ answer }) => answer !== undefined);
  const all = passed.flatMap(messagesIn).map(toStored);
  const seen = new Set<string>();
  return all.filter(
    ({ insertId }) => insertId.startsWith('(') || (!seen.has(insertId) && seen.add(insertId)),
  );
}

/** The same, once the gate has seen the answers to as many: an event is stored before its answer passes. */
async function sentOnce(count: number) {
  await expect.poll(() => sentEvents().length).toBe(count);
  return sentEvents();
}

const readStored = async () => (await suite.world.readBoth(suite.tenant)).stored;
const namesStored = async () => (await readStored()).map(({ eventName }) => eventName).sort();

describe('Mixpanel’s web SDK', () => {
  it.each<[string, object]>([
    ['in batches of Base64', {}],
    ['in batches of JSON', { api_payload_format: 'json' }],
    ['one by one', { batch_requests: false }],
    ['one by one, by GET', { batch_requests: false, api_method: 'GET' }],
    ['one by one, verbose', { batch_requests: false, verbose: true }],
  ])('has everything stored that it sends %s, as it sent it, and asks nobody else', async (_name, more) => {
    await callAll(await openPage(more));
    // `identify`, `set_group` and `alias` send messages of their own.
    await expect.poll(async () => (await readStored()).length).toBe(14);
    const sent = await sentOnce(14);
    expect(comparable(await readStored(), sent)).toEqual(inOrder(sent));
    const paths = suite.gate.passed.map(({ path }) => path.split('?')[0]!.split(`${suite.tenant.alias}/`)[1]);
    expect(new Set(paths)).toEqual(new Set(['track/', 'engage/', 'groups/']));
    expect([...suite.hosts].sort()).toEqual([suite.gate.origin, suite.site.origin].sort());
    expect(suite.errors).toEqual([]);
  });

  it('has everything stored that it sends as pictures', async () => {
    const page = await openPage({ img: true, batch_requests: false, api_method: 'GET' });
    await callAll(page, [`track('One')`, `people.set('plan', 'pro')`]);
    await expect.poll(namesStored).toEqual(['One']);
    // The page shows the answer, a pixel: it is a picture indeed.
    await expect.poll(() => page.evaluate(`document.images[0].naturalWidth`)).toBe(1);
    expect(suite.errors).toEqual([]);
  });

  it('finds no flags and no settings, and says nothing of it', async () => {
    const page = await openPage({ flags: true, remote_settings_mode: 'fallback' });
    await expect.poll(() => page.evaluate(`mixpanel.flags.are_flags_ready()`)).toBe(true);
    await track(page, 'One');
    await expect.poll(namesStored).toEqual(['One']);
    const paths = suite.gate.passed.map(
      ({ method, path }) => `${method} ${path.split('?')[0]!.split('/').at(-2)}`,
    );
    expect(paths).toEqual(expect.arrayContaining(['GET flags', 'GET settings', 'POST track']));
    expect(suite.errors).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['429, though it does not read how long to wait', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['503', { status: 503 }],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    const page = await openPage();
    suite.gate.next(...faults);
    for (const name of ['A', 'B', 'C']) await track(page, name);
    await expect.poll(namesStored).toEqual(['A', 'B', 'C']);
    const sent = await sentOnce(3);
    expect(comparable(await readStored(), sent)).toEqual(inOrder(sent));
    expect(suite.gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });

  it('drops a batch after a 400, and sends the next', async () => {
    const page = await openPage();
    suite.gate.next({ status: 400 });
    await track(page, 'Bad');
    await expect.poll(() => suite.gate.passed.some(({ status }) => status === 400)).toBe(true);
    await track(page, 'Good');
    await expect.poll(namesStored).toEqual(['Good']);
  });

  it('has the good messages of a batch stored, and drops the bad', async () => {
    const page = await openPage();
    await callAll(page, [`track('Good')`, `track('Bad', { distinct_id: 'x'.repeat(300), time: 'never' })`]);
    await track(page, 'Next');
    await expect.poll(namesStored).toEqual(['Good', 'Next']);
    // Where its timer sends the bad one alone, nothing is accepted, and the browser logs a 400.
    expect(suite.errors.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  });

  it('has stored once what it sent over a connection that ended before the answer', async () => {
    const page = await openPage();
    suite.gate.next('cut');
    await track(page, 'Cut');
    await expect.poll(() => suite.gate.passed.some(({ fault }) => fault === 'cut')).toBe(true);
    await track(page, 'Next');
    await expect.poll(namesStored).toEqual(['Cut', 'Next']);
  });

  it('itself drops what it sent over a connection that ended before the request came', async () => {
    const page = await openPage();
    // The browser’s first connection: it sends again by itself only what a used one lost.
    suite.gate.next('away');
    await track(page, 'Lost');
    await expect.poll(() => suite.gate.passed.some(({ fault }) => fault === 'away')).toBe(true);
    await track(page, 'Next');
    await expect.poll(namesStored).toEqual(['Next']);
    expect(
      suite.gate.passed.flatMap(messagesIn).filter(({ message }) => message.event === 'Lost'),
    ).toHaveLength(1);
  });

  it('has stored once what it sends when a page is left, and again from the next page', async () => {
    const page = await openPage({ persistence: 'localStorage', batch_flush_interval_ms: 60_000 });
    await callAll(page, [`track('Left')`, `people.set('plan', 'pro')`]);
    await page.evaluate(`mixpanel.track('Last'); 0`);
    await page.goto(`${suite.site.origin}/other`);
    await expect.poll(namesStored).toContain('Last');
    await page.evaluate(
      `mixpanel.init('a token', { api_host: '${suite.gate.origin}/v1/mixpanel/${suite.tenant.alias}',
        persistence: 'localStorage', batch_flush_interval_ms: 100 }); mixpanel.track('Next'); 0`,
    );
    await expect.poll(namesStored).toContain('Next');
    const tracked = (await namesStored()).filter((name) => name !== 'user_profile_updated');
    expect(tracked).toEqual(['Last', 'Left', 'Next']);
    const lefts = suite.gate.passed.flatMap(messagesIn).filter(({ message }) => message.event === 'Left');
    expect(lefts.length).toBeGreaterThan(0);
  });

  it('sends nothing where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    await track(await openPage(), 'Never');
    await expect.poll(() => suite.errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect(await readStored()).toEqual([]);
  });
});
