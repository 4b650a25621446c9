import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { withAdmin } from '../../support/file.ts';
import type { Fault } from '../gate.ts';
import { useWorld } from '../suite.ts';
import { eventsIn, messagesIn, withoutAttempt } from './messages.ts';

/** What of PostHog's SDK for Node the tests use. */
interface Client {
  capture(message: object): void;
  identify(message: object): void;
  alias(message: object): void;
  groupIdentify(message: object): void;
  on(name: 'error', listen: (error: unknown) => void): void;
  shutdown(): Promise<void>;
}

const { PostHog } = createRequire(new URL('../package.json', import.meta.url))('posthog-node') as {
  readonly PostHog: new (apiKey: string, options: object) => Client;
};

const suite = useWorld(eventsIn);

/** Runs a program that uses the SDK, until it has sent everything or given up. Returns what failed. */
async function withSdk(
  run: (client: Client) => void,
  { apiKey = 'a key', ...settings }: { readonly apiKey?: string; readonly [key: string]: unknown } = {},
): Promise<unknown[]> {
  const failures: unknown[] = [];
  const host = `${suite.gate.origin}/v1/posthog/${suite.tenant.alias}`;
  const options = { host, flushAt: 3, fetchRetryDelay: 50, ...settings };
  const client = new PostHog(apiKey, options);
  client.on('error', (error) => failures.push(error));
  run(client);
  await client.shutdown();
  return failures;
}

/** One call of each kind, with everything that it may say. */
function callAll(client: Client): void {
  const properties = { total: 12.5, items: [{ sku: 'a' }], nested: { 'a.b': null }, token: 'mine' };
  client.capture({ distinctId: 'ada', event: 'order placed', properties, groups: { company: 'c1' } });
  client.capture({ distinctId: 'anon', event: 'seen', timestamp: new Date(Date.UTC(2020, 1, 29)) });
  client.identify({ distinctId: 'ada', properties: { plan: 'pro', name: 'Åda 🙂' } });
  client.groupIdentify({ groupType: 'company', groupKey: 'c1', properties: { employees: 7 } });
  client.alias({ distinctId: 'ada', alias: 'anon' });
}

const EVENTS = 5;

describe('PostHog’s SDK for Node', () => {
  it.each([false, true])(
    'without gzip: %j, has everything stored that it sends',
    async (disableCompression) => {
      expect(await withSdk(callAll, { disableCompression })).toEqual([]);
      const { sent, stored } = await suite.world.readBoth(suite.tenant);
      expect(sent).toHaveLength(EVENTS);
      expect(stored).toEqual(sent);
      for (const { method, path, headers } of suite.gate.passed) {
        expect([method, path]).toEqual(['POST', `/v1/posthog/${suite.tenant.alias}/batch/`]);
        expect(headers['content-encoding']).toBe(disableCompression ? undefined : 'gzip');
      }
      expect(JSON.stringify(stored)).not.toContain('a key');
      expect(stored.map(({ properties }) => properties.token).filter(Boolean)).toEqual(['mine']);
    },
  );

  it.each<[string, ...Fault[]]>([
    ['429', { status: 429, retryAfter: '1' }],
    ['500', { status: 500 }, { status: 500 }],
    ['a connection that ends before the request has come', 'away', 'away'],
    ['a connection that ends before the answer', 'cut', 'cut'],
  ])('has everything stored once after %s', async (_name, ...faults) => {
    suite.gate.next(...faults);
    await withSdk(callAll);
    const { sent, stored } = await suite.world.readBoth(suite.tenant);
    expect(suite.gate.passed.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
    expect(sent).toHaveLength(EVENTS);
    expect(stored.map(withoutAttempt)).toEqual(sent.map(withoutAttempt));
  });

  it('drops a batch after a 400, and says so', async () => {
    suite.gate.next({ status: 400 });
    const failures = await withSdk((client) => client.capture({ distinctId: 'ada', event: 'bad' }));
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([400]);
    expect(failures).toHaveLength(1);
    expect((await suite.world.readBoth(suite.tenant)).stored).toEqual([]);
  });

  it('needs a secret key as its project key where servers alone may send', async () => {
    await withAdmin(suite.world.db, (admin) =>
      admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' }),
    );
    const capture = (event: string) => (client: Client) => client.capture({ distinctId: 'ada', event });
    expect(await withSdk(capture('refused'))).toHaveLength(1);
    expect(suite.gate.passed.at(-1)!.status).toBe(401);
    expect(await withSdk(capture('taken'), { apiKey: suite.tenant.secret })).toEqual([]);
    const { stored } = await suite.world.readBoth(suite.tenant);
    expect(stored).toMatchObject([{ eventName: 'taken' }]);
    expect(JSON.stringify(stored)).not.toContain(suite.tenant.secret);
  });

  it('has the good events of a batch stored, and does not send it again', async () => {
    await withSdk((client) => {
      client.capture({ distinctId: 'ada', event: 'good' });
      client.capture({ distinctId: 'x'.repeat(300), event: 'bad' });
    });
    expect(suite.gate.passed.map(({ status }) => status)).toEqual([200]);
    expect(messagesIn(suite.gate.passed[0]!)).toHaveLength(2);
    expect(JSON.parse(suite.gate.passed[0]!.answer!.body)).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1 }],
    });
    expect((await suite.world.readBoth(suite.tenant)).stored).toMatchObject([{ eventName: 'good' }]);
  });
});
