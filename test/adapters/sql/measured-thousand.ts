import { expect } from 'vitest';
import type { EventStore } from '../../../src/index.ts';
import { parseBreakdownBody, type MeasuredGrouping } from '../../../src/store-kit.ts';
import { answersOf } from '../../../src/core/engine/fallbacks/answers.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { AT_ONCE } from '../../support/resources.ts';

/** How many numbers are measured: more than fit into a page, so that pages would take several statements. */
const COUNT = 3000;

/**
 * Measures whole numbers from 1 on by ranks whose products are no whole numbers in doubles; one statement has
 * to answer. `asked` is what the engine was asked.
 */
export async function expectOneStatement(store: EventStore, asked: readonly unknown[]): Promise<void> {
  const events = Array.from({ length: COUNT }, (_, i) => ({
    ...{ eventName: 'a', userId: 'u', eventTs: i, insertId: String(i) },
    propertiesJson: JSON.stringify({ n: ((i * 7) % COUNT) + 1 }),
  }));
  for (let from = 0; from < COUNT; from += 1000) await store.append('t', events.slice(from, from + 1000));
  const take = ['p7', 'p14', 'p28', 'p29', 'p55', 'p57', 'p58', 'p0.1', 'p99.999', 'sum'];
  const { query, grouping } = parseBreakdownBody({ by: 'userId', measures: [{ of: 'properties.n', take }] });
  const none = Object.fromEntries(take.map((name) => [name, null]));
  const before = asked.length;
  const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
  const answers = answersOf(store, { seed: [1, 2], memory, scheduler: AT_ONCE });
  const measures = [
    {
      ...{
        numbers: COUNT,
        others: 0,
        p7: 210,
        p14: 420,
        p28: 840,
        p29: 870,
        p55: 1650,
        p57: 1710,
        p58: 1740,
      },
      ...{ 'p0.1': 3, 'p99.999': COUNT, sum: (COUNT * (COUNT + 1)) / 2 },
    },
  ];
  expect(await answers.measure('t', query, grouping as MeasuredGrouping)).toEqual({
    ...{ total: COUNT, missing: 0, arrays: 0, objects: 0, groupsTotal: 1, measures },
    groups: [{ key: 'u', count: COUNT, measures }],
    rest: { count: 0, measures: [{ ...none, numbers: 0, others: 0, sum: 0 }] },
  });
  expect(asked.length - before).toBe(1);
}
