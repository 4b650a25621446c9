import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPTION_WORDS, type Decimal } from '../../../../adapters/import/base/options.ts';
import { readersOf } from '../../../../adapters/import/mappings/csv.ts';
import { isApiError } from '../../../../src/index.ts';

/** The number of a cell; undefined for one that is refused. */
function read(cell: string, decimal: Decimal | undefined): unknown {
  const value = readersOf(decimal, OPTION_WORDS).number(cell, 'price');
  return isApiError(value) ? undefined : value;
}

describe('a number of a table', () => {
  it.each<[cell: string, comma: number | undefined, point: number | undefined]>([
    ['12,5', 12.5, undefined],
    ['12.5', undefined, 12.5],
    ['1.250', 1250, 1.25],
    ['1,250', 1.25, 1250],
    ['1.250,75', 1250.75, undefined],
    ['1,250.75', undefined, 1250.75],
    ['1\u00a0250,75', 1250.75, undefined],
    ['1’250.75', undefined, 1250.75],
    ['1.250.000', 1_250_000, undefined],
    ['1.25.000', undefined, undefined],
    ['1250.000', undefined, 1250],
    // No number of thousands begins with a zero.
    ['0.125', undefined, 0.125],
    ['-0,125', -0.125, undefined],
    ['12,', 12, undefined],
    ['-7', -7, -7],
  ])('%s is %s with a comma for the fraction, and %s with a point', (cell, comma, point) => {
    expect([read(cell, ','), read(cell, '.')]).toEqual([comma, point]);
  });

  it('with the sign of the other decimals is refused, but where it stands between thousands', () => {
    const whole = fc.stringMatching(/^(0|[1-9]\d{0,5})$/);
    const fraction = fc.stringMatching(/^\d{1,5}$/);
    const signs = fc.constantFrom<readonly [Decimal, Decimal]>([',', '.'], ['.', ',']);
    fc.assert(
      fc.property(whole, fraction, signs, (before, behind, [own, other]) => {
        const areThousands = /^[1-9]\d{0,2}$/.test(before) && behind.length === 3;
        expect(read(before + own + behind, own)).toBe(Number(`${before}.${behind}`));
        expect(read(before + other + behind, own)).toBe(areThousands ? Number(before + behind) : undefined);
      }),
    );
  });
});
