import { expect, it } from 'vitest';
import { numberOf } from '../../../adapters/clickhouse/erasure.ts';
import { parseCountBody, type EventQuery } from '../../../src/store-kit.ts';

const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] as const;
/** Queries of which no two match the same events. */
const QUERIES: readonly EventQuery[] = [
  {},
  { event: 'signed up' },
  { filterSet },
  { filterSet, after: '2024-05-01' },
  { filterSet, before: '2024-05-01' },
  { filterSet, after: '2024-05-01', before: '2024-06-01' },
  { filterSet, after: '2024-06-01', before: '2024-07-01' },
  { filterSet: [{ ...filterSet[0], value: 'free' }] },
  { filterSet: [{ ...filterSet[0], comparison: 'NOT_EQUALS' as const }] },
].map((body) => parseCountBody(body));

it('gives each query of each tenant a number of its own, and a repeated query the same', () => {
  const numbers = ['shop', 'other'].flatMap((tenant) => QUERIES.map((query) => numberOf(tenant, query)));
  expect(new Set(numbers).size).toBe(2 * QUERIES.length);
  expect(QUERIES.map((query) => numberOf('shop', structuredClone(query)))).toEqual(
    numbers.slice(0, QUERIES.length),
  );
  // A number is written into statements and into JSON.
  expect(numbers.every((number) => Number.isSafeInteger(number) && number > 0)).toBe(true);
});
