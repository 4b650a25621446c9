import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scheduler } from '../../../../src/index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type ColumnIndex,
  type Pacer,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import { compareNewestFirst, referenceOf } from '../../../conformance/expected.ts';
import {
  holdingScheduler,
  logOf,
  mapChunkStore,
  nodeScheduler,
  propertyPath,
  range,
  SEED,
  type TestLog,
} from '../fixtures.ts';

const T = 'tenant';
/** Segments have eight rows here. */
const SEGMENT = 8;
const USERS = ['ada', 'bob', 'cyd'];

/** Row `i`; some events have one instant, and come in any order. */
const eventAt = (i: number, { at, user }: { at: number; user: number }): StoredEvent => ({
  eventName: `name-${i % 2}`,
  userId: USERS[user]!,
  eventTs: Date.UTC(2026, 0, 1 + (at % 5), at % 2),
  insertId: `id-${(i * 31) % 101}-${i}`,
  propertiesJson: JSON.stringify({ p: i % 3, own: i }),
});

const is = (property: string, value: unknown) => ({ property, comparison: 'EQUALS', value }) as const;
const ASKED = [
  {},
  { after: '2026-01-02', before: '2026-01-03' },
  { filterSet: [is('properties.p', 1)] },
  { after: '2026-01-02', filterSet: [is('properties.own', 9)] },
  { filterSet: [is('userId', 'ada'), { ...is('properties.p', 1), comparison: 'NOT_EQUALS' }] },
  { after: '2026-01-01', filterSet: [is('userId', 'ada')] },
  { filterSet: [{ property: 'insertId', comparison: 'CONTAINS', value: '-1' }] },
];

/** A log of which rows are erased, and an index that can be made again, as by another process. */
function openPlace() {
  const chunks = mapChunkStore();
  const log: TestLog = logOf([], () => ({ chunks }));
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const events: (StoredEvent | undefined)[] = [];
  let scheduler = holdingScheduler();
  const open = () => createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
  let index = open();
  return {
    log,
    memory,
    left: () => events.filter((event) => event !== undefined),
    index: () => index,
    settle: () => scheduler.release(),
    restart() {
      index.forget(T);
      scheduler = holdingScheduler();
      index = open();
    },
    append(some: readonly { at: number; user: number }[]) {
      const added = some.map((each, i) => eventAt(events.length + i, each));
      log.append(added);
      events.push(...added);
    },
    /** Erases rows, and drops the chunks of the version before, as a store does. */
    erase(rows: readonly number[]) {
      const own = rows.filter((row) => events[row] !== undefined);
      if (own.length === 0) return;
      log.erase(own);
      for (const row of own) events[row] = undefined;
      chunks.kept.clear();
    },
    eraseByQuery(user: number) {
      const query = parseCountBody({ filterSet: [is('userId', USERS[user]!)] });
      return index.erase(T, query, (chosen) => {
        const left = events.filter((event) => event !== undefined);
        const kept = new Set(left.flatMap((each) => (each.userId === USERS[user] ? [] : [each.eventName])));
        expect(chosen.kept).toEqual(kept);
        expect([...chosen.names].filter((name) => kept.has(name))).toEqual([]);
        const erased = log.commit(chosen, query);
        for (const [row, event] of events.entries())
          if (erased !== undefined && event?.userId === USERS[user]) events[row] = undefined;
        return Promise.resolve(erased);
      });
    },
  };
}

async function answersOf(index: ColumnIndex, asked: object) {
  const query = parseCountBody(asked);
  const all = await collect(await index.query(T, query, { offset: 0, size: 1000 }));
  const some = await collect(await index.query(T, query, { offset: 3, size: 5 }));
  const second = all[1];
  const later =
    second === undefined
      ? []
      : await collect(await index.query(T, query, { offset: 0, size: 4, after: second }));
  const byUser = parseBreakdownBody({ ...asked, by: 'userId', distinct: 'properties.p' });
  const countsByUser = parseBreakdownBody({ ...asked, by: 'userId' });
  const byDay = parseBreakdownBody({ ...asked, by: 'day', distinct: 'userId' });
  return {
    count: await index.count(T, query),
    all,
    some,
    later,
    byUser: await index.breakdown(T, byUser.query, byUser.grouping),
    countsByUser: await index.breakdown(T, countsByUser.query, countsByUser.grouping),
    byDay: await index.breakdown(T, byDay.query, byDay.grouping),
    top: await collect(await index.top(T, query, { of: propertyPath('p'), order: 'largest', size: 4 })),
  };
}

/** As the events themselves answer. */
function expectedOf(left: readonly StoredEvent[], asked: object) {
  const all = referenceOf(left)(parseCountBody(asked)).toSorted(compareNewestFirst);
  const days = new Map<string, StoredEvent[]>();
  for (const event of all) {
    const day = new Date(event.eventTs).toISOString().slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  const distinct = (list: readonly unknown[]) => new Set(list).size;
  const pOf = ({ propertiesJson }: StoredEvent) => (JSON.parse(propertiesJson) as { p: number }).p;
  return {
    all,
    top: all.toSorted((a, b) => pOf(b) - pOf(a)).slice(0, 4),
    users: USERS.map((user) => all.filter(({ userId }) => userId === user)).map((own) => [
      own.length,
      distinct(own.map(pOf)),
    ]),
    days: new Map(
      [...days].map(([day, own]) => [day, [own.length, distinct(own.map((each) => each.userId))]]),
    ),
  };
}

async function expectAnswers(place: ReturnType<typeof openPlace>, asked: object): Promise<void> {
  const expected = expectedOf(place.left(), asked);
  const found = await answersOf(place.index(), asked);
  expect(found.count).toBe(expected.all.length);
  expect(found.all).toEqual(expected.all);
  expect(found.some).toEqual(expected.all.slice(3, 8));
  expect(found.later).toEqual(expected.all.slice(2, 6));
  expect(found.top).toEqual(expected.top);
  const byUser = new Map(found.byUser.groups.map(({ key, count, distinct }) => [key, [count, distinct]]));
  expect(USERS.map((user) => byUser.get(user) ?? [0, 0])).toEqual(expected.users);
  const counts = new Map(found.countsByUser.groups.map(({ key, count }) => [key, count]));
  expect(USERS.map((user) => counts.get(user) ?? 0)).toEqual(expected.users.map(([count]) => count));
  const byDay = found.byDay.groups.filter(({ count }) => count > 0);
  expect(
    new Map(byDay.map(({ key, count, distinct }) => [String(key).slice(0, 10), [count, distinct]])),
  ).toEqual(expected.days);
}

const rows = fc.array(fc.record({ at: fc.nat(9), user: fc.nat(2) }), { minLength: 1, maxLength: 30 });
const steps = fc.oneof(
  fc.record({ do: fc.constant('append' as const), rows }),
  fc.record({
    do: fc.constant('erase' as const),
    rows: fc.array(fc.nat(90), { minLength: 1, maxLength: 20 }),
  }),
  fc.record({ do: fc.constant('erase segment' as const), segment: fc.nat(6) }),
  fc.record({ do: fc.constant('erase user' as const), user: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('settle' as const, 'restart' as const) }),
  fc.record({ do: fc.constant('ask' as const), asked: fc.constantFrom(...ASKED) }),
);

describe('an index over a log of which rows are erased', () => {
  it('answers as the events that are left, before and after an erasure is settled', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.array(steps, { minLength: 3, maxLength: 15 }), async (first, todo) => {
        const place = openPlace();
        place.append(first);
        for (const step of todo) {
          if (step.do === 'append') place.append(step.rows);
          if (step.do === 'erase') place.erase([...new Set(step.rows)]);
          if (step.do === 'erase segment')
            place.erase(Array.from({ length: SEGMENT }, (_, i) => step.segment * SEGMENT + i));
          if (step.do === 'erase user') await place.eraseByQuery(step.user);
          if (step.do === 'settle') await place.settle();
          if (step.do === 'restart') place.restart();
          if (step.do === 'ask') await expectAnswers(place, step.asked);
        }
        for (const asked of ASKED) await expectAnswers(place, asked);
        await place.settle();
        for (const asked of ASKED) await expectAnswers(place, asked);
        place.index().forget(T);
        expect(place.memory.bytes).toBe(0);
      }),
      { numRuns: casesOf(500) },
    );
  });
});

it('a segment of which all rows match is counted without its erased rows', async () => {
  const values = range(0, 8 * SEGMENT).map((row) => ({
    ...eventAt(row, { at: row % 10, user: 0 }),
    propertiesJson: JSON.stringify({ p: row < 6 * SEGMENT ? 1 : 2, own: row }),
  }));
  const log = logOf(values);
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const scheduler = nodeScheduler();
  const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
  const filterSet = [is('properties.p', 1), { ...is('properties.own', 1000), comparison: 'LESS_THAN' }];
  expect(await index.count(T, parseCountBody({ filterSet }))).toBe(6 * SEGMENT);
  log.erase([SEGMENT, SEGMENT + 3, 7 * SEGMENT, ...range(3 * SEGMENT, 4 * SEGMENT)]);
  expect(await index.count(T, parseCountBody({ filterSet }))).toBe(5 * SEGMENT - 2);
});

describe('an erasure while a question is on its way', () => {
  const rowsOfUsers = Array.from({ length: 60 }, (_, i) => ({ at: i % 10, user: i % 3 }));
  const asks: Record<string, (index: ColumnIndex) => Promise<number>> = {
    count: (index) =>
      index.count(T, parseCountBody({ after: '2026-01-01', filterSet: [is('userId', 'ada')] })),
    'page of new columns': async (index) => {
      const filterSet = [is('userId', 'ada'), { ...is('properties.own', 90), comparison: 'LESS_THAN' }];
      return (await collect(await index.query(T, parseCountBody({ filterSet }), { offset: 0, size: 100 })))
        .length;
    },
    'groups by day': async (index) => {
      const query = parseCountBody({ filterSet: [is('userId', 'ada')] });
      const { grouping } = parseBreakdownBody({ by: 'day' });
      return (await index.breakdown(T, query, grouping)).total;
    },
    'groups by value': async (index) => {
      const { query, grouping } = parseBreakdownBody({ by: 'userId', distinct: 'properties.own' });
      const { groups } = await index.breakdown(T, query, grouping);
      return groups.find(({ key }) => key === 'ada')?.distinct ?? 0;
    },
    ids: (index) => {
      const value = Array.from({ length: 60 }, (_, i) => `id-${(i * 31) % 101}-${i}`);
      const ids = { property: 'insertId', comparison: 'IN', value };
      return index.count(T, parseCountBody({ filterSet: [ids, is('userId', 'ada')] }));
    },
  };

  it.each(
    Object.keys(asks).flatMap((name) => [
      ['no other question', name],
      ['another question', name],
    ]),
  )('is seen as a whole or not at all, while %s is asked after it: %s', async (others, name) => {
    const seen = new Set<number>();
    let isAnyRetried = false;
    for (let at = 1; at < 60; at++) {
      const log = logOf(rowsOfUsers.map((each, i) => eventAt(i, each)));
      const memory = createMemoryBudget({ bytesMax: 1e9 });
      let [pauses, opened] = [0, 0];
      // At one of its pauses all events of a user are erased: whole segments lose rows, and one is gone.
      const pause = () => {
        pauses += 1;
        if (pauses !== at) return Promise.resolve();
        log.erase([...new Set([...range(0, 60).filter((row) => row % 3 === 0), ...range(8, 16)])]);
        return others === 'another question' ? asks[name]!(index).then(() => undefined) : Promise.resolve();
      };
      const scheduler = {
        ...nodeScheduler(),
        run: (_owner: string, _signal: unknown, job: (pacer: Pacer) => unknown) =>
          Promise.resolve(job({ now: () => 0, yieldIfDue: pause })),
      } as Scheduler;
      const open = () => ((opened += 1), log.view());
      const index = createColumnIndex({ open, memory, scheduler, seed: SEED });
      const found = await asks[name]!(index);
      seen.add(found);
      isAnyRetried ||= opened > 2;
      expect([0, 20]).toContain(found);
      if (pauses >= at) expect(await asks[name]!(index)).toBe(0);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 20]);
    expect(isAnyRetried).toBe(true);
  });

  it('is seen as a whole or not at all by many questions over a log whose reads are slow', async () => {
    const log = logOf(rowsOfUsers.map((each, i) => eventAt(i, each)));
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const index = createColumnIndex({
      open: () => log.view(),
      memory,
      scheduler: nodeScheduler(),
      seed: SEED,
    });
    for (const user of [0, 1, 2]) {
      const ofAll = async () => {
        const { query, grouping } = parseBreakdownBody({ by: 'userId', distinct: 'properties.own' });
        const { groups } = await index.breakdown(T, query, grouping);
        return groups.map(({ count, distinct }) => [count, distinct]);
      };
      const asked = Array.from({ length: 10 }, async (_, turn) => {
        for (let i = 0; i < turn; i++) await new Promise((resolve) => setImmediate(resolve));
        return [await ofAll(), await asks.count!(index)] as const;
      });
      const query = parseCountBody({ filterSet: [is('userId', USERS[user]!)] });
      const erased = index.erase(T, query, (chosen) => Promise.resolve(log.commit(chosen, query)));
      for (const [groups] of await Promise.all(asked)) {
        expect([3 - user, 2 - user]).toContain(groups.length);
        for (const group of groups) expect(group).toEqual([20, 20]);
      }
      expect(await erased).toBe(20);
    }
    expect(await index.count(T, parseCountBody({}))).toBe(0);
  });
});

describe('a log that keeps only its last events', () => {
  it('takes no more memory for each erased segment than its zones and its bitmap', async () => {
    const log = logOf([]);
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const scheduler = holdingScheduler();
    const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
    const asked = [
      { after: '2026-01-02' },
      { filterSet: [is('properties.p', 1)] },
      { filterSet: [is('userId', 'ada')] },
    ];
    const rows = 20;
    const rounds = 60;
    const bytes: number[] = [];
    for (let round = 0; round < rounds; round++) {
      log.append(range(0, rows).map((i) => eventAt(round * rows + i, { at: i % 10, user: i % 3 })));
      for (const each of asked) await answersOf(index, each);
      await index.count(T, parseCountBody({ filterSet: [{ ...is('insertId', ['a']), comparison: 'IN' }] }));
      // All but the last ten.
      log.erase(range(Math.max(0, round * rows - 10), round * rows + 10));
      expect(await index.count(T, parseCountBody({}))).toBe(10);
      await scheduler.release();
      bytes.push(memory.bytes);
    }
    // Two columns have a zone of a hundred bytes for each segment.
    const segments = ((rounds / 2) * rows) / SEGMENT;
    expect(bytes[rounds - 1]! - bytes[rounds / 2 - 1]!).toBeLessThan(segments * 250);
    index.forget(T);
    expect(memory.bytes).toBe(0);
  });
});
