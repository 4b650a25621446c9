import { describe, expect, it } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { withAdmin } from '../../support/file.ts';
import { createCalls, messagesIn } from '../calls.ts';
import type { Fault } from '../gate.ts';
import { useWebSdk } from '../suite.ts';

/** What a page bundles, as a program would. The build named so loads nothing from elsewhere. */
const SDK = `import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';
  window.sdk = new RudderAnalytics();`;

const { eventsIn, withoutAttempt } = createCalls('rudderstack');

const suite = useWebSdk(SDK, eventsIn);

/** Opens a page that loads the SDK, as its user is told to. */
async function openPage(options: object = {}): Promise<Page> {
  const page = await suite.context.newPage();
  await page.goto(`${suite.site.origin}/`);
  const address = `${suite.gate.origin}/v1/rudderstack/${suite.tenant.alias}`;
  const settings = { configUrl: address, ...options };
  await page.evaluate(`sdk.load('a key', ${JSON.stringify(address)}, ${JSON.stringify(settings)}); 0`);
  return page;
}

/** What a page calls once for each type. */
const CALLS = [
  ['track', 'Order Placed', { total: 12.5, items: [{ sku: 'a' }], rudderstack: 'mine' }],
  ['page', 'Docs', 'Home', { title: 'Ü' }],
  ['identify', 'ada', { plan: 'pro', name: 'Åda 🙂' }],
  ['group', 'g-1', { employees: 7 }],
  ['alias', 'ada-2', 'ada'],
] as const;

const callAll = (page: Page, calls: readonly (readonly unknown[])[] = CALLS) =>
  page.evaluate(
    `${calls.map(([name, ...words]) => `sdk.${String(name)}(...${JSON.stringify(words)})`).join(';')}; 0`,
  );

/** What was sent and stored, once as many events are stored. */
const storedAll = (count: number) => suite.world.readStored(suite.tenant, count);

const posts = () => suite.gate.passed.filter(({ method }) => method === 'POST');

describe('RudderStack’s web SDK', () => {
  it('has everything stored that it sends, as it sent it, and asks nobody else', async () => {
    await callAll(await openPage());
    const { sent, stored } = await storedAll(CALLS.length);
    expect(stored).toEqual(sent);
    const base = `/v1/rudderstack/${suite.tenant.alias}`;
    const config = suite.gate.passed.find(({ method }) => method === 'GET')!;
    expect(config.path).toMatch(/\/sourceConfig\/\?.*writeKey=a\+key/);
    expect(posts().map(({ path }) => path)).toEqual(
      expect.arrayContaining(CALLS.map(([type]) => `${base}/v1/${type}`)),
    );
    for (const { headers } of posts()) {
      const authorization = `Basic ${Buffer.from('a key:').toString('base64')}`;
      expect(headers).toMatchObject({ authorization, 'content-type': 'application/json;charset=UTF-8' });
      expect(headers).toMatchObject({ anonymousid: expect.any(String) as string, origin: suite.site.origin });
    }
    expect([...suite.hosts].sort()).toEqual([suite.gate.origin, suite.site.origin].sort());
    expect(suite.errors).toEqual([]);
  });

  it('has everything stored that it sends by beacons, also of a page that is left', async () => {
    const page = await openPage({ useBeacon: true, beaconQueueOptions: { flushQueueInterval: 600_000 } });
    // What a page calls before the source has come is kept for another page.
    await page.evaluate('new Promise((done) => sdk.ready(() => done(0)))');
    await callAll(page);
    await page.goto('about:blank');
    const { sent, stored } = await storedAll(CALLS.length);
    expect(stored).toEqual(sent);
    expect(new Set(posts().map(({ path }) => path))).toEqual(
      new Set([`/v1/rudderstack/${suite.tenant.alias}/beacon/v1/batch?writeKey=a%20key`]),
    );
    expect(suite.errors).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', 'away'],
    ['a connection that ends before the answer', 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    const page = await openPage();
    suite.gate.next(...faults);
    await callAll(
      page,
      [1, 2, 3].map((i) => ['track', 'Tick', { i }]),
    );
    const ids = () => suite.gate.passed.filter(({ status }) => status === 200).flatMap(messagesIn);
    await expect.poll(() => new Set(ids().map(({ messageId }) => messageId)).size).toBe(3);
    const { sent, stored } = await storedAll(3);
    expect(sent).toHaveLength(3);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    expect(suite.gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });

  it('says of a later attempt which it is, in headers that its preflight asks for', async () => {
    const page = await openPage();
    suite.gate.next({ status: 500 });
    await callAll(page, [['track', 'Late']]);
    await storedAll(1);
    const { headers, status } = posts().at(-1)!;
    expect([headers['rsa-retry-attempt'], status]).toEqual(['1', 200]);
  });

  it('drops an event after a 400, and sends the next', async () => {
    const page = await openPage();
    suite.gate.next({ status: 400 });
    await callAll(page, [['track', 'Bad']]);
    await expect.poll(() => suite.gate.passed.some(({ status }) => status === 400)).toBe(true);
    await callAll(page, [['track', 'Good']]);
    const { stored } = await storedAll(1);
    expect(stored).toMatchObject([{ eventName: 'Good' }]);
    expect(suite.gate.passed.flatMap(messagesIn).filter(({ event }) => event === 'Bad')).toHaveLength(1);
  });

  it('sends nothing where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    const page = await openPage();
    await callAll(page, [['track', 'Never']]);
    await expect.poll(() => suite.errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect(posts()).toEqual([]);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });
});
