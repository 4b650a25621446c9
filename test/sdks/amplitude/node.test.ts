import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { withAdmin } from '../../support/file.ts';
import { openGate, type Fault, type Gate } from '../gate.ts';
import { useWorld } from '../suite.ts';
import { messagesIn, toStored, withoutAttempt } from './messages.ts';

interface Result {
  readonly code: number;
  readonly message: string;
}
type Method = (...words: unknown[]) => { readonly promise: Promise<Result> };
/** What of Amplitude's SDK for Node the tests use. */
type Client = Readonly<
  Record<'init' | 'track' | 'identify' | 'setGroup' | 'groupIdentify' | 'revenue', Method>
> & {
  flush(): { readonly promise: Promise<unknown> };
};

const amplitude = createRequire(new URL('../package.json', import.meta.url))('@amplitude/analytics-node') as {
  readonly createInstance: () => Client;
  readonly Identify: new () => { set(key: string, value: unknown): object };
  readonly Revenue: new () => { setPrice(price: number): object };
};

const suite = useWorld((passed) => messagesIn(passed).map(toStored));

async function createSdk({
  key = 'a key',
  origin = suite.gate.origin,
  call = '2/httpapi',
  ...more
}: { key?: string; origin?: string; call?: string; flushIntervalMillis?: number } = {}) {
  const sdk = amplitude.createInstance();
  const serverUrl = `${origin}/v1/amplitude/${suite.tenant.alias}/${call}`;
  const timing = { flushIntervalMillis: 50, flushQueueSize: 50, logLevel: 0 };
  await sdk.init(key, { serverUrl, ...timing, ...more }).promise;
  return sdk;
}

const ada = { user_id: 'ada-lovelace', device_id: 'device-1' };

/** What a program calls once for each method. */
function callAll(sdk: Client): Promise<Result[]> {
  const properties = { total: 12.5, items: [{ sku: 'ü🙂' }], amplitude: 'mine' };
  const calls = [
    sdk.track('Order Placed', properties, ada),
    sdk.track('Order Seen', undefined, { device_id: 'device-2', time: Date.UTC(2020, 1, 29) }),
    sdk.identify(new amplitude.Identify().set('plan', 'pro'), ada),
    sdk.setGroup('company', ['acme'], ada),
    sdk.groupIdentify('company', 'acme', new amplitude.Identify().set('employees', 7)),
    sdk.revenue(new amplitude.Revenue().setPrice(5), ada),
  ];
  return Promise.all(calls.map(({ promise }) => promise));
}

const trackAll = (sdk: Client, count: number, more: (i: number) => object = () => ({})) =>
  Promise.all(
    Array.from({ length: count }, (_, i) => sdk.track('Tick', { i }, { ...ada, ...more(i) }).promise),
  );
/** What makes an event a bad one. */
const BAD = { user_id: 'x'.repeat(300) };
const codesOf = (results: readonly Result[]) => results.map(({ code }) => code);
/** How the requests ended. A slow machine sends in more of them, so tests count no batches. */
const statuses = () => suite.gate.passed.map(({ status }) => status);
/** What was sent of one event of `trackAll`, each time that it was. */
const sentOf = (i: number) =>
  suite.gate.passed
    .flatMap(messagesIn)
    .filter(({ event_properties }) => (event_properties as { readonly i?: number } | undefined)?.i === i);

describe('Amplitude’s SDK for Node', () => {
  it('sends batches with its key in the body', async () => {
    const recorder = await openGate();
    const sdk = await createSdk({ origin: recorder.origin });
    const done = callAll(sdk);
    // The recorder’s answer has no code, so the SDK sends again until it is told to stop.
    const ids = () => recorder.passed.flatMap(messagesIn).map(({ insert_id }) => insert_id);
    await expect.poll(() => new Set(ids()).size).toBe(6);
    await sdk.flush().promise;
    recorder.close();
    await done;
    const [{ method, path, headers, body }] = recorder.passed as [Gate['passed'][number]];
    expect([method, path]).toEqual(['POST', `/v1/amplitude/${suite.tenant.alias}/2/httpapi`]);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toMatchObject({ api_key: 'a key', options: {} });
    const sent = new Map(recorder.passed.flatMap(messagesIn).map((event) => [event.insert_id, event]));
    const types = [...sent.values()].map(({ event_type }) => event_type);
    const methods = ['$identify', '$identify', '$groupidentify', 'revenue_amount'];
    expect(types).toEqual(['Order Placed', 'Order Seen', ...methods]);
  });

  it.each(['2/httpapi', 'batch'])(
    'has everything stored that it sends to %s, as it sent it',
    async (call) => {
      expect(codesOf(await callAll(await createSdk({ call })))).toEqual(Array(6).fill(200));
      const { sent, stored } = await suite.world.readBoth(suite.tenant);
      expect(sent).toHaveLength(6);
      expect(stored).toEqual(sent);
    },
  );

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['503', { status: 503, retryAfter: '1' }],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    suite.gate.next(...faults);
    expect(codesOf(await callAll(await createSdk()))).toEqual(Array(6).fill(200));
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    const first = faults.map((fault) => (fault as { status: number }).status);
    expect(statuses().slice(0, first.length)).toEqual(first);
    expect(new Set(statuses().slice(first.length))).toEqual(new Set([200]));
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
  });

  it.each<[string, Fault, number]>([
    ['before the request has come', 'away', 0],
    ['before the answer', 'cut', 1],
  ])('gives up after a connection that ends %s, and says so', async (_name, fault, storedThen) => {
    suite.gate.next(fault);
    const results = await trackAll(await createSdk(), 1);
    expect(codesOf(results)).toEqual([0]);
    expect((await suite.world.readBoth(suite.tenant)).stored).toHaveLength(storedThen);
    expect(suite.gate.passed).toHaveLength(1);
  });

  it('has the good events of a batch stored once, and is told of the bad', async () => {
    const results = await trackAll(await createSdk(), 4, (i) => (i === 1 ? BAD : {}));
    expect(codesOf(results)).toEqual([200, 400, 200, 200]);
    expect(results[1]!.message).toMatch(/events\[\d\]: userId: takes a string/);
    expect(statuses().filter((status) => status === 400)).toHaveLength(1);
    expect(sentOf(1)).toHaveLength(1);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored.map(({ properties }) => properties.i).sort()).toEqual([0, 2, 3]);
  });

  it('has the good events stored as well where its user flushes, and it sends nothing again', async () => {
    const sdk = await createSdk({ flushIntervalMillis: 60_000 });
    const done = trackAll(sdk, 3, (i) => (i === 1 ? BAD : {}));
    await sdk.flush().promise;
    expect(codesOf(await done)).toEqual([400, 400, 400]);
    expect(statuses()).toEqual([400]);
    expect((await suite.world.readBoth(suite.tenant)).stored).toHaveLength(2);
  });

  it('drops a batch of which nothing is good, without sending it again', async () => {
    const results = await trackAll(await createSdk(), 3, () => BAD);
    expect(codesOf(results)).toEqual([400, 400, 400]);
    expect(new Set(statuses())).toEqual(new Set([400]));
    for (const i of [0, 1, 2]) expect(sentOf(i)).toHaveLength(1);
  });

  it('has everything stored that its tenant’s limit put off', async () => {
    const ingestion = { eventsPerMinute: 60, bytesPerMinute: 100_000_000 };
    await withAdmin(suite.world.db, (admin) => admin.updateTenant(suite.tenant.alias, { ingestion }));
    const sdk = await createSdk();
    // The first batch leaves ten. The SDK waits 30 s with the events that the answer names.
    expect(codesOf(await trackAll(sdk, 85))).toEqual(Array(85).fill(200));
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    expect(statuses()).toContain(429);
    expect(sent).toHaveLength(85);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
  });

  it('gives up at once without a key of the tenant where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    expect(codesOf(await trackAll(await createSdk(), 3))).toEqual([401, 401, 401]);
    expect(new Set(statuses())).toEqual(new Set([401]));
    for (const i of [0, 1, 2]) expect(sentOf(i)).toHaveLength(1);
    expect(codesOf(await trackAll(await createSdk({ key: suite.tenant.secret }), 3))).toEqual([
      200, 200, 200,
    ]);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored).toHaveLength(3);
    expect(JSON.stringify(stored)).not.toContain(suite.tenant.secret);
  });

  it('gives up at once where there is no such tenant', async () => {
    const sdk = await createSdk({ call: '../nobody/batch' });
    expect(codesOf(await trackAll(sdk, 2))).toEqual([404, 404]);
    expect(new Set(statuses())).toEqual(new Set([404]));
    for (const i of [0, 1]) expect(sentOf(i)).toHaveLength(1);
  });
});
