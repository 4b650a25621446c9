import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REFUSAL_REASONS } from '../../../src/core/access/refusal.ts';
import { aborted, type Stores } from '../../../src/index.ts';
import type { ToldRefusal } from '../../../src/store-kit.ts';
import { createPlainApi, toRequest, type PlainApi } from '../../support/plain-api.ts';
import { signIn } from '../http/admin/visitors.ts';
import { recordsIn } from '../../../src/core/access/records.ts';
import { failingFor, puts } from '../../support/failing-control.ts';

const PATH = '/v1/events/shop/multi';
const MARK = 'MARKED';
const json = { 'content-type': 'application/json' };

/** What the Admin API shows of a tenant, which has to be documented. */
async function shown(api: PlainApi, alias = 'shop'): Promise<readonly ToldRefusal[]> {
  const { ask } = await signIn(api, 'viewer');
  const { status, body } = await ask(`refusals/${alias}`);
  expect([status, body]).toMatchObject([200, /^\[/]);
  return JSON.parse(body) as readonly ToldRefusal[];
}

/** How many of each reason. */
const countsOf = (refusals: readonly ToldRefusal[]) =>
  Object.fromEntries(refusals.map(({ reason, count }) => [reason, count]));

/** Makes the tenant `shop`, whose senders show a secret; the header that has it. */
async function createServerTenant(api: PlainApi): Promise<Readonly<Record<string, string>>> {
  await api.createTenant('shop');
  await api.admin.updateTenant('shop', { authStrategy: 'SERVER_SIDE' });
  const { secret } = await api.admin.createKey('shop', { name: 'server', permissions: ['ingest'] });
  return { ...json, authorization: `Chase ${secret}` };
}

/** Events by the reason for which they are refused; of `good` none is. */
const EVENTS: Readonly<Record<string, unknown>> = {
  good: { eventName: 'a', userId: 'u' },
  eventName: { eventName: '', userId: MARK },
  userId: { eventName: MARK, userId: MARK.repeat(50) },
  eventTs: { eventName: MARK, userId: MARK, eventTs: `${MARK} at noon` },
  insertId: { eventName: MARK, userId: MARK, eventTs: 1e12, insertId: `${MARK}\n` },
  properties: { eventName: MARK, userId: MARK, properties: { deep: { key: `${MARK}\u0000` } } },
  eventDate: { eventName: MARK, userId: MARK, eventDate: MARK },
  event: { eventName: MARK, userId: MARK, moment: MARK },
};

/** Requests by the reason for which they are refused as a whole. */
const REQUESTS: Readonly<Record<string, { headers?: Record<string, string>; body: string }>> = {
  notJson: { body: `[{"eventName": ${MARK}]` },
  invalidRequest: { body: `{"${MARK}": 1}` },
  unsupportedMediaType: { headers: { 'content-type': `text/${MARK}` }, body: MARK },
  invalidSecret: { headers: { authorization: `Chase ${MARK}` }, body: MARK },
};

describe('the ledger of refusals', () => {
  it('adds up to what was refused, one row for each reason, and holds nothing of a value', async () => {
    const batches = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { minLength: 1, maxLength: 12 });
    const todo = fc.array(fc.oneof(batches, fc.constantFrom(...Object.keys(REQUESTS))), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(todo, async (all) => {
        const api = createPlainApi();
        const headers = await createServerTenant(api);
        const expected: Record<string, number> = {};
        const add = (reason: string) => (expected[reason] = (expected[reason] ?? 0) + 1);
        for (const one of all) {
          if (typeof one === 'string') {
            const request = REQUESTS[one]!;
            add(one);
            const answer = await api.send({
              ...{ target: PATH, body: request.body, headers: { ...headers, ...request.headers } },
            });
            expect(answer.status).toBeGreaterThanOrEqual(400);
            continue;
          }
          for (const reason of one) if (reason !== 'good') add(reason);
          await api.post(
            PATH,
            one.map((reason) => EVENTS[reason]),
            headers,
          );
        }
        const refusals = await shown(api);
        expect(countsOf(refusals)).toEqual(expected);
        expect(JSON.stringify(refusals)).not.toContain(MARK);
        const stored = await recordsIn(api.stores.control).refusals.list(
          (await api.admin.getTenant('shop')).id,
        );
        expect(stored.length).toBe(refusals.length);
        for (const { reason, of, example } of refusals) {
          expect(of).toBe(reason in EVENTS ? 'events' : 'requests');
          expect(example === null).toBe(of === 'requests');
        }
      }),
      { numRuns: 30 },
    );
  });

  it('says where the event was wrong, of what type and length its values were', async () => {
    const api = createPlainApi();
    const headers = await createServerTenant(api);
    const firstAt = api.clock.now();
    await api.post(PATH, [EVENTS.properties], headers);
    api.clock.advance(5000);
    await api.post(PATH, [EVENTS.properties, EVENTS.good, EVENTS.properties], headers);
    const [refusal, ...others] = await shown(api);
    expect(others).toEqual([]);
    expect(refusal!.why).toMatch(/^properties takes an object with at most 64 levels .*U\+0000\.$/);
    expect({ ...refusal, why: '' }).toEqual({
      ...{ reason: 'properties', of: 'events', why: '', count: 3, firstAt, lastAt: firstAt + 5000 },
      example: {
        ...{ type: 'object', length: 3, where: 'properties.deep.key', more: 0 },
        fields: [
          { key: 'eventName', type: 'string', length: 6 },
          { key: 'userId', type: 'string', length: 6 },
          { key: 'properties', type: 'object', length: 1 },
          { key: 'properties.deep', type: 'object', length: 1 },
        ],
      },
    });
  });

  it('keeps no example where anybody may send, and no row that a stranger invents', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const bad = fc.oneof(
      fc.json().map((body) => ({ headers: json, body })),
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())).map((all) => ({
        ...{ headers: json, body: JSON.stringify(all) },
      })),
      fc.string().map((text) => ({ headers: { ...json, 'idempotency-key': text }, body: '[{}]' })),
      fc.string().map((text) => ({ headers: { 'content-type': text }, body: text })),
    );
    await fc.assert(
      fc.asyncProperty(bad, async (request) => {
        await api.send({ target: PATH, ...request });
      }),
      { numRuns: 1000 },
    );
    const refusals = await shown(api);
    expect(refusals.length).toBeGreaterThan(3);
    expect(refusals.map(({ example }) => example)).toEqual(refusals.map(() => null));
    for (const { reason } of refusals) expect(REFUSAL_REASONS).toContain(reason);
    expect(REFUSAL_REASONS.length).toBeLessThanOrEqual(50);
  });

  it('keeps no example of what was sent with a public write key, which anybody may copy', async () => {
    const api = createPlainApi();
    const headers = await createServerTenant(api);
    const restrictions = { origins: ['*'] };
    const key = { name: 'web', permissions: ['write'], restrictions } as const;
    const { secret } = await api.admin.createKey('shop', key);
    const send = (more: Readonly<Record<string, string>>) => api.post(PATH, [EVENTS.properties], more);
    await send({ authorization: `Chase ${secret}` });
    expect(await shown(api)).toMatchObject([{ reason: 'properties', count: 1, example: null }]);
    await send(headers);
    expect(await shown(api)).toMatchObject([{ count: 2, example: { where: 'properties.deep.key' } }]);
  });

  it('counts what the limits refuse, and nothing of a tenant that does not exist', async () => {
    const api = createPlainApi();
    await api.createTenant('shop', { ingestion: { eventsPerMinute: 1, bytesPerMinute: 1000 } });
    for (let i = 0; i < 3; i++) await api.post(PATH, [EVENTS.good]);
    await api.post('/v1/events/nobody/multi', [EVENTS.good]);
    expect(countsOf(await shown(api))).toEqual({ rateLimited: 2 });
  });

  it('counts events that are over the number of names, and those of the program itself', async () => {
    const api = createPlainApi({ eventNamesMax: 1 });
    await api.createTenant('shop');
    const names = ['a', 'b', 'c', 'a'].map((eventName) => ({ eventName, userId: 'u' }));
    await api.post(PATH, names);
    const shop = await api.tenant('shop');
    await expect(shop.append([{ eventName: '', userId: 'u' }])).rejects.toThrow('No event was accepted');
    const refusals = await shown(api);
    expect(countsOf(refusals)).toEqual({ names: 2, eventName: 1 });
    expect(refusals.find(({ reason }) => reason === 'eventName')!.example).toMatchObject({
      where: 'eventName',
    });
  });

  it('is cleared by who may change the tenant, which is noted, and not by who may read it', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    await api.post(PATH, [{}]);
    const viewer = await signIn(api, 'viewer');
    expect((await viewer.ask('refusals/clear/shop', {})).status).toBe(403);
    expect(await shown(api)).toHaveLength(1);
    const { id } = await api.admin.getTenant('shop');
    const admin = await signIn(api, 'admin', [id]);
    expect((await admin.ask('refusals/clear/shop', { all: true })).status).toBe(400);
    expect(await admin.ask('refusals/clear/shop', {})).toMatchObject({ status: 200, body: '{}\n' });
    expect(await shown(api)).toEqual([]);
    const { body } = await admin.ask('audit');
    expect((JSON.parse(body) as { entries: object[] }).entries[0]).toMatchObject({
      ...{ action: 'refusals.clear', alias: 'shop', who: 'a admin' },
    });
    const stranger = await signIn(api, 'viewer', ['another']);
    expect((await stranger.ask('refusals/shop')).status).toBe(404);
  });

  it('goes with its tenant, also where something was refused meanwhile', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const { id } = await api.admin.getTenant('shop');
    await api.post(PATH, [{}]);
    await api.flushCounts();
    expect(await recordsIn(api.stores.control).refusals.list(id)).toHaveLength(1);
    // The process that deletes is another one than the process that counts.
    await api.post(PATH, [{}]);
    await api.admin.deleteTenant('shop');
    expect(await recordsIn(api.stores.control).refusals.list(id)).toEqual([]);
    await api.flushCounts();
    expect(await recordsIn(api.stores.control).refusals.list(id)).toEqual([]);
  });

  it('loses its examples when events are erased on request, and keeps its counts', async () => {
    const api = createPlainApi();
    const headers = await createServerTenant(api);
    await api.post(PATH, [EVENTS.userId], headers);
    const { id } = await api.admin.getTenant('shop');
    await api.flushCounts();
    await api.post(PATH, [EVENTS.userId, EVENTS.eventTs], headers);
    await (await api.tenant('shop')).erase({ event: 'other' });
    expect(await shown(api)).toMatchObject([
      { reason: 'eventTs', count: 1, example: null },
      { reason: 'userId', count: 2, example: null },
    ]);
    expect((await recordsIn(api.stores.control).refusals.list(id)).map(({ example }) => example)).toEqual([
      null,
      null,
    ]);
  });

  it('keeps what a store could not take and adds it once, and says so once', async () => {
    let isAway = true;
    const wrap = (stores: Stores) => failingFor(stores, (change) => isAway && puts(change, 'refusals'));
    const api = createPlainApi({ wrap });
    await api.createTenant('shop');
    for (let i = 0; i < 3; i++) {
      await api.post(PATH, [{}, {}]);
      await api.flushCounts();
    }
    isAway = false;
    await Promise.all([api.flushCounts(), api.flushCounts()]);
    expect(countsOf(await shown(api))).toEqual({ eventName: 6 });
    const told = api.log.entries.filter(({ message }) => message.includes('refusals'));
    expect(told).toMatchObject([{ level: 'error', message: /kept and tried again/ }]);
  });

  it('adds what is stored once, where that of another tenant could not be stored after it', async () => {
    let away: string | undefined;
    const wrap = (stores: Stores) =>
      failingFor(stores, (change) => away !== undefined && puts(change, 'refusals', away));
    const api = createPlainApi({ wrap });
    for (const alias of ['shop', 'other']) {
      await api.createTenant(alias);
      await api.post(`/v1/events/${alias}/multi`, [{}]);
    }
    away = (await api.admin.getTenant('other')).id;
    await api.flushCounts();
    away = undefined;
    await api.flushCounts();
    expect(countsOf(await shown(api, 'shop'))).toEqual({ eventName: 1 });
    expect(countsOf(await shown(api, 'other'))).toEqual({ eventName: 1 });
  });

  it('counts nothing of a client that left while its body came: it was refused nothing', async () => {
    const api = createPlainApi();
    await api.createTenant('shop');
    const leaving = { target: PATH, headers: json, body: () => Promise.reject(aborted()) };
    expect((await api.handler(toRequest(leaving))).status).toBe(499);
    expect(await shown(api)).toEqual([]);
  });
});
