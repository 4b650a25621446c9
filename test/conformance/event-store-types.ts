import { parseEvent } from '../../src/core/event/parse-event.ts';
import type { EventStore, FilterEntry, JsonValue } from '../../src/index.ts';
import { collect, COMPARISONS, toEventJson } from '../../src/internal.ts';
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

/** Whole numbers that a double holds, as each answer spells them: plain digits below 2^63. */
const WHOLE = [
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '-9007199254740992',
  '1152921504606846976',
  '9223372036854774784',
  '-9223372036854774784',
  '9.223372036854776e+18',
  '1e+21',
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

  test('a whole number is found by its value alone, and is answered in its digits', async ({ store }) => {
    const tenantId = newTenantId();
    const events = WHOLE.map((digits, i) => ({
      ...{ eventName: 'e', userId: 'u', eventTs: 1_700_000_000_000 + i, insertId: `id-${i}` },
      propertiesJson: JSON.stringify({ value: Number(digits) }),
    }));
    await store.append(tenantId, events);
    for (const [i, digits] of WHOLE.entries()) {
      const filter = { property: 'properties.value', comparison: 'EQUALS', value: Number(digits) } as const;
      const query = parseCountBody({ filterSet: [filter] });
      const found = await collect(await store.query(tenantId, query, { offset: 0, size: 10 }));
      const spelt = found.map((event) => [event.insertId, /"value":[^}]*/.exec(toEventJson(event))?.[0]]);
      expect([digits, spelt]).toEqual([digits, [[`id-${i}`, `"value":${digits}`]]]);
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
