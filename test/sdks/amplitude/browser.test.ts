import { describe, expect, it } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { withAdmin } from '../../support/file.ts';
import type { Fault } from '../gate.ts';
import { useWebSdk } from '../suite.ts';
import { messagesIn, toStored, withoutAttempt } from './messages.ts';

const suite = useWebSdk(
  "import * as amplitude from '@amplitude/analytics-browser'; window.amplitude = amplitude;",
  (passed) => messagesIn(passed).map(toStored),
);

/** Opens a page that loads the SDK, as its user is told to. */
async function openPage(more: object = {}): Promise<Page> {
  const page = await suite.context.newPage();
  await page.goto(`${suite.site.origin}/`);
  const options = {
    serverUrl: `${suite.gate.origin}/v1/amplitude/${suite.tenant.alias}/2/httpapi`,
    remoteConfig: { fetchRemoteConfig: false },
    ...{ autocapture: false, flushIntervalMillis: 100, ...more },
  };
  await page.evaluate(`amplitude.init('a key', 'ada-lovelace', ${JSON.stringify(options)}).promise`);
  return page;
}

/** What a page calls once for each method. */
const CALLS = [
  `track('Order Placed', { total: 12.5, items: [{ sku: 'ü🙂' }], amplitude: 'mine' })`,
  `track('Order Seen')`,
  `identify(new amplitude.Identify().set('plan', 'pro'))`,
  `setGroup('company', 'acme')`,
  `groupIdentify('company', 'acme', new amplitude.Identify().set('employees', 7))`,
  `revenue(new amplitude.Revenue().setPrice(5))`,
];
/** Calls them, and gives the code that each ends with. */
const callAll = (page: Page, calls: readonly string[] = CALLS): Promise<unknown> =>
  page.evaluate(
    `Promise.all([${calls.map((call) => `amplitude.${call}.promise`).join(',')}])
      .then((results) => results.map(({ code }) => code))`,
  );
const tracks = ['A', 'B', 'C'].map((name) => `track('${name}')`);

describe('Amplitude’s web SDK', () => {
  it.each<[string, object]>([
    ['by fetch', {}],
    ['by XMLHttpRequest', { transport: 'xhr' }],
    ['by beacons', { transport: 'beacon' }],
    ['packed', { enableRequestBodyCompression: true, flushQueueSize: 100 }],
  ])('has everything stored that it sends %s, as it sent it, and asks nobody else', async (name, more) => {
    const page = await openPage(more);
    const long = `track('Long', { text: 'x'.repeat(5000) })`;
    const calls = name === 'packed' ? [long] : CALLS;
    expect(await callAll(page, calls)).toEqual(calls.map(() => 200));
    const { sent, stored } = await suite.world.readStored(suite.tenant, calls.length);
    expect(stored).toEqual(sent);
    const packed = suite.gate.passed.some(({ headers }) => headers['content-encoding'] === 'gzip');
    expect(packed).toBe(name === 'packed');
    expect([...suite.hosts].sort()).toEqual([suite.gate.origin, suite.site.origin].sort());
    expect(suite.errors).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', 'away', 'away'],
    ['a connection that ends before the answer', 'cut', 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    const page = await openPage();
    suite.gate.next(...faults);
    expect(await callAll(page, tracks)).toEqual([200, 200, 200]);
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    expect(sent).toHaveLength(3);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    expect(suite.gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });

  it('gives up after the attempts that it is allowed, which its user may raise', async () => {
    const page = await openPage({ flushMaxRetries: 2 });
    suite.gate.next(...Array<Fault>(2).fill({ status: 500 }));
    expect(await callAll(page, [`track('Lost')`])).toEqual([500]);
    expect(await callAll(page, [`track('Next')`])).toEqual([200]);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored).toMatchObject([{ eventName: 'Next' }]);
  });

  it('has the good events of a batch stored once, and is told of the bad', async () => {
    const page = await openPage();
    const bad = `track('B', undefined, { user_id: 'x'.repeat(300) })`;
    expect(await callAll(page, [tracks[0]!, bad, tracks[2]!])).toEqual([200, 400, 200]);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored.map(({ eventName }) => eventName).sort()).toEqual(['A', 'C']);
    // A slow machine sends the three in more batches than one.
    const posts = suite.gate.passed.filter(({ method }) => method === 'POST');
    expect(posts.filter(({ status }) => status === 400)).toHaveLength(1);
    const sent = posts.flatMap(messagesIn).filter(({ event_type }) => event_type === 'B');
    expect(sent).toHaveLength(1);
  });

  it('sends from the next page what it could not send from one that was left', async () => {
    const page = await openPage();
    suite.gate.next({ status: 500 }, { status: 500 });
    await page.evaluate(`amplitude.track('Late'); 0`);
    await expect.poll(() => suite.gate.passed.some(({ status }) => status === 500)).toBe(true);
    await page.close({ runBeforeUnload: true });
    await openPage();
    await expect.poll(async () => (await suite.world.readBoth(suite.tenant)).stored.length).toBe(1);
    expect((await suite.world.readBoth(suite.tenant)).stored).toMatchObject([{ eventName: 'Late' }]);
  });

  it('sends nothing where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    const page = await openPage();
    await page.evaluate(`amplitude.track('Never'); 0`);
    await expect.poll(() => suite.errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });
});
