import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { withAdmin } from '../../support/file.ts';
import { openGate, type Fault } from '../gate.ts';
import { useWorld } from '../suite.ts';
import { comparable, inOrder, messagesIn, toStored } from './messages.ts';

type Done = (error?: unknown) => void;
type Method = (...words: unknown[]) => void;
/** What of Mixpanel's SDK for Node the tests use. */
type Client = Readonly<Record<'track' | 'track_batch' | 'import' | 'import_batch' | 'alias', Method>> & {
  readonly people: Readonly<Record<string, Method>>;
  readonly groups: Readonly<Record<string, Method>>;
};

const Mixpanel = createRequire(new URL('../package.json', import.meta.url))('mixpanel') as {
  readonly init: (token: string, settings: object) => Client;
};

const suite = useWorld((passed) => messagesIn(passed).map(toStored));

const silent = () => undefined;
const logger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

function createSdk({
  token = 'a token',
  origin = suite.gate.origin,
  ...settings
}: Record<string, unknown> = {}) {
  const host = new URL(origin as string).host;
  const path = `/v1/mixpanel/${suite.tenant.alias}`;
  return Mixpanel.init(token as string, { host, protocol: 'http', path, key: 'a key', logger, ...settings });
}

/** Calls a method, and gives the error that it ends with; null or undefined for none. */
function ended(call: (done: Done) => void): Promise<unknown> {
  return new Promise((resolve) => call(resolve));
}

const TIME = new Date(Date.UTC(2020, 1, 29, 10, 0, 0, 123));

/** What a program calls once for each method. */
function callsOf(sdk: Client): ((done: Done) => void)[] {
  const { people, groups } = sdk;
  const ada = { distinct_id: 'ada', $insert_id: 'i-1', time: TIME };
  return [
    (done) => sdk.track('Order Placed', { ...ada, total: 12.5, items: [{ sku: 'a+/ü🙂' }] }, done),
    (done) => sdk.track('No user', done),
    (done) =>
      sdk.track_batch(
        [
          { event: 'First', properties: { distinct_id: 'ada', 'ü?>~': 'þÿ' } },
          { event: 'Second', properties: { ...ada, mixpanel: 'mine' } },
        ],
        done,
      ),
    (done) => sdk.import('Old', Math.floor(TIME.getTime() / 1000), { distinct_id: 'ada' }, done),
    (done) => sdk.import_batch([{ event: 'Older', properties: { ...ada, $insert_id: 'i-2' } }], done),
    (done) => sdk.alias('ada', 'countess', done),
    (done) => people.set!('ada', { plan: 'pro', name: 'Åda 🙂' }, done),
    (done) => people.set_once!('ada', 'first', 'x', done),
    (done) => people.increment!('ada', 'visits', 2, done),
    (done) => people.append!('ada', 'pages', 'home', done),
    (done) => people.union!('ada', { browsers: 'x' }, {}, done),
    (done) => people.remove!('ada', { browsers: 'x' }, {}, done),
    (done) => people.unset!('ada', ['visits'], {}, done),
    (done) => people.track_charge!('ada', 5, {}, {}, done),
    (done) => people.delete_user!('ada', {}, done),
    (done) => groups.set!('company', 'acme', { plan: 'pro' }, done),
    (done) => groups.union!('company', 'acme', { products: 'x' }, {}, done),
    (done) => groups.delete_group!('company', 'acme', {}, done),
  ];
}

const sentEvents = () => suite.gate.passed.flatMap(messagesIn).map(toStored);
const readStored = async () => (await suite.world.readBoth(suite.tenant)).stored;

describe('Mixpanel’s SDK for Node', () => {
  it('sends one message in the address, and several in a form that escapes nothing', async () => {
    const recorder = await openGate();
    const sdk = createSdk({ origin: recorder.origin });
    for (const call of callsOf(sdk).slice(0, 3)) await ended(call);
    recorder.close();
    const seen = recorder.passed.map(({ method, path, headers }) => [
      method,
      path.split('data=')[0],
      headers['content-type'],
    ]);
    const base = `/v1/mixpanel/${suite.tenant.alias}/track?ip=0&verbose=0&`;
    expect(seen).toEqual([
      ['GET', base, undefined],
      ['GET', base, undefined],
      ['POST', `${base}api_key=a%20key`, 'application/x-www-form-urlencoded'],
    ]);
    expect(recorder.passed[2]!.body).toMatch(/^data=[A-Za-z0-9+/]+=*$/);
  });

  it.each([false, true])('has everything stored that it sends, with verbose %s', async (verbose) => {
    for (const call of callsOf(createSdk({ verbose }))) expect(await ended(call)).toBeFalsy();
    const sent = sentEvents();
    expect(sent).toHaveLength(19);
    expect(comparable(await readStored(), sent)).toEqual(inOrder(sent));
  });

  it.each<[string, Fault, number]>([
    ['400', { status: 400 }, 0],
    ['429', { status: 429, retryAfter: '1' }, 0],
    ['500', { status: 500 }, 0],
    ['a connection that ends before the request has come', 'away', 0],
    ['a connection that ends before the answer', 'cut', 1],
  ])('says so after %s and sends nothing again, so its user may', async (_name, fault, storedThen) => {
    const sdk = createSdk();
    const track = () =>
      ended((done) => sdk.track('Tick', { distinct_id: 'ada', $insert_id: 'i', time: TIME }, done));
    suite.gate.next(fault);
    expect(await track()).toBeInstanceOf(Error);
    expect(suite.gate.passed).toHaveLength(1);
    expect(await readStored()).toHaveLength(storedThen);
    expect(await track()).toBeFalsy();
    expect(comparable(await readStored(), sentEvents())).toEqual([
      toStored(messagesIn(suite.gate.passed[0]!)[0]!),
    ]);
  });

  it('is told of a tenant’s limit', async () => {
    const ingestion = { eventsPerMinute: 1, bytesPerMinute: 100_000 };
    await withAdmin(suite.world.db, (admin) => admin.updateTenant(suite.tenant.alias, { ingestion }));
    const sdk = createSdk();
    expect(await ended((done) => sdk.track('First', {}, done))).toBeFalsy();
    const error = await ended((done) => sdk.track('Second', {}, done));
    expect(String(error)).toContain('Rate limit exceeded');
    expect(await readStored()).toHaveLength(1);
  });

  it('has the good messages of a batch stored, and hears of the bad where it asks', async () => {
    const batch = () => [
      { event: 'Good', properties: { distinct_id: 'ada' } },
      { event: 'x'.repeat(300), properties: { distinct_id: 'ada' } },
    ];
    expect(await ended((done) => createSdk().track_batch(batch(), done))).toBeFalsy();
    expect(await ended((done) => createSdk({ verbose: true }).track_batch(batch(), done))).toBeFalsy();
    expect(JSON.parse(suite.gate.passed[1]!.answer!.body)).toEqual({
      status: 1,
      error: expect.stringMatching(/^events\[1\]: eventName: takes a string/) as string,
    });
    expect((await readStored()).map(({ eventName }) => eventName)).toEqual(['Good', 'Good']);
    const bad = await ended((done) => createSdk().track_batch(batch().slice(1), done));
    expect(String(bad)).toContain('No event was accepted');
  });

  it('needs a public write key as its token where servers alone may send', async () => {
    const { secret } = await withAdmin(suite.world.db, async (admin) => {
      await admin.updateTenant(suite.tenant.alias, { authStrategy: 'SERVER_SIDE' });
      const restrictions = { origins: ['*'] };
      return admin.createKey(suite.tenant.alias, { name: 'w', permissions: ['write'], restrictions });
    });
    const track = (token: string) => (done: Done) =>
      createSdk({ token, key: undefined }).track('A', {}, done);
    expect(String(await ended(track('a token')))).toContain('Invalid write key');
    expect(String(await ended(track(suite.tenant.secret)))).toContain('Invalid write key');
    expect(await ended(track(secret))).toBeFalsy();
    const stored = await readStored();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });
});
