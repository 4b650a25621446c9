import { describe, expect, it } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { withAdmin } from '../../support/file.ts';
import type { Fault } from '../gate.ts';
import { useWebSdk } from '../suite.ts';
import { createCalls, messagesIn } from '../calls.ts';

/** What a page bundles, as a program would. */
const SDK = `import { AnalyticsBrowser } from '@segment/analytics-next';
  window.AnalyticsBrowser = AnalyticsBrowser;`;

const { eventsIn, withoutAttempt } = createCalls('segment');

const suite = useWebSdk(SDK, eventsIn);

/** Opens a page that loads the SDK, as its user is told to. */
async function openPage(deliveryStrategy: object = {}): Promise<Page> {
  const page = await suite.context.newPage();
  await page.goto(`${suite.site.origin}/`);
  const settings = { writeKey: 'a key', cdnURL: `${suite.gate.origin}/v1/segment/${suite.tenant.alias}` };
  const options = { integrations: { 'Segment.io': { protocol: 'http', deliveryStrategy } } };
  // It says nothing back: the SDK itself, which is a promise, has no end as JSON.
  await page.evaluate(
    `window.sdk = AnalyticsBrowser.load(${JSON.stringify(settings)}, ${JSON.stringify(options)}); 0`,
  );
  return page;
}

/** What a page calls once for each type. */
const CALLS = [
  ['track', 'Order Placed', { total: 12.5, items: [{ sku: 'a' }], segment: 'mine' }],
  ['page', 'Docs', 'Home', { title: 'Ü' }],
  ['identify', 'ada', { plan: 'pro', name: 'Åda 🙂' }],
  ['track', 'Order Seen', {}],
  ['screen', 'Main'],
  ['group', 'g-1', { employees: 7 }],
  ['alias', 'ada-2', 'ada'],
] as const;

async function callAll(page: Page, calls: readonly (readonly unknown[])[] = CALLS): Promise<void> {
  // Each call is made when the one before was taken: the SDK's own order depends on it.
  for (const [name, ...words] of calls)
    await page.evaluate(`sdk.${String(name)}(...${JSON.stringify(words)}).then(() => undefined)`);
}

/** What was sent and stored, once as many events are stored. */
const storedAll = (count: number) => suite.world.readStored(suite.tenant, count);

describe('Segment’s web SDK', () => {
  it('has everything stored that it sends, as it sent it, and asks nobody else', async () => {
    await callAll(await openPage());
    const { sent, stored } = await storedAll(CALLS.length);
    expect(stored).toEqual(sent);
    const paths = suite.gate.passed.map(({ method, path }) => `${method} ${path.split('/v1/').at(-1)}`);
    const asked = ['track', 'page', 'identify', 'screen', 'group', 'alias'].map((type) => `POST ${type[0]}`);
    expect(new Set(paths.filter((path) => !path.startsWith('OPTIONS')))).toEqual(
      new Set(['GET projects/a%20key/settings', ...asked]),
    );
    for (const { headers } of suite.gate.passed.filter(({ method }) => method === 'POST')) {
      const authorization = `Basic ${Buffer.from('a key:').toString('base64')}`;
      expect(headers).toMatchObject({
        authorization,
        'content-type': 'text/plain',
        origin: suite.site.origin,
      });
    }
    expect([...suite.hosts].sort()).toEqual([suite.gate.origin, suite.site.origin].sort());
    expect(suite.errors).toEqual([]);
  });

  it('has everything stored that it sends in batches', async () => {
    await callAll(await openPage({ strategy: 'batching', config: { size: 3, timeout: 500 } }));
    const { sent, stored } = await storedAll(CALLS.length);
    expect(stored).toEqual(sent);
    const posts = suite.gate.passed.filter(({ method }) => method === 'POST');
    expect(new Set(posts.map(({ path }) => path))).toEqual(
      new Set([`/v1/segment/${suite.tenant.alias}/v1/b`]),
    );
    expect(suite.errors).toEqual([]);
  });

  const tracks = Array.from({ length: 3 }, (_, i) => ['track', 'Tick', { i }]);
  const batching = { strategy: 'batching', config: { size: 3, timeout: 500 } };

  it.each<[string, object, ...Fault[]]>([
    ['429', {}, { status: 429, retryAfter: '1' }],
    ['500', {}, { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', {}, 'away'],
    ['a connection that ends before the answer', {}, 'cut', 'cut'],
    ['429, in batches', batching, { status: 429, retryAfter: '1' }],
    ['500, in batches', batching, { status: 500 }],
    ['a connection that ends before the answer, in batches', batching, 'cut'],
  ])('has everything stored once after %s', async (_name, strategy, ...faults) => {
    const page = await openPage(strategy);
    suite.gate.next(...faults);
    await callAll(page, tracks);
    // What was cut is stored, and comes again nevertheless.
    const ids = () => suite.gate.passed.filter(({ status }) => status === 200).flatMap(messagesIn);
    await expect.poll(() => new Set(ids().map(({ messageId }) => messageId)).size).toBe(3);
    const { sent, stored } = await storedAll(3);
    expect(sent).toHaveLength(3);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    // Chromium itself sends once more what a reused connection lost.
    expect(suite.gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });

  it('drops an event after a 400, and sends the next', async () => {
    const page = await openPage();
    suite.gate.next({ status: 400 });
    await callAll(page, [['track', 'Bad']]);
    await expect.poll(() => suite.gate.passed.some(({ status }) => status === 400)).toBe(true);
    await callAll(page, [['track', 'Good']]);
    const { stored } = await storedAll(1);
    expect(stored).toMatchObject([{ eventName: 'Good' }]);
    const bad = suite.gate.passed.flatMap(messagesIn).filter(({ event }) => event === 'Bad');
    expect(bad).toHaveLength(1);
  });

  it('sends from the next page what it could not send from one that was left', async () => {
    const page = await openPage();
    suite.gate.next({ status: 500 }, { status: 500 });
    await callAll(page, [['track', 'Late']]);
    await expect.poll(() => suite.gate.passed.some(({ status }) => status === 500)).toBe(true);
    await page.close({ runBeforeUnload: true });
    await openPage();
    const { stored } = await storedAll(1);
    expect(stored).toMatchObject([{ eventName: 'Late' }]);
  });

  it('sends nothing where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    const page = await openPage();
    // The SDK waits for settings that the browser does not let it read.
    await page.evaluate("sdk.track('Never'); 0");
    await expect.poll(() => suite.errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect(suite.gate.passed.map(({ method }) => method)).toEqual(['GET']);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });
});
