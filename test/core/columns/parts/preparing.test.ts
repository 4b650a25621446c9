import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ColumnIndexOptions } from '../../../../src/core/columns/column-index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  createColumnIndex,
  parseCountBody,
  type ChunkStore,
  type EventLog,
  type EventQuery,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { referenceOf } from '../../../conformance/expected.ts';
import {
  countingLog,
  countingPacer,
  eventsWith,
  logOf,
  mapChunkStore,
  nodeScheduler,
  SEED,
} from '../fixtures.ts';
import { casesOf } from '../../../support/cases.ts';

const T = 'tenant';
const ROWS = 33_000;
const values = Array.from({ length: ROWS }, (_, i) => ({ a: i % 7, b: `text ${i % 900}`, id: `id ${i}` }));
const EVENTS = eventsWith(values);
const is = (property: string, value: unknown) =>
  parseCountBody({ filterSet: [{ property, comparison: 'EQUALS', value }] });
const QUESTIONS: readonly EventQuery[] = [
  is('properties.p.a', 3),
  is('properties.p.b', 'text 11'),
  is('userId', 'user-2'),
  parseCountBody({ event: 'name-1', after: '1970-01-01', before: '1970-01-01' }),
];

function indexOver(open: () => EventLog, options: Partial<ColumnIndexOptions> = {}) {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  return createColumnIndex({ open, memory, scheduler: nodeScheduler(), seed: SEED, ...options });
}

describe('what is made ahead', () => {
  it('spares a first question the events, also after a start all but the last rows', async () => {
    const chunks = mapChunkStore();
    const log = countingLog(EVENTS, chunks);
    const index = indexOver(() => log);
    await index.prepare(T, countingPacer());
    const before = log.rowsRead;
    for (const query of QUESTIONS) expect(await index.count(T, query)).toBeGreaterThan(0);
    expect(log.rowsRead).toBe(before);
    const started = countingLog(EVENTS, chunks);
    const another = indexOver(() => started);
    for (const query of QUESTIONS) await another.count(T, query);
    expect(started.rowsRead).toBeLessThan(5000);
  });

  it('is brought up to new rows, and looked for only when there are many more', async () => {
    const log = countingLog(EVENTS);
    const index = indexOver(() => log);
    await index.prepare(T, countingPacer());
    log.append(eventsWith(values.slice(0, 100), ROWS));
    const before = log.rowsRead;
    await index.prepare(T, countingPacer());
    expect(log.rowsRead - before).toBeLessThan(2000);
    await index.prepare(T, countingPacer());
    const after = log.rowsRead;
    expect(await index.count(T, QUESTIONS[0]!)).toBe(Math.ceil((ROWS - 3) / 7) + 14);
    expect(log.rowsRead).toBe(after);
  });

  it('takes no more than half of the memory, and evicts nothing that others have left', async () => {
    const memory = createMemoryBudget({ bytesMax: 1.2e6, ownerShare: 1 });
    let evicted = 0;
    const other = memory.cacheEntry('other', () => (evicted += 1));
    other.reserve(400_000);
    other.unpin();
    const index = indexOver(() => logOf(EVENTS), { memory });
    await index.prepare(T, countingPacer()).catch(() => undefined);
    expect(evicted).toBe(0);
    expect(memory.bytes).toBeGreaterThan(430_000);
    expect(memory.bytes).toBeLessThan(640_000);
  });

  it('leaves a column of many values, on the disk too', async () => {
    const chunks = mapChunkStore();
    const log = countingLog(EVENTS, chunks);
    // A column may take a sixteenth; that of `id` takes some three megabytes.
    const index = indexOver(() => log, { memory: createMemoryBudget({ bytesMax: 16e6, ownerShare: 1 }) });
    await index.prepare(T, countingPacer());
    expect([...chunks.kept.keys()].sort()).toEqual([
      'eventName 0',
      'eventTs 0',
      'properties.p.a 0',
      'properties.p.b 0',
      'userId 0',
    ]);
  });

  it('offers again what could not be stored, although there are no more rows', async () => {
    const chunks = mapChunkStore();
    let isLocked = true;
    const save: ChunkStore['save'] = (...chunk) => !isLocked && chunks.save(...chunk);
    const log = { ...logOf(EVENTS), chunks: { ...chunks, save } };
    const index = indexOver(() => log);
    await index.prepare(T, countingPacer());
    expect(chunks.kept.size).toBe(0);
    isLocked = false;
    await index.prepare(T, countingPacer());
    expect(chunks.kept.size).toBe(6);
  });

  it('stores all again after an erasure, although there are no more rows', async () => {
    const chunks = mapChunkStore();
    const log = logOf(EVENTS, () => ({ chunks }));
    const index = indexOver(() => log.view());
    await index.prepare(T, countingPacer());
    const stored = [...chunks.kept.keys()];
    // A store drops the chunks of the version before.
    chunks.kept.clear();
    log.erase([1]);
    await expect
      .poll(async () => {
        await index.prepare(T, countingPacer());
        return [...chunks.kept.keys()].sort();
      })
      .toEqual(stored.sort());
  });

  it('stores no columns where that might displace those of others', async () => {
    const chunks: ChunkStore & ReturnType<typeof mapChunkStore> = {
      ...mapChunkStore(),
      isScarce: () => true,
    };
    const index = indexOver(() => ({ ...logOf(EVENTS), chunks }));
    await index.prepare(T, countingPacer());
    expect([...chunks.kept.keys()]).toEqual(['eventTs 0']);
  });
});

const steps = fc.oneof(
  fc.record({ do: fc.constant('append' as const), count: fc.constantFrom(1, 300, 20_000) }),
  fc.record({ do: fc.constant('erase' as const), user: fc.nat({ max: 6 }) }),
  fc.record({ do: fc.constant('fail' as const), after: fc.nat({ max: 12 }) }),
  fc.record({ do: fc.constantFrom('prepare' as const, 'restart' as const) }),
  fc.record({ do: fc.constant('ask' as const), question: fc.nat({ max: QUESTIONS.length - 1 }) }),
  fc.record({ do: fc.constant('wait' as const), turns: fc.nat({ max: 30 }) }),
);

/** A log in a place where reads fail, events are erased, and processes come and go. */
function createPlace() {
  const chunks = mapChunkStore();
  let failsIn = Infinity;
  let events: readonly (StoredEvent | undefined)[] = EVENTS;
  const log = logOf(EVENTS, (view) => ({
    chunks,
    values(paths, from, to) {
      if (failsIn-- === 0) throw new Error('disk');
      return view.values(paths, from, to);
    },
  }));
  let index = indexOver(() => log.view());
  return {
    get events() {
      return events.filter((event) => event !== undefined);
    },
    get index() {
      return index;
    },
    failAfter: (reads: number) => void (failsIn = reads),
    restart: () => void (index = indexOver(() => log.view())),
    /** Half of them late. */
    append(count: number) {
      const added = eventsWith(values.slice(0, count), events.length).map((event, i) =>
        i % 2 === 0 ? event : { ...event, eventTs: (i * 7919) % 1e6 },
      );
      log.append(added);
      events = [...events, ...added];
    },
    erase: (user: number) =>
      index.erase(T, is('userId', `user-${user}`), (chosen) => {
        const erased = log.commit(chosen, is('userId', `user-${user}`));
        if (erased !== undefined)
          events = events.map((event) => (event?.userId === `user-${user}` ? undefined : event));
        return Promise.resolve(erased);
      }),
  };
}

it('answers are those of the predicate, whatever happens while columns are made ahead', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 14 }), async (todo) => {
      const place = createPlace();
      const preparing: Promise<unknown>[] = [];
      const ask = async (query: EventQuery) => {
        const expected = referenceOf(place.events)(query);
        const count = await place.index.count(T, query);
        expect(count).toBe(expected.length);
        const found = await collect(await place.index.query(T, query, { offset: 0, size: 40 }));
        expect(found.map(({ insertId }) => insertId)).toEqual(
          expected.slice(0, 40).map(({ insertId }) => insertId),
        );
      };
      const unlessReadsFail = (work: Promise<unknown>) =>
        work.catch((error: unknown) => {
          expect(error).toMatchObject({ message: 'disk' });
        });
      for (const step of todo) {
        if (step.do === 'append') place.append(step.count);
        if (step.do === 'fail') place.failAfter(step.after);
        if (step.do === 'restart') place.restart();
        if (step.do === 'erase') await unlessReadsFail(place.erase(step.user));
        if (step.do === 'prepare') preparing.push(place.index.prepare(T, countingPacer()).catch(() => 0));
        if (step.do === 'ask') await unlessReadsFail(ask(QUESTIONS[step.question]!));
        for (let i = 0; step.do === 'wait' && i < step.turns; i++) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      place.failAfter(Infinity);
      for (const query of QUESTIONS) await ask(query);
      await Promise.all(preparing);
      for (const query of QUESTIONS) await ask(query);
    }),
    { numRuns: casesOf(5) },
  );
}, 300_000);
