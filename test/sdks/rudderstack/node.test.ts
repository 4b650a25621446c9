import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { withAdmin } from '../../support/file.ts';
import { createCalls, messagesIn } from '../calls.ts';
import type { Fault } from '../gate.ts';
import { useWorld } from '../suite.ts';

const { eventsIn, withoutAttempt } = createCalls('rudderstack');

/** What of RudderStack's SDK for Node the tests use. */
type CallName = 'track' | 'identify' | 'page' | 'screen' | 'group' | 'alias';
type Client = Readonly<Record<CallName, (message: object, done: (error: unknown) => void) => void>>;

const RudderAnalytics = createRequire(new URL('../package.json', import.meta.url))(
  '@rudderstack/rudder-sdk-node',
) as new (writeKey: string, options: object) => Client;

const suite = useWorld(eventsIn);

/** Calls the SDK, and waits until it has sent everything or given up. Returns what it says of failures. */
async function send(
  calls: readonly (readonly [CallName, object])[],
  { writeKey = 'a key', ...settings }: { readonly writeKey?: string; readonly gzip?: boolean } = {},
): Promise<unknown[]> {
  const dataPlaneUrl = `${suite.gate.origin}/v1/rudderstack/${suite.tenant.alias}`;
  // Without a handler, the SDK rejects where nobody waits.
  const quiet = { errorHandler: () => undefined, logLevel: 'none' };
  const options = { dataPlaneUrl, flushAt: 3, flushInterval: 100, ...quiet, ...settings };
  const client = new RudderAnalytics(writeKey, options);
  const sent = calls.map(
    ([name, message]) => new Promise((done) => client[name](message, (error) => done(error ?? undefined))),
  );
  return (await Promise.all(sent)).filter((error) => error !== undefined);
}

/** One call of each type, with everything that it may say. */
const CALLS = [
  [
    'track',
    {
      ...{ event: 'Order Placed', userId: 'ada', context: { ip: '203.0.113.7' } },
      properties: { total: 12.5, items: [{ sku: 'a' }], nested: { 'a.b': null }, rudderstack: 'mine' },
    },
  ],
  ['track', { event: 'Order Seen', anonymousId: 'anon-1', timestamp: new Date(Date.UTC(2020, 1, 29)) }],
  ['identify', { userId: 'ada', traits: { plan: 'pro', name: 'Åda 🙂' } }],
  ['page', { userId: 'ada', name: 'Home', properties: { title: 'T' } }],
  ['screen', { anonymousId: 'anon-1', name: 'Main' }],
  ['group', { groupId: 'g-1', userId: 'ada', traits: { employees: 7 } }],
  ['alias', { userId: 'ada', previousId: 'anon-1', integrations: { All: false } }],
] as const;

const tick = (i: number) => ['track', { event: 'Tick', userId: 'ada', properties: { i } }] as const;

describe('RudderStack’s SDK for Node', () => {
  it.each([
    [true, { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' }],
    [false, { 'content-type': 'application/json' }],
  ])('with gzip: %j has everything stored that it sends, as it sent it', async (gzip, headers) => {
    expect(await send(CALLS, { gzip })).toEqual([]);
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    expect(sent).toHaveLength(7);
    expect(stored).toEqual(sent);
    const authorization = `Basic ${Buffer.from('a key:').toString('base64')}`;
    for (const passed of suite.gate.passed) {
      expect([passed.method, passed.path]).toEqual([
        'POST',
        `/v1/rudderstack/${suite.tenant.alias}/v1/batch`,
      ]);
      expect(passed.headers).toMatchObject({ ...headers, authorization });
    }
    // Batches are under way at the same time, so any of them may be answered first.
    const types = suite.gate.passed.flatMap(messagesIn).map(({ type }) => type);
    expect(types.sort()).toEqual(CALLS.map(([type]) => type).sort());
  });

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', 'away', 'away'],
    ['a connection that ends before the answer', 'cut', 'cut'],
    ['several of these', 'cut', { status: 429, retryAfter: '1' }, { status: 500 }],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    suite.gate.next(...faults);
    expect(await send(CALLS)).toEqual([]);
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    expect(suite.gate.passed.map(({ fault }) => fault).slice(0, faults.length)).toEqual(faults);
    expect(sent).toHaveLength(7);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
  });

  it('gives up after a 400, and after four 500s, and says so', async () => {
    suite.gate.next({ status: 400 });
    expect(await send([tick(1)])).toHaveLength(1);
    expect(suite.gate.passed).toHaveLength(1);
    suite.gate.next(...Array<Fault>(4).fill({ status: 500 }));
    expect(await send([tick(2)])).toHaveLength(1);
    expect(suite.gate.passed).toHaveLength(5);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });

  it('needs a secret key as its write key where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    expect(await send([tick(1)])).toHaveLength(1);
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([401]);
    expect(await send([tick(2)], { writeKey: suite.tenant.secret })).toEqual([]);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored).toMatchObject([{ properties: { i: 2 } }]);
    expect(JSON.stringify(stored)).not.toContain(suite.tenant.secret);
  });

  it('has the good events of a batch stored, and does not send it again', async () => {
    // The first message goes alone.
    const good = { event: 'Good', userId: 'ada' };
    const bad = { event: 'Bad', userId: 'x'.repeat(300) };
    expect(
      await send([
        ['track', good],
        ['track', good],
        ['track', bad],
      ]),
    ).toEqual([]);
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.parse(suite.gate.passed[1]!.answer!.body)).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1 }],
    });
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored.map(({ eventName }) => eventName)).toEqual(['Good', 'Good']);
  });
});
