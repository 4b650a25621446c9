import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createMemoryLog } from '../../../adapters/memory/event-log.ts';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { readingOf } from '../../../src/core/query/answer-plan.ts';
import type { EventStore, Scheduler } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import { createColumnIndex, parseCountBody, type Pacer } from '../../../src/store-kit.ts';
import { SEGMENT_ROWS } from '../../../src/core/columns/log/sizes.ts';
import { sqliteFixture } from '../../conformance/sqlite-fixture.ts';
import {
  countingLog,
  eventsWith,
  HASH,
  holdingScheduler,
  logOf,
  nodeScheduler,
  range,
  SEED,
} from './fixtures.ts';
import { casesOf } from '../../support/cases.ts';
import { testResources } from '../../support/resources.ts';

const EVENTS = 8000;
const EVERYTHING = parseCountBody({});
const SINCE = parseCountBody({ after: '1970-01-01', before: '1970-01-02' });

/** Erases and refills a tenant while an older question is open; what later questions answer. */
async function askWhileRefilled(store: EventStore, tenantId: string, others: number): Promise<number[]> {
  const events = eventsWith(new Array(EVENTS).fill(1));
  await store.append(tenantId, events);
  const old = store.count(tenantId, SINCE).catch(() => -1);
  for (let i = 0; i < others; i++) await new Promise((resolve) => setImmediate(resolve));
  await store.erase(tenantId);
  await store.append(tenantId, events);
  const answers: number[] = [];
  const ask = async () => void answers.push(await store.count(tenantId, SINCE));
  await Promise.all([ask(), old, ask()]);
  await ask();
  return answers;
}

describe('a tenant of whom is erased again and again', () => {
  it('leaves nothing of what was erased in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const store = memoryEventStore({ resources: testResources() });
    const erased = parseCountBody({
      filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value: 'x' }],
    });
    const heapOf = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const events = eventsWith(new Array(5000).fill('x')).map((event, i) => ({
          ...event,
          insertId: `${'a long id '.repeat(20)}${i}`,
        }));
        await store.append('shop', [...events, ...eventsWith(['kept'], 100_000 + round)]);
        expect(await store.count('shop', erased)).toBe(5000);
        await store.erase('shop', erased);
        expect(await store.count('shop', erased)).toBe(0);
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapOf(2);
    expect((await heapOf(20)) - before).toBeLessThan(15_000_000);
  });
});

describe('a tenant that is erased and filled again while an older question is open', () => {
  it.each<[string, () => { store: EventStore; close?: () => unknown }]>([
    ['memory', () => ({ store: memoryEventStore({ resources: testResources() }) })],
    ['sqlite', () => sqliteFixture('events')],
  ])('%s answers later questions from what it has now', async (_name, open) => {
    const fixture = open();
    try {
      for (let round = 0; round < casesOf(40); round++) {
        expect(await askWhileRefilled(fixture.store, `tenant-${round}`, round % 8)).toEqual([
          EVENTS,
          EVENTS,
          EVENTS,
        ]);
      }
    } finally {
      await fixture.close?.();
    }
  });
});

it.each<[string, () => { store: EventStore; close?: () => unknown }]>([
  ['memory', () => ({ store: memoryEventStore({ resources: testResources() }) })],
  ['sqlite', () => sqliteFixture('events')],
])('%s erases what several ask for at once, each its own', async (_name, open) => {
  const fixture = open();
  try {
    const users = Array.from({ length: 12 }, (_, i) => `user-${i}`);
    const events = eventsWith(new Array(1200).fill(1)).map((event, i) => ({
      ...event,
      userId: users[i % users.length]!,
    }));
    await fixture.store.append('tenant', events);
    const ofUser = (value: string) =>
      parseCountBody({ filterSet: [{ property: 'userId', comparison: 'EQUALS', value }] });
    const erased = await Promise.all(users.map((user) => fixture.store.erase('tenant', ofUser(user))));
    expect(erased).toEqual(users.map(() => 100));
    expect(await fixture.store.count('tenant', EVERYTHING)).toBe(0);
    expect(await fixture.store.plan!('tenant', readingOf('query', EVERYTHING))).toMatchObject({ events: 0 });
  } finally {
    await fixture.close?.();
  }
});

it('is before or after an event that arrives in any of its steps', async () => {
  const query = parseCountBody({ event: 'name-0' });
  let came: 'before' | 'after' | 'never' = 'before';
  for (let at = 1; came !== 'never'; at++) {
    const log = createMemoryLog(1, HASH);
    log.append(eventsWith(range(0, 30)));
    came = 'never';
    let isErased = false;
    let pauses = 0;
    const pause = () => {
      pauses += 1;
      if (pauses === at) {
        log.append(eventsWith(['late'], 30));
        came = isErased ? 'after' : 'before';
      }
      return Promise.resolve();
    };
    const scheduler = {
      run: (_owner: string, _signal: unknown, job: (pacer: Pacer) => unknown) =>
        Promise.resolve(job({ now: () => 0, yieldIfDue: pause })),
    } as Scheduler;
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
    const erased = await index.erase('t', query, (chosen) => {
      isErased = true;
      return Promise.resolve(log.erase(chosen, query));
    });
    const isAfter = (came as string) === 'after';
    expect(erased).toBe((came as string) === 'before' ? 11 : 10);
    expect(log.names()).toEqual(isAfter ? ['name-0', 'name-1', 'name-2'] : ['name-1', 'name-2']);
    const asked = came;
    expect(await index.count('t', query)).toBe(isAfter ? 1 : 0);
    came = asked;
  }
});

it('is of the events within bounds of time, in whichever order they came', async () => {
  const store = memoryEventStore({ resources: testResources() });
  const events = eventsWith(new Array(10).fill(1)).map((event, i) => ({
    ...event,
    eventTs: (10 - i) * 1000,
  }));
  await store.append('tenant', events);
  expect(await store.erase('tenant', { ...parseCountBody({}), until: 5000 })).toBe(4);
  const left = await collect(await store.query('tenant', parseCountBody({}), { offset: 0, size: 10 }));
  expect(left.map(({ eventTs }) => eventTs)).toEqual([10_000, 9000, 8000, 7000, 6000, 5000]);
});

it('books the bitmaps of a log, and evicts them when others need the memory', async () => {
  const log = logOf(eventsWith(range(0, 1000)));
  const memory = createMemoryBudget({ bytesMax: 1e6, ownerShare: 1 });
  const open = () => log.view();
  const index = createColumnIndex({ open, memory, scheduler: nodeScheduler(), seed: SEED });
  const named = parseCountBody({
    filterSet: [{ property: 'eventName', comparison: 'NOT_EQUALS', value: 'nobody' }],
  });
  expect(await index.count('tenant', named)).toBe(1000);
  const before = memory.bytes;
  index.forget('tenant');
  log.erase(range(100, 400));
  for (let times = 0; times < 3; times++) {
    expect(await index.count('tenant', named)).toBe(700);
    // A bit for each row of the one segment that has erased rows.
    expect(memory.bytes - before).toBe(SEGMENT_ROWS / 8);
  }
  const other = memory.reservation('other');
  expect(other.reserve(1e6)).toBe(true);
  expect(memory.bytes).toBe(1e6);
  other.release();
  expect(await index.count('tenant', EVERYTHING)).toBe(700);
  index.forget('tenant');
  expect(memory.bytes).toBe(0);
});

it('books the bitmap of a segment once, however often events of it are erased', async () => {
  const log = logOf(eventsWith(range(0, 100)));
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  const scheduler = holdingScheduler();
  const index = createColumnIndex({ open: () => log.view(), memory, scheduler, seed: SEED });
  expect(await index.count('tenant', EVERYTHING)).toBe(100);
  const before = memory.bytes;
  for (let row = 0; row < 5; row++) {
    log.erase([row]);
    expect(await index.count('tenant', EVERYTHING)).toBe(99 - row);
    // What follows an erasure books it.
    await scheduler.release();
    expect(memory.bytes - before).toBe(SEGMENT_ROWS / 8);
  }
});

it('makes a column anew when no row has most of its values any more', async () => {
  const log = countingLog(eventsWith(range(0, 10_000)));
  const memory = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 });
  const open = () => log.view();
  const index = createColumnIndex({ open, memory, scheduler: nodeScheduler(), seed: SEED });
  const query = parseCountBody({
    filterSet: [{ property: 'properties.p', comparison: 'GREATER_THAN', value: 9995 }],
  });
  const rowsReadFor = async (erased: readonly number[]) => {
    log.erase(erased);
    expect(await index.count('tenant', query)).toBe(4);
    log.rowsRead = 0;
    expect(await index.count('tenant', query)).toBe(4);
    return log.rowsRead;
  };
  expect(await rowsReadFor(range(0, 1000))).toBe(0);
  const before = memory.bytes;
  await rowsReadFor(range(1000, 9990));
  await expect.poll(() => memory.bytes).toBeLessThan(before / 2);
});
