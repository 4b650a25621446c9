import { describe, expect, it } from 'vitest';
import { lengthText, withinText } from '../../../../adapters/dashboard/pages/steps/length.ts';

describe('a length of time', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [1999, '1 s 999 ms'],
    [90_000, '1 min 30 s'],
    [3_600_000, '1 h'],
    [3_659_999, '1 h'],
    [90_061_000, '1 d 1 h'],
    [31 * 86_400_000, '31 d'],
  ])('of %d is %s', (ms, text) => {
    expect(lengthText(ms)).toBe(text);
  });

  it.each([
    ['1h', '1 hour'],
    ['12h', '12 hours'],
    ['7d', '7 days'],
    ['30m', '30 minutes'],
    ['2w', '2 weeks'],
  ])('of a body, %s, is %s', (within, text) => {
    expect(withinText(within)).toBe(text);
  });
});
