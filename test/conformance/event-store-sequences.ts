import * as fc from 'fast-check';
import { createKeyedHash } from '../../src/core/base/keyed-hash.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { parseSequenceBody } from '../../src/core/query/parse-sequence.ts';
import type { AskedSequence, Sequence } from '../../src/core/query/sequence.ts';
import { createSequenceFold } from '../../src/core/sequences/sequence.ts';
import { isApiError, type EventStore } from '../../src/index.ts';
import { sequenceBodies, steppingBatches } from './arbitraries/sequences.ts';
import { sequenceOf } from './expected-sequence.ts';
import { AT_ONCE, firstWrites } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';
import { eventsOf, SEQUENCE_CASES } from './sequence-cases.ts';

const PACER = { now: () => 0, yieldIfDue: () => undefined };

/** Answers a sequence from the streams of a store; undefined for too many buckets of time. */
export async function askSequence(
  store: EventStore,
  tenantId: string,
  asked: AskedSequence,
): Promise<Sequence | undefined> {
  const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
  const tools = { hash: createKeyedHash([1, 2]), room: memory.reservation(tenantId) };
  const answers = answersOf(store, { seed: [1, 2], scheduler: AT_ONCE, memory });
  try {
    const fold = createSequenceFold(asked, tools);
    const { query, streams } = asked;
    for await (const piece of answers.streams(tenantId, query, streams)) await fold.add(piece, PACER);
    return await fold.finish(PACER);
  } catch (error) {
    if (isApiError(error) && error.message.startsWith('by: a ')) return undefined;
    throw error;
  }
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
