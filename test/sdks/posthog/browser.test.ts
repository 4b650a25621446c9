import { describe, expect, it } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { withAdmin } from '../../support/file.ts';
import type { Fault } from '../gate.ts';
import { useWebSdk } from '../suite.ts';
import { eventsIn, hasEvents, messagesIn, withoutAttempt } from './messages.ts';

/** What a page bundles, as a program would. */
const SDK = `import posthog from 'posthog-js';
  window.sdk = posthog;`;

const suite = useWebSdk(SDK, eventsIn);

/** Opens a page that loads the SDK, as its user is told to. It takes a browser without a screen for a bot. */
async function openPage(options: object = {}): Promise<Page> {
  const page = await suite.context.newPage();
  await page.goto(`${suite.site.origin}/`);
  const settings = {
    ...{ api_host: `${suite.gate.origin}/v1/posthog/${suite.tenant.alias}`, opt_out_useragent_filter: true },
    ...{ capture_pageview: false, capture_pageleave: false, autocapture: false, disable_surveys: true },
    ...options,
  };
  await page.evaluate(`sdk.init('a_key', ${JSON.stringify(settings)}); 0`);
  return page;
}

const callAll = (page: Page, calls: readonly (readonly unknown[])[]) =>
  page.evaluate(
    `${calls.map(([name, ...words]) => `sdk.${String(name)}(...${JSON.stringify(words)})`).join(';')}; 0`,
  );

/** What a page calls once for each kind; each makes one event. */
const CALLS = [
  ['capture', 'order placed', { total: 12.5, items: [{ sku: 'a' }], posthog_: 'mine' }],
  ['identify', 'ada', { plan: 'pro', name: 'Åda 🙂' }],
  ['group', 'company', 'c1', { employees: 7 }],
  ['setPersonProperties', { city: 'Łódź' }],
  ['alias', 'ada-2'],
] as const;

const TICKS = [1, 2, 3].map((i) => ['capture', 'tick', { i }] as const);
const posts = () => suite.gate.passed.filter(hasEvents);

describe('PostHog’s web SDK', () => {
  it('has everything stored that it sends, as it sent it, asks nobody else and says no error', async () => {
    await callAll(await openPage(), CALLS);
    const { sent, stored } = await suite.world.readStored(suite.tenant, CALLS.length);
    expect(stored).toEqual(sent);
    expect(JSON.stringify(stored)).not.toContain('a_key');
    const base = `/v1/posthog/${suite.tenant.alias}`;
    const asked = new Set(suite.gate.passed.map(({ method, path }) => `${method} ${path.split('?')[0]!}`));
    for (const path of ['config.js', 'config']) expect(asked).toContain(`GET ${base}/array/a_key/${path}`);
    expect(new Set(posts().map(({ path }) => path.split('?')[0]))).toEqual(new Set([`${base}/e/`]));
    expect([...suite.hosts].sort()).toEqual([suite.gate.origin, suite.site.origin].sort());
    expect(suite.gate.passed.filter(({ status }) => status! >= 400)).toEqual([]);
    expect(suite.errors).toEqual([]);
  });

  it('has everything stored that it sends by a beacon from a page that is left', async () => {
    const page = await openPage({ request_queue_config: { flush_interval_ms: 5000 } });
    await expect.poll(() => suite.gate.passed.some(({ path }) => path.endsWith('/config'))).toBe(true);
    await callAll(page, TICKS);
    await page.goto('about:blank');
    const { sent, stored } = await suite.world.readStored(suite.tenant, TICKS.length);
    expect(stored).toEqual(sent);
    expect(suite.errors).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['500', { status: 500 }],
    ['a connection that ends before the request has come', 'away'],
    ['a connection that ends before the answer', 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    const page = await openPage();
    await expect.poll(() => suite.gate.passed.some(({ path }) => path.endsWith('/config'))).toBe(true);
    suite.gate.next(...faults);
    await callAll(page, TICKS);
    await expect
      .poll(() => suite.gate.passed.map(({ fault }) => fault))
      .toEqual(expect.arrayContaining(faults));
    const { sent, stored } = await suite.world.readStored(suite.tenant, TICKS.length);
    expect(sent).toHaveLength(TICKS.length);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
  });

  it.each([400, 429])('drops events after a %i, and sends the next', async (status) => {
    const page = await openPage();
    await expect.poll(() => suite.gate.passed.some(({ path }) => path.endsWith('/config'))).toBe(true);
    suite.gate.next({ status, retryAfter: '1' });
    await callAll(page, [['capture', 'bad']]);
    await expect.poll(() => suite.gate.passed.some((passed) => passed.status === status)).toBe(true);
    await callAll(page, [['capture', 'good']]);
    const { stored } = await suite.world.readStored(suite.tenant, 1);
    expect(stored).toMatchObject([{ eventName: 'good' }]);
    expect(suite.gate.passed.flatMap(messagesIn).filter(({ event }) => event === 'bad')).toHaveLength(1);
  });

  it('has nothing stored where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    await callAll(await openPage(), TICKS);
    await expect.poll(() => suite.errors.some((text) => text.includes('blocked by CORS policy'))).toBe(true);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });
});
