import { expect, it } from 'vitest';
import { latenessOf, toLatenessWords } from '../../../src/core/query/lateness.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

it.each([
  [-DAY, 'before its time'],
  [-1, 'before its time'],
  [0, 'within a minute'],
  [MINUTE, 'within a minute'],
  [MINUTE + 1, 'within an hour'],
  [HOUR, 'within an hour'],
  [HOUR + 1, 'within a day'],
  [DAY, 'within a day'],
  [DAY + 1, 'within 7 days'],
  [7 * DAY, 'within 7 days'],
  [7 * DAY + 1, 'later'],
  [4_102_444_800_000, 'later'],
])('an event that arrives %i ms after its time arrives %s', (after, words) => {
  expect(toLatenessWords(latenessOf(1_700_000_000_000, 1_700_000_000_000 + after)!)).toBe(words);
});

it('has no step where the arrival was not recorded', () => {
  expect([latenessOf(0, undefined), latenessOf(0, null)]).toEqual([undefined, undefined]);
});
