import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEpochText, readEpoch } from '../../../src/core/event/epoch.ts';

describe('a number since 1970', () => {
  it.each<[number | string, number, string]>([
    [0, 0, 'seconds'],
    [1_602_611_311, 1_602_611_311_000, 'seconds'],
    [1_602_611_311.123, 1_602_611_311_123, 'seconds'],
    ['1602611311.1239', 1_602_611_311_123, 'seconds'],
    [9_999_999_999, 9_999_999_999_000, 'seconds'],
    [10_000_000_000, 10_000_000_000, 'milliseconds'],
    [1_602_611_311_123, 1_602_611_311_123, 'milliseconds'],
    [1_602_611_311_123.9, 1_602_611_311_123, 'milliseconds'],
    ['1602611311123456', 1_602_611_311_123, 'microseconds'],
    [-5.25, -5250, 'seconds'],
  ])('%j is %d ms, in %s', (value, ms, unit) => {
    expect(readEpoch(value)).toEqual({ ms, unit });
  });

  it.each([1e16, -1e16, Infinity, NaN, '99999999999999999'])('%j has no unit', (value) => {
    expect(readEpoch(value)).toBeUndefined();
  });

  it('keeps each millisecond, whatever the unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000_000_000, max: 4_102_444_799_999 }), (ms) => {
        expect(readEpoch(ms)?.ms).toBe(ms);
        // As browsers write the time: the double of this quotient is not exact.
        expect(readEpoch(ms / 1000)?.ms).toBe(ms);
        expect(readEpoch(ms * 1000)?.ms).toBe(ms);
      }),
      { numRuns: 5000 },
    );
  });

  it.each(['12', '-3', '1.5'])('%s is its text', (text) => expect(isEpochText(text)).toBe(true));
  it.each(['', '1e9', '2024-01-01', '1.', 'x', '12345678901234567'])('%s is none', (text) =>
    expect(isEpochText(text)).toBe(false),
  );
});
