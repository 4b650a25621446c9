import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createSender,
  type EventQueryError,
  type Sender,
  type SenderOptions,
  type Undelivered,
} from '../../../adapters/client/index.ts';
import type { EventInput } from '../../../src/index.ts';
import { joseTokenVerifier } from '../../../adapters/jose/index.ts';
import { BATCH_EVENTS_MAX } from '../../../src/core/http/batch.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';
import { openGate, type Fault, type Gate } from './gate.ts';

/** What a sender has given up. */
interface Reported {
  readonly error: EventQueryError;
  readonly undelivered: readonly Undelivered[];
}

interface Sent {
  readonly sender: Sender;
  readonly gate: Gate;
  readonly reported: Reported[];
  /** What the store holds, in the order of the answers. */
  readonly stored: () => Promise<readonly (EventInput & { readonly insertId: string })[]>;
}

let server: TestServer;
let tenants = 0;
const signer = createTokenSigner();

beforeAll(async () => void (server = await startTestServer({ tokens: joseTokenVerifier() })));
afterAll(() => server.close());

/** A sender to a new tenant, through a gate. The clock of the server shows the real time. */
async function open(
  options: Partial<SenderOptions> = {},
  prepare: (tenant: string) => Promise<Partial<SenderOptions>> = () => Promise.resolve({}),
): Promise<Sent> {
  server.clock.advance(Date.now() - server.clock.now());
  const tenant = `sender-${(tenants += 1)}`;
  const apiKey = await server.createTenant(tenant);
  const gate = await openGate(server.origin);
  const reported: Reported[] = [];
  const sender = createSender({
    ...{ url: gate.url, tenant, delayMs: 0 },
    onError: (error, undelivered) => void reported.push({ error, undelivered }),
    ...options,
    ...(await prepare(tenant)),
  });
  onTestFinished(() => sender.close());
  return {
    sender,
    gate,
    reported,
    stored: async () => {
      const answer = await server.post(`/v1/api/query/${tenant}`, '{"pagination":{"size":1000}}', {
        'X-API-Key': apiKey,
      });
      return (await answer.json()) as (EventInput & { insertId: string })[];
    },
  };
}

/**
 * Lets the pauses of a sender pass at once: time stands still while a request is under way, and else goes to
 * the next timer. The gaps between the starts of the requests are those that a user would wait.
 */
function withoutPauses() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let underWay = 0;
  const starts: number[] = [];
  const counting: typeof fetch = async (url, init) => {
    underWay += 1;
    starts.push(Date.now());
    try {
      const answer = await fetch(url, init);
      return new Response(await answer.text(), answer);
    } finally {
      underWay -= 1;
    }
  };
  return {
    fetch: counting,
    gaps: () => starts.slice(1).map((at, i) => at - starts[i]!),
    async settled(work: Promise<void>) {
      let isSettled = false;
      void work.then(() => (isSettled = true));
      for (let idle = 0; !isSettled;) {
        await new Promise((resolve) => setImmediate(resolve));
        idle = underWay > 0 ? 0 : idle + 1;
        if (idle > 5) vi.advanceTimersToNextTimer();
      }
    },
  };
}

const named = (...names: string[]): EventInput[] =>
  names.map((eventName) => ({ eventName, userId: 'ada', properties: {} }));
const namesOf = (events: readonly { readonly eventName?: unknown }[]) => events.map((each) => each.eventName);

describe('a sender', () => {
  it('stores what was appended, with the time and an id of the append', async () => {
    const { sender, stored, reported } = await open();
    const before = Date.now();
    sender.append({ eventName: 'bought', userId: 'ada', properties: { total: 64 } });
    const after = Date.now();
    await sender.flush();
    const [event] = await stored();
    expect(event).toMatchObject({ eventName: 'bought', userId: 'ada', properties: { total: 64 } });
    expect(event!.insertId).toMatch(/^[0-9a-f]{32}-0000000001$/);
    expect(Date.parse(String(event!.eventTs))).toBeGreaterThanOrEqual(before);
    expect(Date.parse(String(event!.eventTs))).toBeLessThanOrEqual(after);
    expect(reported).toEqual([]);
  });

  it('keeps the order, also of events of one millisecond and of several batches', async () => {
    const { sender, stored, gate } = await open({ batchMax: 7 });
    const names = Array.from({ length: 50 }, (_, i) => `event ${i}`);
    sender.append(named(...names));
    await sender.flush();
    expect(gate.passed.map(({ events }) => events.length)).toEqual([7, 7, 7, 7, 7, 7, 7, 1]);
    expect(gate.passed.flatMap(({ events }) => namesOf(events))).toEqual(names);
    expect(namesOf(await stored())).toEqual(names.toReversed());
  });

  it('keeps what the program says of an event, and takes it as it was when it was appended', async () => {
    const { sender, stored, reported } = await open();
    const properties = { n: 1 };
    const event = {
      eventName: 'a',
      userId: 'ada',
      eventTs: Date.UTC(2024, 4, 3),
      insertId: 'mine',
      properties,
    };
    sender.append(event);
    properties.n = 2;
    // Without a time, a repeated append would be another event; so the sender does not invent one.
    sender.append({ eventName: 'b', userId: 'ada', insertId: 'no time' });
    await sender.flush();
    expect(await stored()).toMatchObject([
      { eventTs: '2024-05-03T00:00:00.000Z', insertId: 'mine', properties: { n: 1 } },
    ]);
    expect(reported[0]!.undelivered).toEqual([
      {
        event: { eventName: 'b', userId: 'ada', insertId: 'no time' },
        reason: expect.stringContaining('needs an eventTs beside it') as string,
      },
    ]);
  });

  it('sends when a batch is full by count or by bytes, and else after the delay', async () => {
    const { sender, gate } = await open({ delayMs: 600_000, batchMax: 3, batchBytesMax: 1000 });
    sender.append(named('a', 'b'));
    await sender.flush();
    expect(gate.passed.map(({ events }) => namesOf(events))).toEqual([['a', 'b']]);
    sender.append(named('c', 'd', 'e'));
    await expect.poll(() => gate.passed.length).toBe(2);
    sender.append({ ...named('f')[0]!, properties: { text: 'ü'.repeat(500) } });
    await expect.poll(() => gate.passed.length).toBe(3);
    const late = await open({ delayMs: 20 });
    late.sender.append(named('g'));
    await expect.poll(() => late.gate.passed.length).toBe(1);
  });

  it.each([
    [10, [9, 9, 2]],
    [11, [10, 10]],
  ])('counts the brackets and commas of a body: ten events and %i more bytes', async (more, sizes) => {
    const events = Array.from({ length: 20 }, (_, i) => ({
      ...named('a')[0]!,
      eventTs: Date.UTC(2024, 4, 3),
      insertId: `id-${i + 10}`,
    }));
    const batchBytesMax = 10 * JSON.stringify(events[0]).length + more;
    const { sender, gate } = await open({ batchBytesMax });
    sender.append(events);
    await sender.flush();
    expect(gate.passed.map((each) => each.events.length)).toEqual(sizes);
  });

  it('reports what cannot be JSON, and sends the rest', async () => {
    const { sender, stored, reported } = await open();
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const nothing = { eventName: 'bad', userId: 'ada', toJSON: () => undefined };
    const bad = [null, 'text', [], nothing, { n: Infinity }, { n: 1n }, cyclic].map((properties, i) =>
      i < 4 ? (properties as never) : { eventName: 'bad', userId: 'ada', properties: properties as object },
    );
    sender.append([...named('good'), ...bad]);
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['good']);
    expect(reported).toHaveLength(1);
    expect(reported[0]!.undelivered.map(({ event }) => event)).toEqual(bad);
    expect(reported[0]!.undelivered.slice(0, 5).map(({ reason }) => reason)).toEqual([
      ...Array<string>(3).fill('event: takes an object'),
      'event: is no JSON',
      'n: numbers must be finite, got Infinity',
    ]);
  });

  it('reports the events that the server rejects, each with its reason', async () => {
    const { sender, stored, reported } = await open();
    sender.append([...named('good'), { eventName: '', userId: 'ada' }, { eventName: 'b', userId: '' }]);
    await sender.flush();
    sender.append({ eventName: '', userId: 'bob' });
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['good']);
    expect(reported.map(({ error }) => error.status)).toEqual([200, 400]);
    expect(reported[0]!.undelivered.map(({ reason }) => reason.split(':')[0])).toEqual([
      'eventName',
      'userId',
    ]);
    expect(reported[0]!.error.message).toMatch(/^2 of 3 events were rejected; the first reason: eventName: /);
    expect(reported[1]!.undelivered.map(({ event }) => event.userId)).toEqual(['bob']);
  });

  it('prints what it gives up if nobody listens, and goes on if the listener throws', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => print.mockRestore());
    const alone = createSender({ url: 'http://127.0.0.1:1', tenant: 'shop' });
    alone.append(null as never);
    expect(print.mock.calls).toEqual([
      ['event-query: 1 of 1 events were not appended; the first reason: event: takes an object'],
    ]);
    const { sender, stored } = await open({
      onError: () => {
        throw new Error('of the listener');
      },
    });
    sender.append([null as never, ...named('good')]);
    await sender.flush();
    expect(print).toHaveBeenCalledTimes(2);
    expect(namesOf(await stored())).toEqual(['good']);
  });

  it('flushes at once when nothing waits, and no longer than its signal', async () => {
    const { sender, gate } = await open();
    await sender.flush();
    gate.always('silent');
    sender.append(named('a'));
    const [leaving, reason] = [new AbortController(), new Error('left')];
    const flushed = sender.flush({ signal: leaving.signal });
    leaving.abort(reason);
    await expect(flushed).rejects.toBe(reason);
    await expect(sender.flush({ signal: leaving.signal })).rejects.toBe(reason);
    const other = createSender({ url: gate.url, tenant: 'shop', closeMs: 0, onError: () => undefined });
    other.append(named('b'));
    await other.close();
    gate.always({ status: 404 });
  });
});

describe('a sender and faults', () => {
  it.each([
    'away',
    'cut',
    'half',
    { status: 503 },
    { status: 502 },
    { status: 408 },
    { status: 200, body: '<p>' },
    { status: 200, body: '{"rejected":[null]}' },
  ] as const)('stores each event once after %j', async (fault) => {
    const { sender, stored, gate, reported } = await open();
    gate.next(fault);
    sender.append(named('a', 'b'));
    await sender.flush();
    expect(gate.passed.map((each) => each.fault)).toEqual([fault, 'pass']);
    expect(namesOf(await stored())).toEqual(['b', 'a']);
    expect(reported).toEqual([]);
  });

  it('sends what has come meanwhile when a server is back', async () => {
    const { sender, stored, gate, reported } = await open();
    gate.always('away');
    sender.append(named('a'));
    await expect.poll(() => gate.passed.length).toBeGreaterThan(1);
    sender.append(named('b'));
    gate.always('pass');
    await sender.flush();
    expect(namesOf(gate.passed.at(-1)!.events)).toEqual(['a', 'b']);
    expect(namesOf(await stored())).toEqual(['b', 'a']);
    expect(reported).toEqual([]);
  });

  it('tries again when a server takes too long', async () => {
    const { sender, stored, gate } = await open({ timeoutMs: 500 });
    gate.next('silent');
    sender.append(named('a'));
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['a']);
  });

  it.each([429, 503])('waits as long as Retry-After of a %d says', async (status) => {
    const { sender, gate, stored } = await open();
    gate.next({ status, retryAfter: '1' });
    sender.append(named('a'));
    await sender.flush();
    expect(gate.passed[1]!.atMs - gate.passed[0]!.atMs).toBeGreaterThan(990);
    expect(namesOf(await stored())).toEqual(['a']);
  });

  it('waits twice as long after each failure, up to half a minute, until it succeeds', async () => {
    const time = withoutPauses();
    const { sender, gate, stored } = await open({ fetch: time.fetch, batchMax: 1 });
    gate.next(...Array<Fault>(8).fill({ status: 503 }), 'pass', { status: 503 });
    sender.append(named('a', 'b'));
    await time.settled(sender.flush());
    const longest = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 0, 500];
    const gaps = time.gaps();
    expect(gaps).toHaveLength(longest.length);
    for (const [i, ms] of longest.entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(ms / 2);
      expect(gaps[i]).toBeLessThanOrEqual(ms);
    }
    expect(namesOf(await stored())).toEqual(['b', 'a']);
  });

  it.each([
    ['2', 2000],
    ['-5', 0],
    ['9000000', 86_400_000],
  ])('adds what a Retry-After of %s s says, at most a day', async (retryAfter, toldMs) => {
    const time = withoutPauses();
    const { sender, gate } = await open({ fetch: time.fetch });
    gate.next({ status: 503, retryAfter });
    sender.append(named('a'));
    await time.settled(sender.flush());
    const [gap] = time.gaps();
    expect(gap).toBeGreaterThanOrEqual(toldMs + 250);
    expect(gap).toBeLessThanOrEqual(toldMs + 500);
  });

  it('gives up a batch that the server answers with 500 five times in a row', async () => {
    const time = withoutPauses();
    const { sender, gate, stored, reported } = await open({ fetch: time.fetch, batchMax: 1 });
    gate.next(...Array<Fault>(5).fill({ status: 500 }));
    sender.append(named('a', 'b'));
    await time.settled(sender.flush());
    expect(reported.map(({ error, undelivered }) => [error.status, undelivered.length])).toEqual([[500, 1]]);
    expect(gate.passed.map(({ events }) => namesOf(events).join())).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
    expect(namesOf(await stored())).toEqual(['b']);
  });

  it.each<[string, Fault[]]>([
    ['other failures', [{ status: 503 }, 'away', 'cut', { status: 429 }, { status: 502 }, { status: 500 }]],
    [
      'fewer of them and another failure',
      [...Array<Fault>(4).fill({ status: 500 }), { status: 503 }, { status: 500 }],
    ],
    [
      'those of another batch',
      [...Array<Fault>(4).fill({ status: 500 }), 'pass', ...Array<Fault>(4).fill({ status: 500 })],
    ],
  ])('does not give up for a 500 after %s', async (_what, faults) => {
    const time = withoutPauses();
    const { sender, gate, stored, reported } = await open({ fetch: time.fetch, batchMax: 1 });
    gate.next(...faults);
    sender.append(named('a', 'b'));
    await time.settled(sender.flush());
    expect(reported).toEqual([]);
    expect(namesOf(await stored())).toEqual(['b', 'a']);
  });

  it.each([400, 401, 403, 404, 415])('gives up events that are refused with %d', async (status) => {
    const { sender, gate, stored, reported } = await open();
    gate.next({ status });
    sender.append(named('a', 'b'));
    await sender.flush();
    expect(reported.map(({ error }) => [error.status, error.message])).toEqual([[status, 'disturbed']]);
    expect(namesOf(reported[0]!.undelivered.map(({ event }) => event))).toEqual(['a', 'b']);
    // What was given up has an identity, so that it can be appended again.
    sender.append(reported[0]!.undelivered.map(({ event }) => event));
    sender.append(reported[0]!.undelivered.map(({ event }) => event));
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['b', 'a']);
  });

  it('halves a batch that is too large, and gives up an event that is', async () => {
    const { sender, gate, stored, reported } = await open();
    gate.next({ status: 413 }, { status: 413 }, { status: 413 });
    sender.append(named('a', 'b', 'c', 'd'));
    await sender.flush();
    expect(gate.passed.map(({ events }) => namesOf(events).join(''))).toEqual([
      ...['abcd', 'ab', 'a', 'b', 'c', 'd'],
    ]);
    expect(namesOf(await stored())).toEqual(['d', 'c', 'b']);
    expect(reported.map(({ error }) => error.status)).toEqual([413]);
  });

  it('reports what does not fit into the queue, by count and by bytes', async () => {
    const { sender, gate, stored, reported } = await open({ queueMax: 2 });
    gate.next({ status: 503 });
    sender.append(named('a'));
    sender.append(named('b', 'c', 'd'));
    expect(reported).toHaveLength(1);
    expect(reported[0]!.error.message).toBe(
      '2 of 3 events were not appended; the first reason: the queue is full',
    );
    expect(namesOf(reported[0]!.undelivered.map(({ event }) => event))).toEqual(['c', 'd']);
    await sender.flush();
    sender.append(reported[0]!.undelivered.map(({ event }) => event));
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['d', 'c', 'b', 'a']);
    const small = await open({ queueBytesMax: 100 });
    small.sender.append(named('x'.repeat(100)));
    expect(small.reported).toHaveLength(1);
  });

  it.each([{ queueMax: 2 }, { queueBytesMax: 400 }])(
    'with %j has room again for as much as has left the queue',
    async (bounds) => {
      const { sender, stored, reported } = await open(bounds);
      for (let i = 0; i < 5; i++) {
        sender.append(named(`a ${i}`, `b ${i}`));
        await sender.flush();
      }
      expect(reported).toEqual([]);
      expect(await stored()).toHaveLength(10);
    },
  );

  it('closes within its time and reports what a dead server has not stored', async () => {
    const { sender, gate, reported } = await open({ closeMs: 50 });
    gate.always('silent');
    sender.append(named('a'));
    await expect.poll(() => gate.passed.length).toBe(1);
    sender.append(named('b'));
    await Promise.all([sender.close(), sender.close()]);
    expect(reported).toHaveLength(1);
    expect(namesOf(reported[0]!.undelivered.map(({ event }) => event))).toEqual(['a', 'b']);
    expect(reported[0]!.error.message).toMatch(
      /^the sender was closed, and not everything was sent within 50 ms/,
    );
    sender.append(named('c'));
    expect(reported[1]!.undelivered).toMatchObject([{ reason: 'the sender is closed' }]);
    await sender.flush();
  });

  it('closes while it waits to try again', async () => {
    const { sender, gate, reported } = await open({ closeMs: 50 });
    gate.always({ status: 429, retryAfter: '3600' });
    sender.append(named('a'));
    await expect.poll(() => gate.passed.length).toBe(1);
    await sender.close();
    expect(reported.map(({ error }) => error.status)).toEqual([429]);
  });

  it('reports once what is refused by an answer that does not end', async () => {
    const { sender, gate, reported } = await open({ closeMs: 50 });
    gate.next({ status: 400, isBegun: true });
    sender.append(named('a'));
    await expect.poll(() => gate.passed.length).toBe(1);
    await sender.close();
    expect(reported.map(({ error, undelivered }) => [error.status, undelivered.length])).toEqual([[400, 1]]);
  });

  it('sends all that is left when it is closed', async () => {
    const { sender, stored } = await open({ delayMs: 600_000, batchMax: 2 });
    sender.append(named('a', 'b', 'c'));
    await sender.close();
    expect(namesOf(await stored())).toEqual(['c', 'b', 'a']);
  });
});

describe('a sender and credentials', () => {
  it('has a secret key where servers send only', async () => {
    const { sender, stored, gate } = await open({}, async (tenant) => {
      await server.admin.updateTenant(tenant, { authStrategy: 'SERVER_SIDE' });
      const key = await server.admin.createKey(tenant, { name: 'backend', permissions: ['ingest'] });
      return { secretKey: key.secret };
    });
    sender.append(named('a'));
    await sender.flush();
    expect(gate.passed[0]!.authorization).toMatch(/^Chase eqk_/);
    expect(namesOf(await stored())).toEqual(['a']);
  });
});

describe('a sender and tokens', () => {
  const jwt = { issuer: 'https://issuer.example', audience: 'events', publicKeyPem: signer.publicKeyPem };
  const sign = (claims: object = {}) =>
    signer.sign({ iss: jwt.issuer, aud: jwt.audience, sub: 'ada', exp: Date.now() / 1000 + 600, ...claims });
  const openWith = (getToken: NonNullable<SenderOptions['getToken']>, options: Partial<SenderOptions> = {}) =>
    open(options, async (tenant) => {
      await server.admin.updateTenant(tenant, { authStrategy: 'JWT', jwt });
      return { getToken };
    });

  it('asks for a new token after a 401, once for each batch', async () => {
    const asked: boolean[] = [];
    const { sender, stored, reported } = await openWith(({ refresh }) => {
      asked.push(refresh);
      return sign(refresh ? {} : { exp: 1 });
    });
    sender.append([...named('a'), { eventName: 'b', userId: 'bob' }]);
    await sender.flush();
    expect(asked).toEqual([false, true]);
    expect(namesOf(await stored())).toEqual(['a']);
    expect(reported.map(({ undelivered }) => undelivered.map(({ reason }) => reason))).toEqual([
      ['userId: must equal the sub claim of the access token'],
    ]);
  });

  it('asks for a kept token again for the next batch, which may be refused too', async () => {
    const asked: boolean[] = [];
    const { sender, gate, stored, reported } = await openWith(
      ({ refresh }) => {
        asked.push(refresh);
        return sign();
      },
      { batchMax: 1 },
    );
    gate.next({ status: 401 }, 'pass', { status: 401 }, 'pass');
    sender.append(named('a', 'b'));
    await sender.flush();
    expect(asked).toEqual([false, true, false, true]);
    expect(namesOf(await stored())).toEqual(['b', 'a']);
    expect(reported).toEqual([]);
  });

  it('gives up what is refused with the new token too', async () => {
    const { sender, stored, reported, gate } = await openWith(() => sign({ exp: 1 }));
    sender.append(named('a'));
    await sender.flush();
    expect(gate.passed).toHaveLength(2);
    expect(reported.map(({ error }) => error.status)).toEqual([401]);
    expect(await stored()).toEqual([]);
  });

  it('tries again without a token, for which it waits no longer than for a request', async () => {
    const tokens: (() => string | Promise<string>)[] = [
      () => Promise.reject(new Error('the provider is away')),
      () => 'no word',
      () => new Promise(() => undefined),
      sign,
    ];
    const { sender, stored, reported } = await openWith(() => tokens.shift()!(), { timeoutMs: 500 });
    sender.append(named('a'));
    await sender.flush();
    expect(namesOf(await stored())).toEqual(['a']);
    expect(reported).toEqual([]);
  });

  it('closes in time while it waits for a token', async () => {
    const { sender, reported } = await openWith(() => new Promise(() => undefined), { closeMs: 50 });
    sender.append(named('a'));
    await sender.close();
    expect(reported.map(({ error }) => error.message)).toEqual([
      'the sender was closed, and not everything was sent within 50 ms: getToken gave no token',
    ]);
  });
});

describe('the options of a sender', () => {
  const right = { url: 'http://127.0.0.1:1', tenant: 'shop' };
  it.each<[object | undefined, string]>([
    [undefined, 'createSender needs url and tenant; got nothing'],
    [{ url: right.url }, 'createSender needs tenant; got url'],
    ...['shop', 'ftp://h', 'http://h/?', 'http://h/#a', 'https://u:p@h'].map((url): [object, string] => [
      { ...right, url },
      'createSender: url takes an address of http or https, such as http://127.0.0.1:8787',
    ]),
    [{ ...right, secretKey: 'a b' }, 'createSender: secretKey takes a secret key of the tenant'],
    [{ ...right, secretKey: '' }, 'createSender: secretKey takes a secret key of the tenant'],
    [{ ...right, getToken: 'a' }, 'createSender: getToken takes a function that gives an access token'],
    [
      { ...right, getToken: () => 'a', secretKey: 'b' },
      'createSender: takes secretKey or getToken, not both',
    ],
    [{ ...right, onError: 1 }, 'createSender: onError takes a function'],
    [{ ...right, delayMs: '5' }, 'createSender: delayMs takes a whole number from 0 to 2147483647, got "5"'],
    [
      { ...right, queueMax: 0 },
      'createSender: queueMax takes a whole number from 1 to 9007199254740991, got 0',
    ],
    [
      { ...right, timeoutMs: 1.5 },
      'createSender: timeoutMs takes a whole number from 1 to 2147483647, got 1.5',
    ],
    [
      { ...right, batchsize: 1 },
      'createSender: unknown option batchsize; use one of url, tenant, secretKey, getToken, onError, ' +
        'fetch, timeoutMs, batchMax, batchBytesMax, delayMs, queueMax, queueBytesMax, closeMs',
    ],
  ])('%j: %s', (options, message) => {
    expect(() => createSender(options as SenderOptions)).toThrow(new TypeError(message));
  });
});

it('a sender knows how many events the server takes', () => {
  const sender = { url: 'http://127.0.0.1:1', tenant: 'shop' };
  createSender({ ...sender, batchMax: BATCH_EVENTS_MAX });
  expect(() => createSender({ ...sender, batchMax: BATCH_EVENTS_MAX + 1 })).toThrow(
    new TypeError('createSender: batchMax takes a whole number from 1 to 2000, got 2001'),
  );
});

describe('a page that is left', () => {
  /** Lets the code run in a page; the function hides it. */
  function openPage(): () => void {
    const [page, document] = [
      new EventTarget(),
      Object.assign(new EventTarget(), { visibilityState: 'visible' }),
    ];
    vi.stubGlobal('window', page);
    vi.stubGlobal('document', document);
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
    onTestFinished(() => void vi.unstubAllGlobals());
    return () => {
      document.visibilityState = 'hidden';
      document.dispatchEvent(new Event('visibilitychange'));
    };
  }

  it('sends a copy again that did not arrive when it was left before', async () => {
    const hide = openPage();
    let [isOnline, tried, sent] = [false, 0, 0];
    const { sender, stored } = await open({
      fetch: (url, init) => {
        tried += 1;
        if (!isOnline) return Promise.reject(new TypeError('offline'));
        sent += 1;
        return fetch(url, init);
      },
    });
    sender.append({ eventName: 'left', userId: 'ada' });
    await vi.waitFor(() => expect(tried).toBe(1));
    hide();
    expect(tried).toBe(2);
    await new Promise(setImmediate);

    isOnline = true;
    hide();
    expect(sent).toBe(1);
    await vi.waitFor(async () => expect(await stored()).toHaveLength(1));
  });

  it('sends no more at once than a browser lets outlive it, whenever the copies were made', async () => {
    const hide = openPage();
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    let isHeld = true;
    const { sender } = await open({
      fetch: async (_url, { body } = {}) => {
        sent.push((JSON.parse(body as string) as EventInput[]).map(({ eventName }) => eventName).join());
        if (isHeld) await new Promise<void>((resolve) => answers.push(resolve));
        return new Response('{"rejected":[]}');
      },
    });
    onTestFinished(() => {
      isHeld = false;
      for (const answer of answers) answer();
    });
    const append = (eventName: string, size: number) =>
      sender.append({ eventName, userId: 'ada', properties: { text: 'x'.repeat(size) } });
    append('first', 1000);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    append('second', 30_000);
    hide();
    expect(sent).toEqual(['first', 'second']);
    append('third', 35_000);
    hide();
    expect(sent).toEqual(['first', 'second']);
    // When the copy has arrived, there is room again.
    answers[1]!();
    await new Promise(setImmediate);
    hide();
    expect(sent).toEqual(['first', 'second', 'third']);
  });
});
