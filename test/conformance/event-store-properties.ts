import { answersOf } from '../../src/core/engine/fallbacks/answers.ts';
import { createMemoryBudget } from '../../src/core/bounds/memory-budget.ts';
import type { EventStore } from '../../src/index.ts';
import { batchesOf } from './arbitraries/events.ts';
import { afterEachBatch } from './batches.ts';
import { AT_ONCE } from './expected.ts';
import { compareProperties } from './expected-properties.ts';
import type { Suite } from './runner.ts';

/** The tests of which paths events have. */
export function testProperties({ test, check, expect }: Suite<EventStore>): void {
  test('every path is told with its types and examples, of one event name and of all', ({ store }) =>
    check(
      batchesOf({ batches: 3, size: 15 }),
      async (batches) => {
        const answers = answersOf(store, {
          seed: [1, 2],
          memory: createMemoryBudget({ bytesMax: 2 ** 30 }),
          scheduler: AT_ONCE,
        });
        await afterEachBatch(store, batches, async (tenantId, events, batch) => {
          for (const event of [undefined, batch[0]!.eventName, 'no such event']) {
            const own = events.filter(({ eventName }) => event === undefined || eventName === event);
            compareProperties(expect, await answers.properties(tenantId, event), own);
          }
        });
      },
      0.5,
    ));
}
