import { expect, it } from 'vitest';
import { chipText } from '../../../adapters/dashboard/pages/explore/filter/chip-text.ts';
import type { FilterEntry } from '../../../src/index.ts';

const text = (entry: FilterEntry) =>
  chipText(entry, {
    said: (name) => (name === 'EQUALS' ? '=' : name.toLowerCase()),
    path: (property) => property.replace('properties.', ''),
    value: (value) => JSON.stringify(value),
  });
const is = (property: string, value: string | number | boolean): FilterEntry => ({
  ...{ property, comparison: 'EQUALS', value },
});

it.each<readonly [string, FilterEntry]>([
  ['status = 404', is('properties.status', 404)],
  ['status = "404"', is('properties.status', '404')],
  ['plan is_null', { property: 'properties.plan', comparison: 'IS_NULL', value: null }],
  ['plan in "a", 2', { property: 'properties.plan', comparison: 'IN', value: ['a', 2] }],
  ['n in 1, 2, 3 +2', { property: 'n', comparison: 'IN', value: [1, 2, 3, 4, 5] }],
  ['n in (no values)', { property: 'n', comparison: 'IN', value: [] }],
  ['(a = 1 or b = 2)', { anyOf: [is('a', 1), is('b', 2)] }],
  ['not (a = 1 and b = 2)', { not: { allOf: [is('a', 1), is('b', 2)] } }],
  ['not (a = 1)', { not: is('a', 1) }],
  ['(a = 1 or (b = 2 and c = 3))', { anyOf: [is('a', 1), { allOf: [is('b', 2), is('c', 3)] }] }],
  ['(a = 1 or b = 2 or c = 3 or 2 more)', { anyOf: ['a', 'b', 'c', 'd', 'e'].map((p, i) => is(p, i + 1)) }],
  ['(nothing)', { anyOf: [] }],
  ['(everything)', { allOf: [] }],
])('a chip says %s', (said, entry) => {
  expect(text(entry)).toBe(said);
});
