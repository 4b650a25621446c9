import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ColumnIndexOptions } from '../../../src/core/columns/column-index.ts';
import { ApiError, type Scheduler } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import {
  createColumnIndex,
  parseCountBody,
  type EventLog,
  type EventQuery,
  type Page,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { storedEvents } from '../../conformance/arbitraries/events.ts';
import { queries } from '../../conformance/arbitraries/queries.ts';
import { EVERYTHING, firstWrites, referenceOf } from '../../conformance/expected.ts';
import { countingLog, countingPacer, emptyLog, eventsWith, logOf, nodeScheduler, SEED } from './fixtures.ts';

const T = 'tenant';

function indexOver(log: EventLog | undefined | (() => EventLog), options: Partial<ColumnIndexOptions> = {}) {
  return createColumnIndex({
    open: typeof log === 'function' ? log : () => log,
    memory: createMemoryBudget({ bytesMax: 1e9 }),
    scheduler: nodeScheduler(),
    seed: SEED,
    ...options,
  });
}

describe('answers are those of the predicate over the sorted events', () => {
  const asked = fc
    .array(fc.array(storedEvents, { maxLength: 12 }), { minLength: 1, maxLength: 3 })
    .chain((batches) =>
      fc.record({
        batches: fc.constant(batches),
        queries: fc.array(queries(batches.flat()), { minLength: 1, maxLength: 4 }),
      }),
    );

  it.each<[string, () => Partial<ColumnIndexOptions>]>([
    ['with columns of any size', () => ({})],
    ['when no more than two distinct values fit a column', () => ({ distinctMax: 2 })],
    ['when no column fits', () => ({ memory: createMemoryBudget({ bytesMax: 70_000, ownerShare: 1 }) })],
    [
      'when some columns fit and others have to go',
      () => ({ memory: createMemoryBudget({ bytesMax: 140_000, ownerShare: 1 }) }),
    ],
  ])('%s', async (_, options) => {
    let refused = 0;
    let answered = 0;
    /** What was asked, unless its memory was refused: no other error, and no other answer, is right. */
    const unlessRefused = async <T>(ask: () => Promise<T>, expected: T): Promise<void> => {
      const answer = await ask().catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'overloaded') throw error;
        refused += 1;
      });
      if (answer === undefined) return;
      answered += 1;
      expect(answer).toEqual(expected);
    };
    await fc.assert(
      fc.asyncProperty(asked, async ({ batches, queries: list }) => {
        const log = emptyLog();
        const index = indexOver(log, options());
        const page = async (query: EventQuery, request: Page) =>
          collect(await index.query(T, query, request));
        const stored: StoredEvent[][] = [];
        for (const batch of batches) {
          log.append(batch);
          stored.push(batch);
          const answer = referenceOf(firstWrites(stored));
          for (const query of list) {
            const expected = answer(query);
            await unlessRefused(() => index.count(T, query), expected.length);
            await unlessRefused(() => page(query, { offset: 0, size: 1000 }), expected);
            await unlessRefused(() => page(query, { offset: 2, size: 3 }), expected.slice(2, 5));
            const after = expected[1];
            if (after === undefined) continue;
            await unlessRefused(() => page(query, { offset: 0, size: 2, after }), expected.slice(2, 4));
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeLessThan(answered / 50);
  });
});

describe('an index', () => {
  const plan = parseCountBody({ filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value: 3 }] });

  const user = parseCountBody({ filterSet: [{ property: 'userId', comparison: 'EQUALS', value: 'user-1' }] });
  const name = parseCountBody({ event: 'name-1' });

  it('gives back what a question took when it ends', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e7, ownerShare: 1 });
    const log = logOf(eventsWith(Array.from({ length: 40_000 }, (_, i) => `text ${i}`)));
    const index = indexOver(log, { memory });
    for (const property of ['properties.p', 'insertId']) {
      const filters = ['7', '8'].map((value) => ({ property, comparison: 'CONTAINS', value }) as const);
      const either = parseCountBody({ filterSet: [{ anyOf: filters }] });
      expect(await index.count(T, either)).toBeGreaterThan(0);
      await collect(await index.query(T, either, { offset: 10_000, size: 100 }));
    }
    // All that is left is what others can have the room of.
    expect(memory.reservation('other').reserve(1e7)).toBe(true);
  });

  it('is freed when another process has erased its log, soon after new ones are made', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const logs = new Map<string, EventLog>();
    const index = createColumnIndex({
      ...{ open: (tenantId) => logs.get(tenantId), memory, scheduler: nodeScheduler(), seed: SEED },
    });
    const bytes: number[] = [];
    for (let lap = 0; lap < 40; lap++) {
      logs.set(`lap-${lap}`, logOf(eventsWith(Array.from({ length: 1000 }, (_, i) => i))));
      for (const tenantId of logs.keys()) await index.count(tenantId, plan);
      if (lap >= 4) logs.delete(`lap-${lap - 2}`);
      bytes.push(memory.bytes);
    }
    // Some live on, and those that are gone are found within a few laps.
    expect(bytes.at(-1)).toBeLessThan(bytes[0]! * 10);
    expect(await index.count('lap-0', plan)).toBe(1);
  });

  it('answers concurrent questions while rows arrive, each over one snapshot', async () => {
    const log = logOf(eventsWith(Array.from({ length: 40_000 }, (_, i) => i % 4)));
    const index = indexOver(log);
    let next = 40_000;
    const arrivals = setInterval(() => log.append(eventsWith(new Array(400).fill(3), (next += 400))), 0);
    try {
      const dated = { ...plan, from: 0, until: 1e12 };
      const answers = await Promise.all([
        index.count(T, plan),
        index.count(T, dated),
        index.query(T, dated, { offset: 5000, size: 1000 }),
        index.count(T, EVERYTHING),
        index.query(T, EVERYTHING, { offset: 0, size: 1000 }),
      ]);
      for (const count of [answers[0], answers[1]]) expect((count - 10_000) % 400).toBe(0);
      expect((answers[3] - 40_000) % 400).toBe(0);
      expect(answers[2].length).toBe(1000);
      for (const page of [answers[2], answers[4]]) {
        const instants = (await collect(page)).map(({ eventTs }) => eventTs);
        expect(instants).toEqual([...instants].sort((a, b) => b - a));
      }
    } finally {
      clearInterval(arrivals);
    }
  });

  it('asks again when the log was erased under it, and finds the new one', async () => {
    const before = logOf(eventsWith(new Array(40_000).fill(3)));
    const after = emptyLog(2);
    after.append(eventsWith([3, 3, 1]));
    let log = before;
    const index = indexOver(() => log);
    const answer = index.count(T, plan);
    log = after;
    before.end();
    expect(await answer).toBe(2);
  });

  it('says that it is unavailable when the log is erased again and again', async () => {
    const log = logOf(eventsWith([1]));
    log.end();
    await expect(indexOver(log).count(T, plan)).rejects.toMatchObject({ name: 'ApiError', status: 503 });
  });

  it('reads nothing again for a question that was asked before, until memory is short', async () => {
    const events = eventsWith(Array.from({ length: 2000 }, (_, i) => i % 4));
    const log = countingLog(events);
    const index = indexOver(log);
    await index.count(T, plan);
    await index.count(T, plan);
    expect(log.rowsRead).toBe(2000);
    const poor = indexOver(log, { memory: createMemoryBudget({ bytesMax: 65_000, ownerShare: 0.5 }) });
    log.rowsRead = 0;
    await poor.count(T, plan);
    await poor.count(T, name);
    await poor.count(T, user);
    await poor.count(T, plan);
    expect(log.rowsRead).toBe(8000);
  });

  it('makes a column anew when there is memory again', async () => {
    const memory = createMemoryBudget({ bytesMax: 1e7, ownerShare: 1 });
    const log = countingLog(eventsWith(Array.from({ length: 20_000 }, (_, i) => `text ${i % 5000}`)));
    const index = indexOver(log, { memory });
    const text = parseCountBody({
      filterSet: [{ property: 'properties.p', comparison: 'EQUALS', value: 'text 3' }],
    });
    const rowsRead: number[] = [];
    const others = memory.reservation('others');
    others.reserve(9_900_000);
    for (let asked = 0; asked < 4; asked++) {
      if (asked === 2) others.release();
      const before = log.rowsRead;
      expect(await index.count(T, text)).toBe(4);
      rowsRead.push(log.rowsRead - before);
    }
    expect(rowsRead.map((rows) => rows > 0)).toEqual([true, true, true, false]);
  });

  it('answers nothing for a tenant without a log', async () => {
    const index = indexOver(undefined);
    expect(await index.count(T, EVERYTHING)).toBe(0);
    expect(await collect(await index.query(T, EVERYTHING, { offset: 0, size: 10 }))).toEqual([]);
  });
});

describe('a query that tests long values', () => {
  const texts = Array.from({ length: 2000 }, (_, i) => `${'ab'.repeat(1000)}${i}`);
  const containing = (part: string) => ({
    property: 'properties.p',
    comparison: 'CONTAINS' as const,
    value: part,
  });

  it('lets others have their turn between the values, and between its tests', async () => {
    const log = logOf(eventsWith(texts));
    const pacer = countingPacer();
    const scheduler: Scheduler = { run: async (_owner, _signal, job) => job(pacer) };
    const index = indexOver(log, { scheduler });
    const count = (...filterSet: ReturnType<typeof containing>[]) =>
      index.count(T, parseCountBody({ filterSet }));
    expect(await count(containing('b1999'))).toBe(1);
    const pausesOfColumn = pacer.pauses;
    // Four million characters are four steps, and twenty tests of them eighty.
    expect(await count(containing('b1998'))).toBe(1);
    expect(pacer.pauses - pausesOfColumn).toBeGreaterThanOrEqual(4);
    const before = pacer.pauses;
    expect(await count(...Array.from({ length: 20 }, (_, i) => containing(`ab${i}`)))).toBe(0);
    expect(pacer.pauses - before).toBeGreaterThanOrEqual(60);
  });
});
