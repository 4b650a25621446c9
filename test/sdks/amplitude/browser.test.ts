import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium, type Browser, type Context, type Page } from '../../support/chromium.ts';
import { withAdmin, type TestTenant } from '../../support/file.ts';
import type { Fault, Gate } from '../gate.ts';
import { startWebPage, type WebPage } from '../web-page.ts';
import { startWorld, type World } from '../world.ts';
import { messagesIn, toStored, withoutAttempt } from './messages.ts';

let world: World;
let gate: Gate;
let site: WebPage;
let browser: Browser;
let context: Context;
let tenant: TestTenant;
/** The hosts that the browser asked, and what pages said as errors. */
let hosts: Set<string>;
let errors: string[];

beforeAll(async () => {
  world = await startWorld((passed) => messagesIn(passed).map(toStored));
  gate = world.gate;
  site = await startWebPage(
    "import * as amplitude from '@amplitude/analytics-browser'; window.amplitude = amplitude;",
  );
  browser = await launchChromium(new URL('../package.json', import.meta.url));
});
afterAll(async () => {
  await browser.close();
  site.close();
  await world.stop();
});
beforeEach(async () => {
  tenant = await world.createTenant();
  context = await browser.newContext();
  hosts = new Set();
  errors = [];
  context.on('request', (request) => hosts.add(new URL(request.url()).origin));
  context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  context.on('weberror', (error) => errors.push(error.error().message));
  return () => context.close();
});

/** Opens a page that loads the SDK, as its user is told to. */
async function openPage(more: object = {}): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${site.origin}/`);
  const options = {
    serverUrl: `${gate.origin}/v1/amplitude/${tenant.alias}/2/httpapi`,
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
    await expect.poll(async () => (await world.readBoth(tenant)).stored.length).toBe(calls.length);
    const { sent, stored } = await world.readBoth(tenant);
    expect(stored).toEqual(sent);
    const packed = gate.passed.some(({ headers }) => headers['content-encoding'] === 'gzip');
    expect(packed).toBe(name === 'packed');
    expect([...hosts].sort()).toEqual([gate.origin, site.origin].sort());
    expect(errors).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', 'away', 'away'],
    ['a connection that ends before the answer', 'cut', 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    const page = await openPage();
    gate.next(...faults);
    expect(await callAll(page, tracks)).toEqual([200, 200, 200]);
    const { sent, stored } = await world.readBoth(tenant);
    expect(sent).toHaveLength(3);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    expect(gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });

  it('gives up after the attempts that it is allowed, which its user may raise', async () => {
    const page = await openPage({ flushMaxRetries: 2 });
    gate.next(...Array<Fault>(2).fill({ status: 500 }));
    expect(await callAll(page, [`track('Lost')`])).toEqual([500]);
    expect(await callAll(page, [`track('Next')`])).toEqual([200]);
    const { stored } = await world.readBoth(tenant);
    expect(stored).toMatchObject([{ eventName: 'Next' }]);
  });

  it('has the good events of a batch stored once, and is told of the bad', async () => {
    const page = await openPage();
    const bad = `track('B', undefined, { user_id: 'x'.repeat(300) })`;
    expect(await callAll(page, [tracks[0]!, bad, tracks[2]!])).toEqual([200, 400, 200]);
    const { stored } = await world.readBoth(tenant);
    expect(stored.map(({ eventName }) => eventName).sort()).toEqual(['A', 'C']);
    const posts = gate.passed.filter(({ method }) => method === 'POST');
    expect(posts.map(({ status }) => status)).toEqual([400, 200]);
  });

  it('sends from the next page what it could not send from one that was left', async () => {
    const page = await openPage();
    gate.next({ status: 500 }, { status: 500 });
    await page.evaluate(`amplitude.track('Late'); 0`);
    await expect.poll(() => gate.passed.some(({ status }) => status === 500)).toBe(true);
    await page.close({ runBeforeUnload: true });
    await openPage();
    await expect.poll(async () => (await world.readBoth(tenant)).stored.length).toBe(1);
    expect((await world.readBoth(tenant)).stored).toMatchObject([{ eventName: 'Late' }]);
  });

  it('sends nothing where servers alone may send', async () => {
    await withAdmin(world.db, (admin) => admin.updateTenant(tenant.alias, { authStrategy: 'SERVER_SIDE' }));
    const page = await openPage();
    await page.evaluate(`amplitude.track('Never'); 0`);
    await expect.poll(() => errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect((await world.readBoth(tenant)).stored).toEqual([]);
  });
});
