import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../adapters/client/index.ts';
import { memoryStores } from '../../../adapters/memory/index.ts';
import { createNodeServer } from '../../../adapters/node-http/index.ts';
import { createApi, type Event, type TenantQuestions } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

type Asker = TenantQuestions<AbortSignal>;

/** The first elements of what is asked for. */
async function take<T>(found: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const each of found) if (taken.push(each) === count) break;
  return taken;
}

const BODY = { filterSet: [{ property: 'properties.n', comparison: 'GREATER_THAN', value: 3 }] } as const;

/** Each question, asked in the same words in process and over HTTP. */
const QUESTIONS: { readonly [Name in keyof Asker]: (shop: Asker) => Promise<unknown> } = {
  query: (shop) => shop.query({ ...BODY, include: ['receivedAt'], pagination: { size: 5 } }),
  count: async (shop) => [await shop.count(), await shop.count(BODY)],
  top: (shop) => shop.top({ ...BODY, of: 'properties.n', size: 3 }),
  breakdown: (shop) => shop.breakdown({ ...BODY, by: 'properties.n', size: 3, distinct: 'userId' }),
  sequence: (shop) =>
    shop.sequence({
      steps: [{ event: 'a' }, { event: 'b', ...BODY }],
      ...{ within: '1h', by: 'properties.n', size: 3, percentiles: ['p50'] },
    }),
  userPage: (shop) => shop.userPage({ having: [{ ...BODY, atLeast: 2 }], pagination: { size: 2 } }),
  compare: (shop) => shop.compare({ selected: BODY, size: 3 }),
  users: (shop) =>
    take(
      shop.users({ sequence: { steps: [{ event: 'a' }, BODY], reached: 2 }, pagination: { size: 1 } }),
      Infinity,
    ),
  retention: (shop) => shop.retention({ steps: [{ event: 'a' }, BODY], unit: 'day', periods: 3 }),
  properties: async (shop) => [await shop.properties(), await shop.properties({ event: 'a' })],
  explain: async (shop) => [
    await shop.explain(BODY),
    await shop.explain({ ...BODY, question: 'breakdown', by: 'properties.n' }),
    await shop.explain({ question: 'sequence', steps: [{ event: 'a' }, BODY] }),
  ],
  eventNames: (shop) => shop.eventNames(),
  pages: (shop) => take(shop.pages({ ...BODY, pagination: { size: 7 } }), Infinity),
  events: (shop) => take(shop.events(BODY), Infinity),
  export: (shop) => take(shop.export({ include: ['receivedAt'] }), Infinity),
  since: async (shop) => {
    const now = await shop.since();
    return [now, await shop.since(BODY, { position: now.position.replace(/\d+$/, '0') })];
  },
  tail: async (shop) => {
    const positions: string[] = [];
    const { position } = await shop.since();
    const onPosition = (next: string) => positions.push(next);
    const tail = shop.tail(BODY, { position: position.replace(/\d+$/, '5'), onPosition });
    return [await take(tail, 8), positions];
  },
};

async function openShop() {
  const resources = testResources();
  const api = createApi({ stores: memoryStores({ resources }), resources });
  const { admin } = api;
  await admin.createTenant({ alias: 'shop', plan: 'growth' });
  const { secret } = await admin.createKey('shop', { name: 'k', permissions: ['query'] });
  const own = await api.tenant('shop');
  const events = Array.from({ length: 40 }, (_, i) => ({
    ...{ eventName: 'ab'.charAt(i % 2), userId: `u${i % 3}`, insertId: `i${i}`, eventTs: 1e12 + i * 1000 },
    properties: { n: i % 10, 'a key': [i], 10: i, 9: { z: 1, a: null } },
  }));
  await own.append(events);
  const server = createNodeServer({ api });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const client = createClient({ url: `http://127.0.0.1:${port}`, tenant: 'shop', apiKey: secret });
  return { own: own as Asker, keyed: (await api.tenant('shop', { key: secret })) as Asker, client };
}

it.each(Object.entries(QUESTIONS))('%s answers the same in process and over HTTP', async (_, ask) => {
  const { own, keyed, client } = await openShop();
  const answer = JSON.parse(JSON.stringify(await ask(client))) as Event;
  expect(JSON.parse(JSON.stringify(await ask(own)))).toEqual(answer);
  expect(JSON.parse(JSON.stringify(await ask(keyed)))).toEqual(answer);
});

/** A question to which a signal can be given, and a body. */
type Aborted = (shop: Asker, signal: AbortSignal) => Promise<unknown>;

const ABORTED: Readonly<
  Record<Exclude<keyof Asker, 'pages' | 'events' | 'users' | 'export' | 'tail'>, Aborted>
> = {
  query: (shop, signal) => shop.query(BODY, { signal }),
  count: (shop, signal) => shop.count(BODY, { signal }),
  top: (shop, signal) => shop.top({ of: 'properties.n' }, { signal }),
  breakdown: (shop, signal) => shop.breakdown({ by: 'properties.n' }, { signal }),
  sequence: (shop, signal) => shop.sequence({ steps: [{}] }, { signal }),
  retention: (shop, signal) => shop.retention({ steps: [{}, {}], unit: 'day' }, { signal }),
  userPage: (shop, signal) => shop.userPage({}, { signal }),
  compare: (shop, signal) => shop.compare({ selected: {} }, { signal }),
  properties: (shop, signal) => shop.properties({}, { signal }),
  explain: (shop, signal) => shop.explain(BODY, { signal }),
  eventNames: (shop, signal) => shop.eventNames({ signal }),
  since: (shop, signal) => shop.since(BODY, { signal }),
};

it.each(Object.entries(ABORTED))('%s ends with the reason of its signal on both surfaces', async (_, ask) => {
  const { own, client } = await openShop();
  const reason = new Error('enough');
  for (const shop of [own, client]) await expect(ask(shop, AbortSignal.abort(reason))).rejects.toBe(reason);
});

it('both surfaces have each question, and no other', async () => {
  const { keyed, client } = await openShop();
  expect(Object.keys(keyed).sort()).toEqual(Object.keys(QUESTIONS).sort());
  expect(Object.keys(client).sort()).toEqual(Object.keys(QUESTIONS).sort());
});
