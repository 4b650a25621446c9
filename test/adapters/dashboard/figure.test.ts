import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesText, shortFigure } from '../../../adapters/dashboard/pages/parts/figure.ts';

describe('a number of bytes', () => {
  it('is rounded, in the largest unit of which there is one', () => {
    expect([0, 1, 1023, 1024, 1536].map(bytesText)).toEqual([
      ...['0 bytes', '1 bytes', '1,023 bytes', '1.0 KiB', '1.5 KiB'],
    ]);
    const mebibytes = (count: number) => bytesText(count * 2 ** 20);
    expect([74_965_464, 99.94 * 2 ** 20, 99.96 * 2 ** 20].map(bytesText)).toEqual([
      ...['71.5 MiB', '99.9 MiB', '100 MiB'],
    ]);
    expect([0.9999, 1023.4, 1023.6].map(mebibytes)).toEqual(['1.0 MiB', '1,023 MiB', '1.0 GiB']);
    expect(bytesText(5000 * 2 ** 40)).toBe('5,000 TiB');
  });
});

describe('a figure in its short form', () => {
  it('has thousands of millions as billions, and a million of them as trillions', () => {
    expect([0, 999, 60_000, 999_999].map(shortFigure)).toEqual(['0', '999', '60,000', '999,999']);
    expect([1e6, 2.5e8, 60e9, -60e9, 3e12].map(shortFigure)).toEqual(['1M', '250M', '60B', '-60B', '3T']);
    expect(shortFigure(0.25)).toBe('0.25');
    expect(shortFigure(1e15)).toBe('1,000,000,000,000,000');
  });

  it('that rounds up has the next unit', () => {
    expect(shortFigure(999_999_999)).toBe('1B');
  });

  it('is the number to six digits', () => {
    const units: Readonly<Record<string, number>> = { M: 1e6, B: 1e9, T: 1e12 };
    fc.assert(
      fc.property(fc.double({ min: -1e14, max: 1e14, noNaN: true }), (value) => {
        const [, digits = '', unit = ''] = /^(.*?)([MBT]?)$/.exec(shortFigure(value)) ?? [];
        const read = Number(digits.replaceAll(',', '')) * (units[unit] ?? 1);
        expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-5);
      }),
    );
  });
});
