import { expect, it } from 'vitest';
import { findFrequentPaths } from '../../../../src/core/columns/properties/frequent-paths.ts';
import { pathText } from '../../../../src/core/filter/path.ts';
import { countingPacer, eventsWith, logOf } from '../fixtures.ts';

it('are those that one of twenty events has, most frequent first, and two that all have', async () => {
  const values = Array.from({ length: 4000 }, (_, i) => ({
    always: i,
    ...(i % 2 === 0 ? { 'of.two': [i] } : {}),
    ...(i % 10 === 0 ? { of: { ten: true } } : {}),
    ...(i % 400 === 0 ? { rare: 1 } : {}),
    none: null,
  }));
  const log = logOf(eventsWith(values));
  const paths = await findFrequentPaths(log, log.size(), countingPacer());
  expect(paths.map(pathText)).toEqual([
    'eventName',
    'userId',
    'properties.p.always',
    'properties.p.of\\.two',
    'properties.p.of.ten',
  ]);
});

it('are at most sixteen besides these two, whatever events have', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key-${i}`, i]));
  const log = logOf(eventsWith(Array.from({ length: 50 }, () => many)));
  expect(await findFrequentPaths(log, log.size(), countingPacer())).toHaveLength(18);
});
