import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../support/chromium.ts';
import { withAdmin, type TestTenant } from '../support/file.ts';
import { createTokenSigner } from '../support/token-signer.ts';
import { ask } from '../support/traffic.ts';
import { startRecorder, type Exchange } from './recorder.ts';
import { handedBy, startSdkWorld, toText, type SdkWorld, type Visit } from './sdk-world.ts';

let world: SdkWorld;
beforeAll(async () => {
  world = await startSdkWorld();
});
afterAll(() => world.stop());

/** Begins the web SDK in a page. It says nothing back, since the SDK has no end as JSON. */
async function begin(page: Page, { alias }: TestTenant, options: object = {}): Promise<void> {
  const all = { tenantId: alias, apiUrl: world.recorder.origin, flushInterval: 200, ...options };
  await page.evaluate(`window.grain = Grain.createGrainAnalytics(${JSON.stringify(all)}); 0`);
}

/** Begins the tag. */
async function beginTag(page: Page, { alias }: TestTenant): Promise<void> {
  const all = { tenantId: alias, apiUrl: world.recorder.origin, flushInterval: 200 };
  await page.evaluate(`window.tag = GrainTag.init(${JSON.stringify(all)}); 0`);
}

/** Options under which the SDK sends what it is told to, and nothing else. */
const QUIET = {
  ...{ enableHeartbeat: false, enableAutoPageView: false, enableHeatmapTracking: false },
  ...{ flushInterval: 3_600_000, consentMode: 'GDPR_OPT_OUT', retryDelay: 10 },
};

const namesOf = async (tenant: TestTenant) =>
  (await world.stored(tenant)).map(({ eventName }) => eventName).sort();

/** How long all may take to come before some of it is taken for forgotten. */
const GRACE_MS = 20_000;

/** How many requests Chromium may forget while a page is left. */
const FORGOTTEN_AT_MOST = 2;

/**
 * Waits until all that a page handed to the browser is stored, and nothing else; gives the events' names.
 * Chromium now and then forgets a fetch or a beacon that is under way while a page is left: the request
 * never reaches a server.
 */
async function expectAllStored(page: Page, tenant: TestTenant): Promise<string[]> {
  const handed = () => handedBy(page, world.requestsOf(tenant));
  const stored = async () => (await world.stored(tenant)).map(toText).sort();
  const isAll = async () => (await stored()).length === eventsIn(await handed()).length;
  await expect
    .poll(isAll, { timeout: GRACE_MS })
    .toBe(true)
    .catch(() => undefined);
  const all = await handed();
  const arrived = all.filter(({ hasArrived }) => hasArrived);
  expect(all.length - arrived.length).toBeLessThanOrEqual(FORGOTTEN_AT_MOST);
  await expect.poll(stored).toEqual(eventsIn(arrived).map(toText).sort());
  return eventsIn(all).map(({ eventName }) => eventName);
}

const eventsIn = (requests: Awaited<ReturnType<typeof handedBy>>) => requests.flatMap(({ events }) => events);

/** Leaves a page, and opens another that shares its storage. */
async function leave({ page, context }: Visit): Promise<Page> {
  const witness = await context.newPage();
  await witness.goto(new URL('/empty', page.url()).href);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => context.pages().length).toBe(1);
  return witness;
}

/**
 * The requests of a tenant, each kind once. A request whose body Chromium never ends, because its page is
 * gone, is refused with 408 in the end: it is one of those that it forgets.
 */
const kindsOf = (tenant: TestTenant) => {
  const whole = world.requestsOf(tenant).filter(({ status }) => status !== 408);
  return [...new Set(whole.map((exchange) => toKind(exchange, tenant)))].sort();
};

function toKind({ method, path, status }: Exchange, { alias }: TestTenant): string {
  return `${status} ${method} ${path.split('?')[0]!.replace(alias, 'T')}`;
}

const config = (tenant: TestTenant, key: string, value: string | null) =>
  withAdmin(world.db, (admin) =>
    value === null ? admin.unsetConfig(tenant.alias, key) : admin.setConfig(tenant.alias, key, value),
  );

describe('the web SDK', () => {
  it('has everything stored that its methods send, and the console of the page is silent', async () => {
    const tenant = await world.createTenant();
    const visit = await world.visit('analytics-web');
    const { page } = visit;
    await begin(page, tenant, { heartbeatActiveInterval: 300, consentMode: 'GDPR_STRICT' });
    await page.evaluate(`(async () => {
      await grain.track('bought', { amount: 12.5, items: ['a', { b: null }] });
      await grain.track({ eventName: 'seen', userId: 'other', properties: { page: 'Ü' } }, { flush: true });
      await grain.trackLogin({ method: 'link' });
      await grain.trackSignup({ method: 'link' });
      await grain.trackCheckout({ total: 1 });
      await grain.trackPageView({ page: '/a' });
      await grain.trackPurchase({ total: 2 });
      await grain.trackSearch({ query: 'x' });
      await grain.trackAddToCart({ id: 1 });
      await grain.trackRemoveFromCart({ id: 1 }, { flush: true });
      grain.identify('ada');
      await grain.setProperty({ plan: 'pro', seats: 3, tags: ['a'], gone: null });
      await grain.setProperty({ plan: 'free' }, { userId: 'eve' });
      grain.setUserId('bob');
      await grain.track('as_bob');
      grain.login({ userId: 'carol' });
      await grain.track('as_carol');
      grain.logout();
      await grain.track('as_nobody');
      grain.grantConsent(['analytics']);
      await grain.track('consented', {}, { flush: true });
      await grain.fetchConfig();
      await grain.preloadConfig(['a']);
      await grain.getConfigAsync('a', { forceRefresh: true });
      await grain.getAllConfigsAsync({ forceRefresh: true });
      for (let i = 0; i < 120; i++) grain.track('many', { i });
      await grain.flush();
    })()`);
    await page.getByRole('button', { name: 'Buy' }).click();
    await expect
      .poll(() => namesOf(tenant))
      .toEqual(expect.arrayContaining(['_grain_heartbeat', '_grain_heatmap_click']));
    await page.evaluate("grain.track('last', { at: 'the end' }); 0");
    const names = await expectAllStored(await leave(visit), tenant);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['bought', 'seen', 'login', 'signup', 'checkout', 'page_view', 'purchase', 'search'],
        ...['add_to_cart', 'remove_from_cart', 'as_bob', 'as_carol', 'as_nobody', 'consented', 'last'],
        ...['_grain_session_start', '_grain_session_end', '_grain_consent_granted'],
      ]),
    );
    expect(names.filter((name) => name === 'many')).toHaveLength(120);
    const properties = (await world.stored(tenant)).filter(
      ({ eventName }) => eventName === 'user_properties_set',
    );
    expect(properties.map(toText).sort()).toEqual(
      [
        { userId: 'ada', properties: { plan: 'pro', seats: '3', tags: '["a"]', gone: '' } },
        { userId: 'eve', properties: { plan: 'free' } },
      ].map((each) => toText({ eventName: 'user_properties_set', ...each })),
    );
    expect(kindsOf(tenant)).toEqual([
      '200 POST /v1/client/T/config/configurations',
      '200 POST /v1/events/T/multi',
      '200 POST /v1/events/T/properties',
    ]);
    expect(visit.complaints).toEqual([]);
    await visit.context.close();
  });

  it('has its page snapshots stored, and no debug session', async () => {
    const tenant = await world.createTenant();
    await config(tenant, 'enableHeatmapSnapshot', 'true');
    const visit = await world.visit('analytics-web', '?grain_debug=1&grain_session=s1');
    await begin(visit.page, tenant);
    await expect.poll(() => namesOf(tenant)).toContain('page_snapshot_taken');
    await expectAllStored(await leave(visit), tenant);
    expect(kindsOf(tenant)).toEqual([
      '200 POST /v1/client/T/config/configurations',
      '200 POST /v1/events/T/multi',
      '200 POST /v1/events/T/snapshot',
      '200 POST /v1/tenant/T/debug-sessions/verify',
    ]);
    expect(visit.complaints).toEqual([]);
    await visit.context.close();
  });

  it('sends what waited for consent when it is granted, and forgets it when it is revoked', async () => {
    const tenant = await world.createTenant();
    const { page, context, complaints } = await world.visit('analytics-web');
    await begin(page, tenant, { ...QUIET, consentMode: 'GDPR_STRICT', waitForConsent: true });
    await page.evaluate("grain.track('waited')");
    await page.evaluate('grain.grantConsent(); grain.flush()');
    await expect.poll(() => namesOf(tenant)).toContain('waited');
    await page.evaluate("grain.track('forgotten').then(() => grain.revokeConsent())");
    await page.evaluate('grain.flush().then(() => grain.destroy())');
    expect(await namesOf(tenant)).not.toContain('forgotten');
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('the remote config', () => {
  it('is read, cached, changed and removed', async () => {
    const tenant = await world.createTenant();
    await config(tenant, 'hero_text', 'Hello');
    await config(tenant, 'enabled', 'false');
    const { page, context, complaints } = await world.visit('analytics-web');
    const options = { ...QUIET, defaultConfigurations: { hero_text: 'default', other: 'default' } };
    await begin(page, tenant, options);
    const all = (ask = '') =>
      page.evaluate<object>(`(async () => { ${ask}; return grain.getAllConfigs() })()`);
    // Until it has asked, the SDK gives the defaults.
    expect(await all()).toEqual({ hero_text: 'default', other: 'default' });
    await page.evaluate('window.heard = []; grain.addConfigChangeListener((each) => heard.push(each)); 0');
    expect(await all('await grain.fetchConfig()')).toEqual({
      ...{ hero_text: 'Hello', enabled: 'false', other: 'default' },
    });
    expect(await page.evaluate("[grain.getConfig('enabled'), grain.getConfig('nothing')]")).toEqual([
      'false',
      undefined,
    ]);

    await config(tenant, 'hero_text', 'Bye');
    expect(await all()).toMatchObject({ hero_text: 'Hello' });
    expect(await all('await grain.preloadConfig()')).toMatchObject({ hero_text: 'Bye' });
    await config(tenant, 'hero_text', null);
    expect(await all('await grain.getConfigAsync("hero_text", { forceRefresh: true })')).toEqual({
      ...{ hero_text: 'default', enabled: 'false', other: 'default' },
    });
    // A listener hears of each change, and of nothing else.
    await all('await grain.fetchConfig()');
    expect(await page.evaluate('heard')).toEqual([
      { enabled: 'false', hero_text: 'Hello' },
      { enabled: 'false', hero_text: 'Bye' },
      { enabled: 'false' },
    ]);

    // The next page has the last values before it asks.
    await page.reload();
    await begin(page, tenant, options);
    expect(await all()).toEqual({ hero_text: 'default', enabled: 'false', other: 'default' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is what the page had last, or its defaults, while the server is down', async () => {
    const tenant = await world.createTenant();
    await config(tenant, 'hero_text', 'Hello');
    const { page, context } = await world.visit('analytics-web');
    const defaults = { ...QUIET, defaultConfigurations: { hero_text: 'default' } };
    await begin(page, tenant, defaults);
    await page.evaluate('grain.fetchConfig().then(() => undefined)');
    const nobody = await startRecorder('http://127.0.0.1:1');
    await begin(page, tenant, { ...defaults, apiUrl: nobody.origin });
    const read = "grain.fetchConfig().then((answer) => [answer, grain.getConfig('hero_text')])";
    expect(await page.evaluate(read)).toEqual([null, 'Hello']);
    expect(await page.evaluate("grain.getConfigAsync('nothing')")).toBeUndefined();
    await page.evaluate('localStorage.clear()');
    await begin(page, tenant, { ...defaults, apiUrl: nobody.origin });
    expect(await page.evaluate(read)).toEqual([null, 'default']);
    nobody.close();
    await context.close();
  });
});

describe('the tag', () => {
  it('has everything stored that it sends, and the console of the page is silent', async () => {
    const tenant = await world.createTenant();
    const visit = await world.visit('tag', '?grain_debug=1&grain_session=s1');
    await beginTag(visit.page, tenant);
    await visit.page.evaluate(`(async () => {
      tag.track('bought', { amount: 12.5, items: ['a'] });
      tag.track('at_once', {}, { flush: true });
      tag.track('kept_alive', {}, { flush: true, transport: 'keepalive' });
      tag.track('by_beacon', {}, { flush: true, useBeacon: true });
      tag.identify('ada');
      tag.consent.grant(['analytics']);
      GrainTag.track('as_ada');
      tag.consent.revoke();
      await tag.flush();
    })()`);
    await visit.page.getByRole('button', { name: 'Buy' }).click();
    await expect.poll(() => kindsOf(tenant)).toHaveLength(5);
    await visit.page.evaluate("tag.track('last')");
    const names = await expectAllStored(await leave(visit), tenant);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['bought', 'at_once', 'kept_alive', 'by_beacon', 'as_ada', 'last'],
        ...['_grain_session_start', '_grain_session_end', '_grain_consent_changed', 'page_view'],
      ]),
    );
    expect(kindsOf(tenant)).toEqual([
      '200 GET /v1/client/T/rescue/campaigns',
      '200 GET /v1/tenant/T/trackers',
      '200 POST /v1/client/T/config/configurations',
      '200 POST /v1/events/T/multi',
      '200 POST /v1/tenant/T/debug-sessions/verify',
    ]);
    expect(visit.complaints).toEqual([]);
    await visit.context.close();
  });

  it('has its page snapshots stored where they are enabled', async () => {
    const tenant = await world.createTenant();
    await config(tenant, 'enableHeatmapSnapshot', 'true');
    const visit = await world.visit('tag');
    await beginTag(visit.page, tenant);
    await expect.poll(() => namesOf(tenant)).toContain('page_snapshot_taken');
    await expectAllStored(await leave(visit), tenant);
    expect(visit.complaints).toEqual([]);
    await visit.context.close();
  });
});

it('the web SDK sends and reads with the token of its user', async () => {
  const tenant = await world.createTenant();
  const signer = createTokenSigner();
  world.setJwt(tenant, signer.publicKeyPem);
  await config(tenant, 'color', 'blue');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const token = await signer.sign({ iss: 'issuer', aud: 'audience', sub: 'ada', exp });
  const { page, context, complaints } = await world.visit('analytics-web');
  await begin(page, tenant, { ...QUIET, userId: 'ada' });
  // It starts without a token, and asks for the remote config at once.
  await expect.poll(() => complaints.length).toBe(2);
  await page.evaluate(`(async () => {
    grain.login({ userId: 'ada', authToken: ${JSON.stringify(token)} });
    await grain.track('signed_in', {}, { flush: true });
    await grain.setProperty({ plan: 'pro' });
    await grain.setProperty({ plan: 'pro' }, { userId: 'eve' });
    await grain.fetchConfig();
  })()`);
  expect(await page.evaluate("grain.getConfig('color')")).toBe('blue');
  expect((await world.stored(tenant)).map(({ eventName, userId }) => [eventName, userId]).sort()).toEqual([
    ['_grain_session_start', 'ada'],
    ['signed_in', 'ada'],
    ['user_properties_set', 'ada'],
  ]);
  const refused = world.requestsOf(tenant).filter(({ status }) => status !== 200);
  expect(refused.map((exchange) => toKind(exchange, tenant))).toEqual([
    '401 POST /v1/client/T/config/configurations',
    '400 POST /v1/events/T/properties',
  ]);
  await context.close();
});

describe('a lost answer', () => {
  it('makes two events of a batch; a property that is unique tells them apart', async () => {
    const tenant = await world.createTenant();
    const { page, context } = await world.visit('analytics-web');
    await begin(page, tenant, QUIET);
    const click = "grain.track('clicked', { click: crypto.randomUUID() }, { flush: true })";
    await page.evaluate(click);
    world.recorder.loseAnswer();
    await page.evaluate(click);
    await page.evaluate(click);
    const clicks = async () => (await namesOf(tenant)).filter((name) => name === 'clicked').length;
    await expect.poll(clicks).toBe(4);
    const body = { event: 'clicked', by: 'eventName', distinct: 'properties.click' };
    const answer = await ask(world.origin, `/v1/api/query/breakdown/${tenant.alias}`, {
      headers: { 'X-API-Key': tenant.secret, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.body).toMatchObject({ total: 4, distinct: 3 });
    await context.close();
  });

  it('makes two events of user properties, and one of a page snapshot', async () => {
    const tenant = await world.createTenant();
    await config(tenant, 'enableHeatmapSnapshot', 'true');
    const { page, context } = await world.visit('analytics-web');
    await begin(page, tenant, QUIET);
    await page.evaluate("grain.setProperty({ plan: 'free' })");
    world.recorder.loseAnswer('properties');
    await page.evaluate("grain.setProperty({ plan: 'pro' })");
    const set = async (plan: string) =>
      (await world.stored(tenant)).filter(({ properties }) => (properties as { plan?: string }).plan === plan)
        .length;
    await expect.poll(() => set('pro')).toBe(2);
    expect(await set('free')).toBe(1);
    world.recorder.loseAnswer('snapshot');
    await begin(page, tenant, { ...QUIET, enableHeartbeat: true, enableHeatmapTracking: true });
    const sent = () => world.requestsOf(tenant).filter(({ path }) => path.endsWith('/snapshot'));
    await expect.poll(() => sent().length).toBe(2);
    expect(sent().map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([
      { accepted: 1, duplicates: 0 },
      { accepted: 0, duplicates: 1 },
    ]);
    expect((await namesOf(tenant)).filter((name) => name === 'page_snapshot_taken')).toHaveLength(1);
    await context.close();
  });
});

describe('the web SDK in Node', () => {
  interface Sdk {
    track(name: string, properties?: object): Promise<void>;
    flush(): Promise<void>;
    setProperty(properties: object): Promise<void>;
    fetchConfig(): Promise<{ readonly configurations: object } | null>;
    destroy(): void;
  }
  const { createGrainAnalytics } = createRequire(import.meta.url)('@grainql/analytics-web') as {
    readonly createGrainAnalytics: (options: object) => Sdk;
  };
  const create = ({ alias }: TestTenant, secretKey: string) =>
    createGrainAnalytics({
      ...{ tenantId: alias, apiUrl: world.recorder.origin, userId: 'ada', retryDelay: 10 },
      ...{ authStrategy: 'SERVER_SIDE', secretKey },
    });

  async function setUp() {
    const tenant = await world.createTenant();
    await withAdmin(world.db, (admin) => admin.updateTenant(tenant.alias, { authStrategy: 'SERVER_SIDE' }));
    await config(tenant, 'color', 'blue');
    return tenant;
  }

  it('sends and reads with the secret key of a tenant that takes events from servers only', async () => {
    const tenant = await setUp();
    const sdk = create(tenant, tenant.secret);
    await sdk.track('paid', { total: 5 });
    await sdk.flush();
    await sdk.setProperty({ plan: 'pro' });
    expect((await sdk.fetchConfig())?.configurations).toEqual({ color: 'blue' });
    sdk.destroy();
    expect(await namesOf(tenant)).toEqual(['paid', 'user_properties_set']);
  });

  it('has nothing stored and reads nothing with another key', async () => {
    const tenant = await setUp();
    const sdk = create(tenant, `eqk_${'0'.repeat(64)}`);
    await sdk.track('paid', { total: 5 });
    await sdk.flush();
    await sdk.setProperty({ plan: 'pro' });
    expect(await sdk.fetchConfig()).toBeNull();
    sdk.destroy();
    expect(await namesOf(tenant)).toEqual([]);
    expect(kindsOf(tenant)).toEqual([
      '401 POST /v1/client/T/config/configurations',
      '401 POST /v1/events/T/multi',
      '401 POST /v1/events/T/properties',
    ]);
  });

  it('repeats a batch itself after a lost answer, which makes two events of it', async () => {
    const tenant = await setUp();
    const sdk = create(tenant, tenant.secret);
    world.recorder.loseAnswer();
    await sdk.track('paid', { total: 5 });
    await sdk.flush();
    sdk.destroy();
    expect(await namesOf(tenant)).toEqual(['paid', 'paid']);
  });
});
