import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guessEpoch, isEpochText, readEpoch, toEpochMs, toEventTs } from '../../../src/core/event/epoch.ts';

describe('a number since 1970', () => {
  it.each<[number | string, number, string]>([
    [631_152_000, 631_152_000_000, 'seconds'],
    [1_602_611_311, 1_602_611_311_000, 'seconds'],
    [1_602_611_311.123, 1_602_611_311_123, 'seconds'],
    ['1602611311.1239', 1_602_611_311_123, 'seconds'],
    [4_102_444_799, 4_102_444_799_000, 'seconds'],
    [631_152_000_000, 631_152_000_000, 'milliseconds'],
    [1_602_611_311_123, 1_602_611_311_123, 'milliseconds'],
    [1_602_611_311_123.9, 1_602_611_311_123, 'milliseconds'],
    ['1602611311123456', 1_602_611_311_123, 'microseconds'],
    ['1602611311123999999', 1_602_611_311_123, 'nanoseconds'],
  ])('%j is %d ms, in %s', (value, ms, unit) => {
    expect(readEpoch(value)).toEqual({ ms, unit });
  });

  it.each([
    ...[0, 1e16, -1e16, Infinity, NaN, 631_151_999, 4_102_444_800, 631_151_999_999, 4_102_444_800_000],
    ...['99999999999999999', '20240503', '-1602611311', '45415.5'],
  ])('%j is in no unit between 1990 and 2099', (value) => {
    expect(readEpoch(value)).toBeUndefined();
  });

  it('keeps each millisecond, whatever the unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 631_152_000_000, max: 4_102_444_799_999 }), (ms) => {
        expect(readEpoch(ms)?.ms).toBe(ms);
        // As browsers write the time: the double of this quotient is not exact.
        expect(readEpoch(ms / 1000)?.ms).toBe(ms);
        expect(readEpoch(ms * 1000)?.ms).toBe(ms);
      }),
      { numRuns: 5000 },
    );
  });

  it.each(['12', '1.5', '1602611311123456789'])('%s is its text', (text) =>
    expect(isEpochText(text)).toBe(true),
  );
  it.each(['', '-3', '1e9', '2024-01-01', '1.', 'x', '12345678901234567890'])('%s is none', (text) =>
    expect(isEpochText(text)).toBe(false),
  );

  it.each<[number | string, 's' | 'ms' | 'us' | 'ns', number | undefined]>([
    [0, 's', 0],
    ['100.5', 's', 100_500],
    [1234, 'ms', 1234],
    [1_234_567, 'us', 1234],
    [12, 'us', 0],
    ['1602611311123999999', 'ns', 1_602_611_311_123],
    [-1, 's', undefined],
    ['x', 'ms', undefined],
  ])('%j in %s is %s ms', (value, unit, ms) => expect(toEpochMs(value, unit)).toBe(ms));

  it('is believed from 1990 on, so an earlier instant is a text', () => {
    expect([0, 631_151_999_999, 631_152_000_000].map(toEventTs)).toEqual([
      '1970-01-01T00:00:00.000Z',
      '1989-12-31T23:59:59.999Z',
      631_152_000_000,
    ]);
  });

  it.each<[number | string, string]>([
    [1_714_730_400, 'looks like seconds: 1714730400 would be 2024-05-03T10:00:00.000Z'],
    ['1714730400000', 'looks like milliseconds: 1714730400000 would be 2024-05-03T10:00:00.000Z'],
    [1_714_730_400_000_000, 'looks like microseconds: 1714730400000000 would be 2024-05-03T10:00:00.000Z'],
    ['1714730400000000000', 'looks like nanoseconds: 1714730400000000000 would be 2024-05-03T10:00:00.000Z'],
    [20_240_503, 'looks like a date: 20240503 would be 2024-05-03'],
    ['2024050310', 'looks like seconds: 2024050310 would be 2034-02-20T12:11:50.000Z'],
    [202_405_031_030, 'looks like a date: 202405031030 would be 2024-05-03T10:30:00'],
    [20_240_503_103_059, 'looks like a date: 20240503103059 would be 2024-05-03T10:30:59'],
    [45_415.4166667, 'looks like a serial date of Excel: 45415.4166667 would be 2024-05-03T10:00:00'],
    [45_415, 'looks like a serial date of Excel: 45415 would be 2024-05-03T00:00:00'],
  ])('%j %s', (value, guess) => expect(guessEpoch(value)).toBe(guess));

  it.each([0, 5, 2024, 20_240_230, 20_240_503_250_000, -1_714_730_400, 1e300, NaN, '1e9', 'x'])(
    'of %j nothing is guessed',
    (value) => expect(guessEpoch(value)).toBeUndefined(),
  );

  it('any number gives one reading at most, and no other date', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5e18, noNaN: true }), (value) => {
        const year = Number(/would be (\d{4})/.exec(guessEpoch(value) ?? 'would be 2024')?.[1]);
        expect(year).toBeGreaterThanOrEqual(1990 - 90);
        expect(year).toBeLessThanOrEqual(2099);
      }),
    );
  });
});
