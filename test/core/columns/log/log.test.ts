import { expect, it } from 'vitest';
import { LogGoneError, readSample, readTogether } from '../../../../src/core/columns/log/log.ts';
import { eventsWith, logOf, propertyPath } from '../fixtures.ts';

it('what is left of a log that others erase meanwhile is not taken for its rows', () => {
  const log = logOf(eventsWith([1, 2, 3, 4]));
  const paths = [propertyPath('p')];
  expect(readTogether(log, paths, 0, 4)[0]).toHaveLength(4);
  // Of the last rows nothing is there any more, and the first are those of events that came later.
  const left = { ...log, size: () => 2 };
  expect(() => readTogether(left, paths, 0, 4)).toThrow(LogGoneError);
  expect(() => readSample(left, [0, 3])).toThrow(LogGoneError);
});
