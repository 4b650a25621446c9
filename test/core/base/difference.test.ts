import { expect, it } from 'vitest';
import { differenceOf } from '../../../src/internal.ts';

it.each([
  ['plan', 'plan', 0],
  ['Plan', 'pLAN', 0],
  ['plan', 'plam', 1],
  ['plan', 'pln', 1],
  ['plan', 'pplan', 1],
  ['plan', 'paln', 1],
  ['plan', 'lapn', 2],
  ['plan', 'palm', 3],
  ['', 'plan', 4],
  ['', '', 0],
  ['x'.repeat(128), 'x'.repeat(127), 1],
  ['x'.repeat(129), 'x'.repeat(129), Infinity],
  ['plan', 'x'.repeat(129), Infinity],
])('%s and %s differ by %i mistakes', (a, b, mistakes) => {
  expect([differenceOf(a, b), differenceOf(b, a)]).toEqual([mistakes, mistakes]);
});
