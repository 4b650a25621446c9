import { parseEvent } from '../../src/core/event/parse-event.ts';
import type { EventStore, FilterEntry, JsonValue } from '../../src/index.ts';
import { collect, COMPARISONS } from '../../src/internal.ts';
import { parseCountBody } from '../../src/store-kit.ts';
import { comparables, referenceOf } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

/** Numbers at the ends of what engines count with, and what they take for a number. */
const SCALARS: readonly (string | number | boolean)[] = [
  ...[0, 1, -1, 0.1, -0.5, 2 ** 53, 2 ** 63, 2 ** 64, 1e20, 1e300, 5e-324],
  ...['', '0', '1', 'true', 'a', '1e20', '[1]', '"', true, false],
];

const VALUES: readonly JsonValue[] = [
  ...SCALARS,
  ...SCALARS.map((scalar) => [scalar]),
  ...[null, {}, [], [null, {}], [[1]], { '0': 1 }, ['1', {}, 1e20, true]],
];

/** The test of values and operands of all types, each with each. */
export function testTypes({ test, expect }: Suite<EventStore>): void {
  test('every kind of value is told from every kind of operand', async ({ store }) => {
    const tenantId = newTenantId();
    const runtime = { now: () => Date.UTC(2030, 0), newInsertId: () => 'unused' };
    const events = [{}, ...VALUES.map((value) => ({ value }))].map((properties, i) => {
      const fields = { eventName: 'e', userId: 'u', eventTs: '2024-05-18T00:00:00Z', insertId: `id-${i}` };
      return parseEvent({ ...fields, properties }, runtime);
    });
    await store.append(tenantId, events);
    const reference = referenceOf(events);
    for (const filter of filters()) {
      const query = parseCountBody({ filterSet: [filter] });
      const found = await collect(await store.query(tenantId, query, { offset: 0, size: 1000 }));
      expect([filter, comparables(found)]).toEqual([filter, comparables(reference(query))]);
    }
  });
}

/** Each operator with each operand that it takes, a list holding one of them. */
function filters(): FilterEntry[] {
  const asked = ['EQUALS', 'CONTAINS', 'LESS_THAN', 'GREATER_THAN_OR_EQUALS', 'IN'] as const;
  return asked.flatMap((comparison) =>
    SCALARS.filter(
      (scalar) => COMPARISONS[comparison].takes !== 'ordered' || typeof scalar !== 'boolean',
    ).map(
      (scalar) =>
        ({
          property: 'properties.value',
          comparison,
          value: comparison === 'IN' ? [scalar] : scalar,
        }) as FilterEntry,
    ),
  );
}
