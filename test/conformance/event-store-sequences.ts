import * as fc from 'fast-check';
import { createKeyedHash } from '../../src/core/base/keyed-hash.ts';
import { createMemoryBudget, type Reservation } from '../../src/core/bounds/memory-budget.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { parseRetentionBody } from '../../src/core/query/parse-retention.ts';
import type { UsersBody } from '../../src/core/query/body.ts';
import { parseUsersBody } from '../../src/core/query/parse-users.ts';
import type { User, UserPage } from '../../src/core/query/users.ts';
import { createUsersFold } from '../../src/core/sequences/users.ts';
import { parseCountBody } from '../../src/core/query/parse-query.ts';
import { parseSequenceBody } from '../../src/core/query/parse-sequence.ts';
import type { AskedRetention } from '../../src/core/query/retention.ts';
import type { AskedSequence } from '../../src/core/query/sequence.ts';
import { createRetentionFold } from '../../src/core/sequences/retention.ts';
import type { StreamsFold } from '../../src/core/sequences/fold.ts';
import { createSequenceFold } from '../../src/core/sequences/sequence.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import { retentionBodies, sequenceBodies, steppingBatches, usersBodies } from './arbitraries/sequences.ts';
import { retentionOf } from './expected-retention.ts';
import { usersOf } from './expected-users.ts';
import { sequenceOf } from './expected-sequence.ts';
import { afterEachBatch } from './batches.ts';
import { AT_ONCE, firstWrites } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';
import { eventsOf, SEQUENCE_CASES } from './sequence-cases.ts';
import { eventsOfZone, ZONE_CASES } from './zone-cases.ts';

const PACER = { now: () => 0, yieldIfDue: () => undefined };

/** Folds the streams of a store; undefined for time that is cut too fine. */
async function fold<T>(
  store: EventStore,
  tenantId: string,
  { query, streams }: Pick<AskedSequence, 'query' | 'streams'>,
  begin: (room: Reservation) => StreamsFold<T>,
): Promise<T | undefined> {
  const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
  const answers = answersOf(store, { seed: [1, 2], scheduler: AT_ONCE, memory });
  try {
    const folding = begin(memory.reservation(tenantId));
    for await (const piece of answers.streams(tenantId, query, streams)) await folding.add(piece, PACER);
    return await folding.finish(PACER);
  } catch (error) {
    if (isApiError(error) && /^by: a |^unit: there are more than/.test(error.message)) return undefined;
    throw error;
  }
}

/** Answers a sequence from the streams of a store; undefined for too many buckets of time. */
export function askSequence(store: EventStore, tenantId: string, asked: AskedSequence) {
  const hash = createKeyedHash([1, 2]);
  return fold(store, tenantId, asked, (room) => createSequenceFold(asked, { hash, room }));
}

/** Answers a retention from the streams of a store; undefined for too many cohorts. */
export function askRetention(store: EventStore, tenantId: string, asked: AskedRetention) {
  return fold(store, tenantId, asked, (room) => createRetentionFold(asked, room));
}

/** All users that a store tells, page by page; of each page but the last as many as were asked for. */
export async function askUsers(
  store: EventStore,
  tenantId: string,
  body: UsersBody,
): Promise<readonly User[]> {
  const all: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await askUserPage(store, tenantId, { ...body, pagination: { ...body.pagination, cursor } });
    all.push(...page.users);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** A page, or a larger one where it would end with a value that is too long for a cursor. */
async function askUserPage(store: EventStore, tenantId: string, body: UsersBody): Promise<UserPage> {
  const asked = parseUsersBody(body);
  try {
    const page = (await fold(store, tenantId, asked, (room) => createUsersFold(asked, room)))!;
    if (page.nextCursor !== undefined && page.users.length !== asked.size) throw new Error('a short page');
    return page;
  } catch (error) {
    if (!isApiError(error) || !error.message.includes('too long for a cursor')) throw error;
    return askUserPage(store, tenantId, {
      ...body,
      pagination: { ...body.pagination, size: asked.size + 1 },
    });
  }
}

/** The tests of sequences, retention and users. */
export function testSequences({ test, check, expect }: Suite<EventStore>): void {
  const examples = steppingBatches(40).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      bodies: fc.array(sequenceBodies(batches.flat()), { minLength: 1, maxLength: 8, size: 'max' }),
    }),
  );

  test('sequences are what the definition says, of any events in any order', ({ store }) =>
    check(examples, async ({ batches, bodies }) => {
      await afterEachBatch(store, batches, async (tenantId, events) => {
        for (const body of bodies) {
          const asked = parseSequenceBody(body);
          const found = await askSequence(store, tenantId, asked);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(sequenceOf(events, asked)));
        }
      });
    }));

  test('sequences leave out erased events', ({ store }) =>
    check(
      examples,
      async ({ batches, bodies }) => {
        const tenantId = newTenantId();
        for (const batch of batches) await store.append(tenantId, batch);
        const asked = bodies.map((body) => parseSequenceBody(body));
        for (const each of asked) await askSequence(store, tenantId, each);
        const erased = parseCountBody({ event: 'B' });
        await store.erase(tenantId, erased);
        const left = firstWrites(batches).filter(({ eventName }) => eventName !== 'B');
        for (const each of asked) {
          const found = await askSequence(store, tenantId, each);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(sequenceOf(left, each)));
        }
      },
      0.3,
    ));

  const returning = steppingBatches(40).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      bodies: fc.array(retentionBodies(batches.flat()), { minLength: 1, maxLength: 6, size: 'max' }),
    }),
  );

  test('retention is what the definition says', ({ store }) =>
    check(returning, async ({ batches, bodies }) => {
      await afterEachBatch(store, batches, async (tenantId, events) => {
        for (const body of bodies) {
          const asked = parseRetentionBody(body);
          const found = await askRetention(store, tenantId, asked);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(retentionOf(events, asked)));
        }
      });
    }));

  const using = steppingBatches(40).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      bodies: fc.array(usersBodies(batches.flat()), { minLength: 1, maxLength: 6, size: 'max' }),
    }),
  );

  test('users are what the definition says, in pages that skip and repeat none', ({ store }) =>
    check(using, async ({ batches, bodies }) => {
      await afterEachBatch(store, batches, async (tenantId, events) => {
        for (const body of bodies) {
          const found = await askUsers(store, tenantId, body);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(usersOf(events, parseUsersBody(body))));
        }
      });
    }));

  test('sixteen minutes over midnight are the next day of the calendar, and none from the start', async ({
    store,
  }) => {
    const tenantId = newTenantId();
    const eventTs = Date.UTC(2026, 0, 1, 23, 45);
    const start = { eventName: 'A', userId: 'u', eventTs, insertId: 'a', propertiesJson: '{}' };
    await store.append(tenantId, [start, { ...start, eventName: 'B', eventTs: eventTs + 16 * 60_000 }]);
    const body = { steps: [{ event: 'A' }, { event: 'B' }], unit: 'day', periods: 2 } as const;
    const told = async (periodsFrom: 'calendar' | 'start') =>
      (await askRetention(store, tenantId, parseRetentionBody({ ...body, periodsFrom })))?.cohorts;
    const [none, one] = [
      { count: 0, orLater: 0 },
      { count: 1, orLater: 1 },
    ];
    const key = '2026-01-01T00:00:00.000Z';
    expect(await told('calendar')).toEqual([{ key, count: 1, periods: [{ count: 0, orLater: 1 }, one] }]);
    expect(await told('start')).toEqual([{ key, count: 1, periods: [one, none] }]);
  });

  test('of two combinations that come as far, the one that begins first counts', async ({ store }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, eventsOf('u:B0{p=1} u:A1{p=2} u:A2{p=1} u:B4{p=2} u:B9{p=1}'));
    const steps = [{ event: 'A' }, { event: 'B' }];
    const body = { steps, same: ['properties.p'], percentiles: ['p50'], by: 'properties.p' } as const;
    const found = await askSequence(store, tenantId, parseSequenceBody(body));
    expect(found?.steps[1]).toEqual({
      count: 1,
      sinceStart: { p50: 180_000 },
      sincePrevious: { p50: 180_000 },
    });
    expect(found?.groups).toEqual([{ key: 2, counts: [1, 1] }]);
  });

  test('which combination begins first is told by the whole stream', async ({ store }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, eventsOf('u:B0{p=1} u:B1{p=1} u:A2{p=1} u:A3{p=2} u:B5{p=2} u:B9{p=1}'));
    const steps = [{ event: 'A' }, { event: 'B' }];
    const body = { steps, same: ['properties.p'], by: 'properties.p' } as const;
    const found = await askSequence(store, tenantId, parseSequenceBody(body));
    expect(found?.groups).toEqual([{ key: 1, counts: [1, 1] }]);
  });

  test('many values that are held constant are told apart', async ({ store }) => {
    const tenantId = newTenantId();
    const pairs = Array.from({ length: 144 }, (_, i) => [1 + (i % 12), 1 + Math.floor(i / 12)] as const);
    const textsOf = (name: string, some: readonly (readonly [p: number, q: number])[], from: number) =>
      some.map(([p, q], i) => `u:${name}${from + i}{p=${p},q=${q}}`);
    // Each pair has one event, so that none has both steps; 1 and 11 are not 11 and 1.
    const starts = pairs.filter(([p, q]) => p < q);
    const ends = pairs.filter(([p, q]) => p >= q);
    const events = [...textsOf('A', starts, 0), ...textsOf('B', ends, starts.length)];
    await store.append(tenantId, eventsOf(events.join(' ')));
    const same = ['properties.p', 'properties.q'];
    const steps = [{ event: 'A' }, { event: 'B' }];
    const found = await askSequence(store, tenantId, parseSequenceBody({ steps, same }));
    expect(found?.steps).toEqual([{ count: 1 }, { count: 0 }]);
  });

  test('few values beside many that are held constant are told apart, in either order', async ({ store }) => {
    const tenantId = newTenantId();
    const twelve = Array.from({ length: 12 }, (_, i) => i);
    // The starts have one value at the path with few, the ends the other.
    const starts = twelve.map((i) => `u:A${i}{p=${i},q=1}`);
    const ends = twelve.map((i) => `u:B${12 + i}{p=${i},q=2}`);
    await store.append(tenantId, eventsOf([...starts, ...ends].join(' ')));
    const steps = [{ event: 'A' }, { event: 'B' }];
    const reached = async (same: readonly string[]) =>
      (await askSequence(store, tenantId, parseSequenceBody({ steps, same })))?.steps;
    const paths = ['properties.p', 'properties.q'];
    expect(await reached(paths)).toEqual([{ count: 1 }, { count: 0 }]);
    expect(await reached(paths.toReversed())).toEqual([{ count: 1 }, { count: 0 }]);
  });

  test('texts that are held constant are told apart, whatever is in them', async ({ store }) => {
    const tenantId = newTenantId();
    const eventTs = Date.UTC(2026, 0, 1);
    // Written behind each other, two values of a start read as two others of an end.
    const marks = [' ', ',', '|', '/', '\n', '\t', '"', '\\', ''];
    const pairs = marks.flatMap((mark, i) => {
      const [start, end] = [
        { p: `x${i}${mark}sy`, q: 'z' },
        { p: `x${i}`, q: `y${mark}sz` },
      ];
      return [
        { eventName: 'A', eventTs, properties: start },
        { eventName: 'B', eventTs: eventTs + 1, properties: end },
      ];
    });
    const events = pairs.map(({ properties, ...event }, i) => ({
      ...{ ...event, userId: 'u', insertId: `${i}` },
      propertiesJson: JSON.stringify(properties),
    }));
    await store.append(tenantId, events);
    const same = ['properties.p', 'properties.q'];
    const steps = [{ event: 'A' }, { event: 'B' }];
    const found = await askSequence(store, tenantId, parseSequenceBody({ steps, same }));
    expect(found?.steps).toEqual([{ count: 1 }, { count: 0 }]);
  });

  test('groups of a sequence and cohorts are the days and hours that the clock of a zone has', async ({
    store,
  }) => {
    for (const each of ZONE_CASES) {
      const { why, by, buckets, timeZone, from, until } = each;
      const tenantId = newTenantId();
      await store.append(tenantId, eventsOfZone(each));
      // Each event begins a stream of its own.
      const asked = { timeZone, from, until, distinct: 'insertId' };
      const sequence = parseSequenceBody({ ...asked, steps: [{}], by });
      const groups = buckets.map(([key]) => ({ key, counts: [2] }));
      expect([why, (await askSequence(store, tenantId, sequence))?.groups]).toEqual([why, groups]);
      if (by === 'minute' || by === 'hour') continue;
      const retention = parseRetentionBody({ ...asked, steps: [{}, {}], unit: by, periods: 1 });
      const cohorts = buckets.map(([key]) => ({ key, count: 2, periods: [{ count: 0, orLater: 0 }] }));
      expect([why, (await askRetention(store, tenantId, retention))?.cohorts]).toEqual([why, cohorts]);
    }
  });

  test('missing counts events of the range that match a step, and no exclusion', async ({ store }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, eventsOf('u:A0{p=1} u:A1 u:B2 u:X3 u:A5 u:X6 u:B6'));
    const { from, until } = { from: '2026-01-05T12:01:00Z', until: '2026-01-05T12:05:00Z' };
    const steps = [{ event: 'A' }, { event: 'B' }];
    const body = { steps, from, until, without: [{ after: 1, event: 'X' }], within: '1h' };
    const asked = parseSequenceBody({ ...body, distinct: 'properties.p' });
    expect((await askSequence(store, tenantId, asked))?.missing).toEqual(2);
  });

  test('a return at the beginning of a period is in it, and one a millisecond before is not', async ({
    store,
  }) => {
    const tenantId = newTenantId();
    const midnight = Date.UTC(2026, 0, 2);
    const start = { eventName: 'A', eventTs: midnight - 1000, insertId: 'a', propertiesJson: '{}' };
    const back = { ...start, eventName: 'B', insertId: 'b' };
    await store.append(tenantId, [
      { ...start, userId: 'u' },
      { ...back, userId: 'u', eventTs: midnight },
      { ...start, userId: 'v', insertId: 'c' },
      { ...back, userId: 'v', eventTs: midnight - 1 },
    ]);
    const body = { steps: [{ event: 'A' }, { event: 'B' }], unit: 'day', periods: 2 } as const;
    const found = await askRetention(store, tenantId, parseRetentionBody(body));
    expect(found?.cohorts.map(({ periods }) => periods)).toEqual([
      [
        { count: 1, orLater: 2 },
        { count: 1, orLater: 1 },
      ],
    ]);
  });

  test('a page of users goes on behind its cursor, whatever was erased and stored since', async ({
    store,
  }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, eventsOf('a:A0 b:A1 c:A2 d:A3 e:A4 f:A5 a:A6 c:A7'));
    const page = async (cursor?: string) => {
      const asked = parseUsersBody({ having: [{ event: 'A', atLeast: 1 }], pagination: { size: 2, cursor } });
      return (await fold(store, tenantId, asked, (room) => createUsersFold(asked, room)))!;
    };
    const keysOf = ({ users }: UserPage) => users.map(({ key }) => key);
    const ofUser = (value: string) =>
      parseCountBody({ filterSet: [{ property: 'userId', comparison: 'EQUALS', value }] });
    const first = await page();
    expect(keysOf(first)).toEqual(['a', 'b']);
    await store.erase(tenantId, ofUser('a'));
    await store.erase(tenantId, ofUser('c'));
    await store.append(tenantId, eventsOf('aa:A8#x bb:A9#y'));
    const second = await page(first.nextCursor);
    expect(keysOf(second)).toEqual(['bb', 'd']);
    await store.erase(tenantId, ofUser('d'));
    const third = await page(second.nextCursor);
    expect(keysOf(third)).toEqual(['e', 'f']);
    expect(keysOf(await page(third.nextCursor))).toEqual([]);
  });

  test('two values that are held constant are told apart', async ({ store }) => {
    const tenantId = newTenantId();
    await store.append(tenantId, eventsOf('u:A0{p=1,q=5} u:A1{p=1,q=6} u:B2{p=2,q=5} u:A3{p=2,q=6}'));
    const same = ['properties.p', 'properties.q'];
    const found = await askSequence(
      store,
      tenantId,
      parseSequenceBody({ steps: [{ event: 'A' }, { event: 'B' }], same }),
    );
    expect(found?.steps).toEqual([{ count: 1 }, { count: 0 }]);
  });

  for (const { name, body, events, reach } of SEQUENCE_CASES)
    test(`a sequence: ${name}`, async ({ store }) => {
      const tenantId = newTenantId();
      if (events.length > 0) await store.append(tenantId, events);
      const found = await askSequence(store, tenantId, parseSequenceBody(body));
      expect(found?.steps.map(({ count }) => count)).toEqual(reach);
    });
}
