import { expect, it } from 'vitest';
import { indexUpTo } from '../../../../src/core/columns/log/index-up-to.ts';
import { createColumnSource } from '../../../../src/core/columns/sources/column-source.ts';
import type { Test } from '../../../../src/store-kit.ts';
import { columnOf, countingPacer, eventsWith, logOf, roomyKept } from '../fixtures.ts';

const PATH = { root: 'properties', segments: ['p'] } as const;
const test: Test = { kind: 'test', path: PATH, operator: 'EQUALS', operand: 1 };

it('tells how many rows pass only while the column has no others', async () => {
  const log = logOf(eventsWith([1, 2, 1]));
  const column = columnOf(log, PATH);
  const source = createColumnSource(log, column, [test], {
    reservation: roomyKept(),
    pacer: countingPacer(),
  });
  await source.indexUpTo(3);
  expect(source.isReady(3)).toBe(true);
  const leaf = source.leaf(test);
  expect(leaf.countAll!(leaf.mask, 3)).toBe(2);
  log.append(eventsWith([1, 1], 3));
  await indexUpTo(column, 5, countingPacer());
  expect(leaf.countAll!(leaf.mask, 3)).toBeUndefined();
});
