import * as fc from 'fast-check';
import { createKeyedHash } from '../../src/core/base/keyed-hash.ts';
import { createMemoryBudget, type Reservation } from '../../src/core/bounds/memory-budget.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { parseRetentionBody } from '../../src/core/query/parse-retention.ts';
import { parseSequenceBody } from '../../src/core/query/parse-sequence.ts';
import type { AskedRetention } from '../../src/core/query/retention.ts';
import type { AskedSequence } from '../../src/core/query/sequence.ts';
import { createRetentionFold } from '../../src/core/sequences/retention.ts';
import type { StreamsFold } from '../../src/core/sequences/fold.ts';
import { createSequenceFold } from '../../src/core/sequences/sequence.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import { retentionBodies, sequenceBodies, steppingBatches } from './arbitraries/sequences.ts';
import { retentionOf } from './expected-retention.ts';
import { sequenceOf } from './expected-sequence.ts';
import { AT_ONCE, firstWrites } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';
import { eventsOf, SEQUENCE_CASES } from './sequence-cases.ts';

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

/** The tests of sequences. */
export function testSequences({ test, check, expect }: Suite<EventStore>): void {
  const examples = steppingBatches(40).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      bodies: fc.array(sequenceBodies(batches.flat()), { minLength: 1, maxLength: 8, size: 'max' }),
    }),
  );

  test('sequences are what the definition says, of any events in any order', ({ store }) =>
    check(examples, async ({ batches, bodies }) => {
      const tenantId = newTenantId();
      for (const [i, batch] of batches.entries()) {
        await store.append(tenantId, batch);
        const events = firstWrites(batches.slice(0, i + 1));
        for (const body of bodies) {
          const asked = parseSequenceBody(body);
          const found = await askSequence(store, tenantId, asked);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(sequenceOf(events, asked)));
        }
      }
    }));

  const returning = steppingBatches(40).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      bodies: fc.array(retentionBodies(batches.flat()), { minLength: 1, maxLength: 6, size: 'max' }),
    }),
  );

  test('retention is what the definition says', ({ store }) =>
    check(returning, async ({ batches, bodies }) => {
      const tenantId = newTenantId();
      for (const [i, batch] of batches.entries()) {
        await store.append(tenantId, batch);
        const events = firstWrites(batches.slice(0, i + 1));
        for (const body of bodies) {
          const asked = parseRetentionBody(body);
          const found = await askRetention(store, tenantId, asked);
          expect(JSON.stringify(found)).toEqual(JSON.stringify(retentionOf(events, asked)));
        }
      }
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
