import { describe, expect, it, vi } from 'vitest';
import type { Stores } from '../../../../src/index.ts';
import { createPlainApi, type PlainAnswer } from '../../../support/plain-api.ts';
import { createTestClock } from '../../../support/test-server.ts';

const PATH = '/v1/api/query/tail/acme';
const event = (insertId: string, more: object = {}) => ({
  ...{ eventName: 'a', userId: 'u', eventTs: Date.UTC(2024, 4, 18), insertId },
  ...more,
});

async function openShop(options: Parameters<typeof createPlainApi>[0] = {}, isClosing?: () => boolean) {
  const api = createPlainApi(options);
  const key = await api.createTenant('acme');
  const shop = await api.tenant('acme');
  const signal = { aborted: false };
  const ask = (position?: string, body: unknown = {}) =>
    api.send({
      target: PATH,
      signal,
      ...(isClosing === undefined ? {} : { isClosing }),
      headers: {
        ...{ 'x-api-key': key, 'content-type': 'application/json' },
        ...(position === undefined ? {} : { 'x-tail-position': position }),
      },
      body: JSON.stringify(body),
    });
  return { ...api, key, shop, ask, signal };
}

const idsOf = ({ body }: PlainAnswer) =>
  (JSON.parse(body) as { insertId: string }[]).map(({ insertId }) => insertId);
const positionOf = ({ headers }: PlainAnswer) => headers['X-Tail-Position'] ?? '';

describe('the tail', () => {
  it('waits for what arrives, and goes on behind it', async () => {
    let looks = 0;
    const wrap = (stores: Stores) => {
      const events = stores.events;
      const since: typeof events.since = (...args) => events.since!(...args).finally(() => (looks += 1));
      return { ...stores, events: { ...events, since } };
    };
    const { shop, ask } = await openShop({ wrap });
    await shop.append([event('before')]);
    const waiting = ask();
    await expect.poll(() => looks).toBeGreaterThan(0);
    await shop.append([event('1'), event('other', { eventName: 'b' })]);
    const first = await waiting;
    expect([first.status, idsOf(first)]).toEqual([200, ['1', 'other']]);
    await shop.append([event('late', { eventTs: Date.UTC(2001, 0, 1) }), event('2')]);
    const second = await ask(positionOf(first));
    expect(idsOf(second)).toEqual(['late', '2']);
    expect(idsOf(await ask(positionOf(first), { after: '2024-05-18' }))).toEqual(['2']);
  });

  it('waits no longer than somebody prefers, and nothing is lost behind such an answer', async () => {
    const { shop, send, ask, key } = await openShop();
    const preferring = (prefer: string) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json', prefer };
      return send({ target: PATH, headers, body: '{}' });
    };
    const began = performance.now();
    const first = await preferring('wait=0');
    expect([first.status, idsOf(first)]).toEqual([200, []]);
    await shop.append([event('1')]);
    expect(idsOf(await ask(positionOf(first)))).toEqual(['1']);
    for (const prefer of ['respond-async, WAIT = "1"', 'wait=1; x']) {
      expect((await preferring(prefer)).body).toBe('[]\n');
    }
    // Each would wait for 25 seconds.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(performance.now() - began).toBeGreaterThan(1_500);
  });

  it('answers at once where the server ends, and nobody where the client has gone', async () => {
    const { ask } = await openShop({}, () => true);
    const began = performance.now();
    expect(idsOf(await ask())).toEqual([]);
    // It would wait for 25 seconds.
    expect(performance.now() - began).toBeLessThan(10_000);
    const leaving = await openShop();
    const waiting = leaving.ask();
    leaving.signal.aborted = true;
    expect((await waiting).status).toBe(499);
  });

  it('refuses a position that is none, and a store that knows no order', async () => {
    const { ask } = await openShop();
    const refused = await ask('5');
    const error = 'X-Tail-Position: takes the position of the answer before, unchanged';
    expect([refused.status, JSON.parse(refused.body)]).toEqual([400, { error }]);
    const wrap = (stores: Stores) => {
      const events = { ...stores.events };
      delete events.since;
      return { ...stores, events };
    };
    const without = await openShop({ wrap });
    const answer = await without.ask();
    const cannot = 'This store cannot tell in which order events arrived.';
    expect([answer.status, JSON.parse(answer.body)]).toEqual([501, { error: cannot }]);
  });

  it('shares its 250 places by tenant, and takes no token from who gets none', async () => {
    let wake: () => void = () => undefined;
    let sleeping = 0;
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const sleep = async () => {
      sleeping += 1;
      await woken;
    };
    const { send, createTenant, tenant } = createPlainApi({ resources: { runtime: { sleep } } });
    const limits = { perMinute: 126, perDay: 10_000 };
    const keys = new Map<string, string>();
    for (const alias of ['acme', 'other']) {
      keys.set(alias, await createTenant(alias, { plan: 'custom', limits }));
    }
    const signal = { aborted: false };
    const tail = (alias: string, position?: string) => {
      const target = `/v1/api/query/tail/${alias}`;
      const headers = {
        ...{ 'x-api-key': keys.get(alias)!, 'content-type': 'application/json' },
        ...(position === undefined ? {} : { 'x-tail-position': position }),
      };
      return send({ target, headers, body: '{}', signal });
    };
    // One alone has as many places as it leaves free.
    const waiting = Array.from({ length: 125 }, () => tail('acme'));
    await vi.waitFor(() => expect(sleeping).toBe(125), { timeout: 30_000 });
    const first = await tail('acme');
    expect([first.status, idsOf(first), first.headers['X-RateLimit-Remaining']]).toEqual([200, [], '1']);
    expect((await tail('acme', positionOf(first))).headers['X-RateLimit-Remaining']).toBe('1');
    waiting.push(tail('other'));
    await vi.waitFor(() => expect(sleeping).toBe(126), { timeout: 30_000 });
    // What it is given it pays for.
    await (await tenant('acme')).append([event('1')]);
    const found = await tail('acme', positionOf(first));
    expect([idsOf(found), found.headers['X-RateLimit-Remaining']]).toEqual([['1'], '0']);
    expect((await tail('acme', positionOf(first))).status).toBe(429);
    signal.aborted = true;
    wake();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(126).fill(499));
  });

  it('ends with its key, and looks no more for a client that has gone', async () => {
    let wake: () => void = () => undefined;
    let woken: Promise<void> | undefined;
    let [looks, sleeping] = [0, 0];
    const rest = () => void (woken = new Promise((resolve) => (wake = resolve)));
    // A store need not heed the signal.
    const wrap = (stores: Stores) => {
      const since: Stores['events']['since'] = (tenantId, query, position, size) => {
        looks += 1;
        return stores.events.since!(tenantId, query, position, size);
      };
      return { ...stores, events: { ...stores.events, since } };
    };
    const sleep = async () => {
      sleeping += 1;
      await woken;
    };
    const clock = createTestClock();
    const resources = { runtime: { now: () => clock.now(), sleep } };
    const { ask, shop, signal, admin } = await openShop({ wrap, resources });
    rest();
    const leaving = ask();
    await vi.waitFor(() => expect(sleeping).toBe(1), { timeout: 30_000 });
    signal.aborted = true;
    wake();
    expect((await leaving).status).toBe(499);
    expect(looks).toBe(1);
    signal.aborted = false;
    rest();
    const revoked = ask();
    await vi.waitFor(() => expect(sleeping).toBe(2), { timeout: 30_000 });
    await shop.append([event('secret')]);
    const [key] = await admin.listKeys('acme');
    await admin.revokeKey('acme', key!.id);
    clock.advance(1);
    wake();
    const answer = await revoked;
    expect([answer.status, answer.body.includes('secret')]).toEqual([401, false]);
  });

  it('answers with where to go on when it has looked at much in vain', async () => {
    const { shop, ask } = await openShop();
    for (let from = 0; from < 40_000; from += 2000) {
      await shop.append(Array.from({ length: 2000 }, (_, i) => event(`${from + i}`)));
    }
    const first = await ask('999.1', { event: 'nobody' });
    expect([first.status, idsOf(first), positionOf(first).split('.')[1]]).toEqual([200, [], '32768']);
    expect(idsOf(await ask(positionOf(first)))).toHaveLength(1000);
  });

  it('lets as many wait as have places, and is there for others when they have their answers', async () => {
    let wake: () => void = () => undefined;
    let [sleeping, sleepers] = [0, 125];
    let woken = new Promise<void>((resolve) => (wake = resolve));
    const sleep = async () => {
      sleeping += 1;
      if (sleeping > sleepers) throw new Error('too many wait');
      await woken;
    };
    const { ask, signal } = await openShop({ resources: { runtime: { sleep } } });
    const fill = () => Array.from({ length: 125 }, () => ask());
    const waiting = fill();
    await vi.waitFor(() => expect(sleeping).toBe(125), { timeout: 30_000 });
    expect((await ask()).status).toBe(200);
    signal.aborted = true;
    wake();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(125).fill(499));
    signal.aborted = false;
    woken = new Promise((resolve) => (wake = resolve));
    sleepers = 126;
    const again = ask();
    await Promise.race([again, vi.waitFor(() => expect(sleeping).toBe(126), { timeout: 30_000 })]);
    signal.aborted = true;
    wake();
    expect((await again).status).toBe(499);
  });
});
