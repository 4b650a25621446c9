import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createEngine, isAborted, type EventInput } from '../../../src/index.ts';
import { testResources } from '../../support/resources.ts';

function openShop() {
  const resources = testResources();
  const engine = createEngine({ events: memoryEventStore({ resources }), resources });
  return { engine, shop: engine.tenant('shop') };
}

const GOOD = { eventName: 'a', userId: 'u', eventTs: 1e12, insertId: '1', properties: { plan: 'pro' } };
const BAD = [{ ...GOOD, userId: '' }, { ...GOOD, eventTs: 'soon' }, {} as EventInput, null as never];

it.each(BAD)('a batch of which nothing is accepted throws with its first reason: %o', async (bad) => {
  const { shop } = openShop();
  const refused = shop.append([bad, ...BAD]);
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'nothingAccepted', where: 'events[0]' });
  const { rejected } = await shop.append([bad], { dryRun: true });
  await expect(refused).rejects.toThrow(
    `No event was accepted; the first reason: events[0]: ${rejected[0]!.error}`,
  );
});

it('duplicates are no error, nor is an empty batch, nor one of which a part is accepted', async () => {
  const { shop } = openShop();
  expect(await shop.append([])).toEqual({ accepted: 0, duplicates: 0, rejected: [] });
  expect(await shop.append([BAD[0]!, GOOD])).toMatchObject({ accepted: 1, rejected: [{ index: 0 }] });
  expect(await shop.append([BAD[0]!, GOOD])).toMatchObject({ duplicates: 1, rejected: [{ index: 0 }] });
});

it.each([[GOOD], ['a'], [undefined], [null], [5]])('takes a list of events, not %o', async (events) => {
  const { shop } = openShop();
  await expect(shop.append(events as never)).rejects.toThrow(/^events: takes a list of events, got /);
});

it.each([[undefined], [null], [5], [''], [{}]])('takes no tenant of the id %o', (id) => {
  const { engine } = openShop();
  expect(() => engine.tenant(id as never)).toThrow(/^engine.tenant takes the id of a tenant, got /);
});

it('an aborted call rejects with the reason of its signal, or else with an AbortError', async () => {
  const { shop } = openShop();
  await shop.append([GOOD]);
  const reasonsOf = async (signal: { readonly aborted: boolean }) => {
    const ends = await Promise.allSettled([
      shop.query({}, { signal }),
      shop.count({}, { signal }),
      shop.breakdown({ by: 'userId' }, { signal }),
      shop.top({ of: 'properties.n' }, { signal }),
      shop.properties({}, { signal }),
      shop.explain({}, { signal }),
      shop.eventNames({ signal }),
      shop.since({}, { signal }),
      shop.pages({}, { signal }).next(),
      shop.events({}, { signal }).next(),
      shop.export({}, { signal }).next(),
      shop.tail({}, { signal }).next(),
      shop.append([{ ...GOOD, insertId: '2' }], { signal }),
    ]);
    return ends.map((end) => (end.status === 'rejected' ? (end.reason as Error) : undefined));
  };
  const why = new Error('the user went away');
  for (const reason of await reasonsOf(AbortSignal.abort(why))) expect(reason).toBe(why);
  for (const reason of await reasonsOf(AbortSignal.abort()))
    expect(reason).toMatchObject({ name: 'AbortError' });
  for (const reason of await reasonsOf({ aborted: true }))
    expect([reason?.name, isAborted(reason)]).toEqual(['AbortError', true]);
  expect(isAborted(new DOMException('of another', 'AbortError'))).toBe(false);
  expect(await shop.count({})).toBe(1);
});

it('an event that is logged shows its properties', async () => {
  const { shop } = openShop();
  await shop.append([GOOD]);
  const [event] = (await shop.query({})).events;
  expect(inspect(event)).toContain("properties: { plan: 'pro' }");
  expect(Object.keys(event!)).toEqual(Object.keys({ ...event }));
  expect(structuredClone(event)).toEqual(JSON.parse(JSON.stringify(event)));
});

it('who leaves an export ends the reading of the store', async () => {
  const resources = testResources();
  const events = memoryEventStore({ resources });
  let isEnded = false;
  const query: typeof events.query = async (...asked) => {
    const page = await events.query(...asked);
    const pieces = async function* () {
      try {
        yield* page.pieces();
      } finally {
        isEnded = true;
      }
    };
    return { ...page, pieces };
  };
  const shop = createEngine({ events: { ...events, query }, resources }).tenant('shop');
  await shop.append([GOOD, { ...GOOD, insertId: '2' }]);
  for await (const { insertId } of shop.export()) {
    expect([insertId, isEnded]).toEqual(['2', false]);
    break;
  }
  expect(isEnded).toBe(true);
});

it('who goes on behind a cursor gets the rest, of users as of events', async () => {
  const { shop } = openShop();
  const users = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus'];
  await shop.append(users.map((userId, i) => ({ ...GOOD, userId, eventTs: 1e12 - i, insertId: userId })));
  for (const size of [undefined, 1, 2, 5])
    for (let read = 1; read < users.length; read++) {
      const pagination = (nextCursor: string | undefined) => {
        expect(nextCursor).toBeDefined();
        return { ...(size === undefined ? {} : { size }), cursor: nextCursor! };
      };
      const first = { pagination: { size: read } };
      const ofUsers = { pagination: pagination((await shop.userPage(first)).nextCursor) };
      const ofEvents = { pagination: pagination((await shop.query(first)).nextCursor) };
      const rest = users.slice(read);
      const ofKeys: unknown[] = [];
      const ofIds: unknown[] = [];
      for await (const { key } of shop.users(ofUsers)) ofKeys.push(key);
      for await (const { userId } of shop.events(ofEvents)) ofIds.push(userId);
      expect([ofKeys, ofIds]).toEqual([rest, rest]);
    }
});
