import * as fc from 'fast-check';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import { createCompare } from '../../src/core/engine/compare.ts';
import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import type { AskedCompare } from '../../src/core/query/compare.ts';
import { parseCompareBody } from '../../src/core/query/parse-compare.ts';
import { parseCountBody } from '../../src/core/query/parse-query.ts';
import type { EventStore } from '../../src/index.ts';
import { createZones } from '../../src/transport-kit.ts';
import { compareBodies } from './arbitraries/comparisons.ts';
import { batchesOf } from './arbitraries/events.ts';
import { afterEachBatch } from './batches.ts';
import { differencesOf } from './expected-compare.ts';
import { AT_ONCE, firstWrites } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

const ZONES = createZones();

/** Answers what differs from the breakdowns of a store. */
export async function askDifferences(
  store: EventStore,
  tenantId: string,
  asked: AskedCompare,
  valuesMax: number,
) {
  const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
  const tools = { memory, scheduler: AT_ONCE };
  const answers = answersOf(store, { seed: [1, 2], ...tools });
  const found = await createCompare({ answers, ...tools, valuesMax })(tenantId, asked);
  if (memory.bytes > 0) throw new Error('some memory was not released');
  return found;
}

/** The tests of what differs between two sets of events. */
export function testCompare({ test, check, expect }: Suite<EventStore>): void {
  const examples = batchesOf({ batches: 2, size: 20 }).chain((batches) =>
    fc.record({
      batches: fc.constant(batches),
      asked: fc.array(
        fc.tuple(
          compareBodies(batches.flat()).map((body) => parseCompareBody(body, ZONES)),
          fc.constantFrom(1, 2, 1000),
        ),
        { minLength: 1, maxLength: 3, size: 'max' },
      ),
    }),
  );

  test('what differs is what the definition says, of any two sets of events', ({ store }) =>
    check(
      examples,
      async ({ batches, asked }) => {
        await afterEachBatch(store, batches, async (tenantId, events) => {
          for (const [each, valuesMax] of asked)
            expect(await askDifferences(store, tenantId, each, valuesMax)).toEqual(
              differencesOf(events, each, valuesMax),
            );
        });
      },
      0.3,
    ));

  test('what differs leaves out erased events', ({ store }) =>
    check(
      examples,
      async ({ batches, asked }) => {
        const tenantId = newTenantId();
        for (const batch of batches) await store.append(tenantId, batch);
        const { eventName } = batches[0]![0]!;
        await store.erase(tenantId, parseCountBody({ event: eventName }));
        const left = firstWrites(batches).filter((event) => event.eventName !== eventName);
        for (const [each, valuesMax] of asked)
          expect(await askDifferences(store, tenantId, each, valuesMax)).toEqual(
            differencesOf(left, each, valuesMax),
          );
      },
      0.1,
    ));
}
