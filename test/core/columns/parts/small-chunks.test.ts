import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type ColumnIndex,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { casesOf } from '../../../support/cases.ts';
import { compareNewestFirst, referenceOf } from '../../../conformance/expected.ts';
import { holdingScheduler, logOf, mapChunkStore, SEED, type TestLog } from '../fixtures.ts';

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
        const isErased = log.commit(chosen);
        for (const [row, event] of events.entries())
          if (isErased && event?.userId === USERS[user]) events[row] = undefined;
        return Promise.resolve(isErased);
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
    second === undefined ? [] : await collect(await index.query(T, query, { offset: 0, size: 4, after: second }));
  const byUser = parseBreakdownBody({ ...asked, by: 'userId', distinct: 'properties.p' });
  const byDay = parseBreakdownBody({ ...asked, by: 'day', distinct: 'userId' });
  return {
    count: await index.count(T, query),
    all,
    some,
    later,
    byUser: await index.breakdown(T, byUser.query, byUser.grouping),
    byDay: await index.breakdown(T, byDay.query, byDay.grouping),
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
  const distinct = <T>(list: readonly T[]) => new Set(list).size;
  const pOf = ({ propertiesJson }: StoredEvent) => (JSON.parse(propertiesJson) as { p: number }).p;
  return {
    all,
    users: USERS.map((user) => all.filter(({ userId }) => userId === user)).map((own) => [
      own.length,
      distinct(own.map(pOf)),
    ]),
    days: new Map([...days].map(([day, own]) => [day, [own.length, distinct(own.map((each) => each.userId))]])),
  };
}

async function expectAnswers(place: ReturnType<typeof openPlace>, asked: object): Promise<void> {
  const expected = expectedOf(place.left(), asked);
  const found = await answersOf(place.index(), asked);
  expect(found.count).toBe(expected.all.length);
  expect(found.all).toEqual(expected.all);
  expect(found.some).toEqual(expected.all.slice(3, 8));
  expect(found.later).toEqual(expected.all.slice(2, 6));
  const byUser = new Map(found.byUser.groups.map(({ key, count, distinct }) => [key, [count, distinct]]));
  expect(USERS.map((user) => byUser.get(user) ?? [0, 0])).toEqual(expected.users);
  const byDay = found.byDay.groups.filter(({ count }) => count > 0);
  expect(new Map(byDay.map(({ key, count, distinct }) => [String(key).slice(0, 10), [count, distinct]]))).toEqual(
    expected.days,
  );
}

const rows = fc.array(fc.record({ at: fc.nat(9), user: fc.nat(2) }), { minLength: 1, maxLength: 30 });
const steps = fc.oneof(
  fc.record({ do: fc.constant('append' as const), rows }),
  fc.record({ do: fc.constant('erase' as const), rows: fc.array(fc.nat(90), { minLength: 1, maxLength: 20 }) }),
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
