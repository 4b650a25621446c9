import { createRequire } from 'node:module';
import { beforeEach, describe, expect, it } from 'vitest';
import { withAdmin } from '../../support/file.ts';
import { openGate, type Fault } from '../gate.ts';
import { useWorld } from '../suite.ts';
import { createCalls, messagesIn } from '../calls.ts';

/** What of Segment's SDK for Node the tests use. */
type CallName = 'track' | 'identify' | 'page' | 'screen' | 'group' | 'alias';
type Analytics = Readonly<Record<CallName, (message: object, done: (error: unknown) => void) => void>> & {
  closeAndFlush(options: { readonly timeout: number }): Promise<void>;
};
/** Calls the SDK. */
type MakeCall = (name: CallName, message: object) => void;

const { Analytics } = createRequire(new URL('../package.json', import.meta.url))(
  '@segment/analytics-node',
) as {
  readonly Analytics: new (settings: object) => Analytics;
};

const { eventsIn, withoutAttempt } = createCalls('segment');

const suite = useWorld(eventsIn);
/** What the SDK said of each message whose delivery failed. */
let failures: unknown[];
beforeEach(() => {
  failures = [];
});

/** Runs a program that uses the SDK, until it has sent everything or given up. */
async function withSdk(
  run: (call: MakeCall) => void,
  {
    origin = suite.gate.origin,
    ...settings
  }: { readonly origin?: string; readonly [key: string]: unknown } = {},
): Promise<void> {
  const path = `/v1/segment/${suite.tenant.alias}/v1/batch`;
  const analytics = new Analytics({ writeKey: 'a key', host: origin, path, flushAt: 3, ...settings });
  const said = (error: unknown) => error !== undefined && failures.push(error);
  run((name, message) => analytics[name](message, said));
  await analytics.closeAndFlush({ timeout: 60_000 });
}

/** What the SDK calls once for each type, with everything that it may say. */
function callAll(call: MakeCall): void {
  const context = { ip: '203.0.113.7', page: { url: 'https://shop.example/ü' } };
  const properties = { total: 12.5, items: [{ sku: 'a' }], nested: { 'a.b': null }, segment: 'mine' };
  call('track', { event: 'Order Placed', userId: 'ada', properties, context });
  call('track', { event: 'Order Seen', anonymousId: 'anon-1', timestamp: new Date(Date.UTC(2020, 1, 29)) });
  call('identify', { userId: 'ada', traits: { plan: 'pro', name: 'Åda 🙂' } });
  call('page', { userId: 'ada', name: 'Home', category: 'Docs', properties: { title: 'T' } });
  call('screen', { anonymousId: 'anon-1', name: 'Main' });
  call('group', { groupId: 'g-1', userId: 'ada', traits: { employees: 7 } });
  call('alias', { userId: 'ada', previousId: 'anon-1', integrations: { All: false } });
}

const trackAll = (count: number) => (call: MakeCall) => {
  for (let i = 0; i < count; i++) call('track', { event: 'Tick', userId: `u${i % 7}`, properties: { i } });
};

const readBoth = () => suite.world.readBoth(suite.tenant);

describe('Segment’s SDK for Node', () => {
  it('sends batches with its write key as the user of Basic credentials', async () => {
    const recorder = await openGate();
    await withSdk(callAll, { origin: recorder.origin });
    recorder.close();
    expect(recorder.passed.length).toBe(3);
    for (const { method, path, headers } of recorder.passed) {
      expect([method, path]).toEqual(['POST', `/v1/segment/${suite.tenant.alias}/v1/batch`]);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('a key:').toString('base64')}`,
      });
    }
    // The batches are under way at the same time, so any of them may come first.
    const types = recorder.passed.flatMap(messagesIn).map(({ type }) => type);
    expect(types.sort()).toEqual(['alias', 'group', 'identify', 'page', 'screen', 'track', 'track']);
    expect(failures).toEqual([]);
  });

  it('has everything stored that it sends, as it sent it', async () => {
    await withSdk(callAll);
    const { sent, stored } = await readBoth();
    expect(sent).toHaveLength(7);
    expect(stored).toEqual(sent);
    expect(failures).toEqual([]);
  });

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['503', { status: 503, retryAfter: '1' }],
    ['a connection that ends before the request has come', 'away', 'away'],
    ['a connection that ends before the answer', 'cut', 'cut'],
    ['all of these', 'cut', { status: 429, retryAfter: '1' }, 'away', { status: 500 }, 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    suite.gate.next(...faults);
    await withSdk(callAll);
    const { sent, stored } = await readBoth();
    expect(suite.gate.passed.length).toBe(3 + faults.length);
    expect(suite.gate.passed.some(({ headers }) => headers['x-retry-count'] !== undefined)).toBe(true);
    expect(sent).toHaveLength(7);
    // A later attempt says a later time of sending, and what was stored first stays.
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    expect(failures).toEqual([]);
  });

  it('gives up after a 400, and says so', async () => {
    suite.gate.next({ status: 400 });
    await withSdk(trackAll(3));
    const { stored } = await readBoth();
    expect([suite.gate.passed.length, stored.length, failures.length]).toEqual([1, 0, 3]);
  });

  it('gives up after a 401, which a wrong write key gets where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    await withSdk(trackAll(3));
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([401]);
    expect(failures).toHaveLength(3);
    await withSdk(trackAll(3), { writeKey: suite.tenant.secret });
    const { stored } = await readBoth();
    expect(stored).toHaveLength(3);
    expect(JSON.stringify(stored)).not.toContain(suite.tenant.secret);
  });

  it('has the good events of a batch stored, and does not send it again', async () => {
    await withSdk((call) => {
      call('track', { event: 'Good', userId: 'ada' });
      call('track', { event: 'Bad', userId: 'x'.repeat(300) });
    });
    const { stored } = await readBoth();
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([200]);
    expect(JSON.parse(suite.gate.passed[0]!.answer!.body)).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1 }],
    });
    expect(stored).toMatchObject([{ eventName: 'Good' }]);
  });

  it('has everything stored that its tenant’s limit put off', async () => {
    const ingestion = { eventsPerMinute: 60, bytesPerMinute: 100_000_000 };
    await withAdmin(suite.world.db, (admin) => admin.updateTenant(suite.tenant.alias, { ingestion }));
    // Six batches use the limit up, and the tokens of a seventh take ten seconds to come.
    await withSdk(trackAll(70), { flushAt: 10 });
    const { sent, stored } = await readBoth();
    expect(suite.gate.passed.some(({ status }) => status === 429)).toBe(true);
    expect(sent).toHaveLength(70);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
    expect(failures).toEqual([]);
  });
});
