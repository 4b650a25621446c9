import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecimalSum, decimalOf, sumOf, toDecimal, toNumber } from '../../../src/core/query/decimal.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);

/** The whole number of 2^-1074 that a number of 0 or more is. */
function unitsOf(number: number): bigint {
  const bits = new BigUint64Array(new Float64Array([number]).buffer)[0]!;
  const power = bits >> 52n;
  return ((bits & 0xfffffffffffffn) | (power === 0n ? 0n : 1n << 52n)) << (power === 0n ? 0n : power - 1n);
}

/** So many times 2^-power, as a decimal. */
const halves = (units: bigint, power: number) => ({
  digits: units * 5n ** BigInt(power),
  exponent: -power,
});

describe('a decimal', () => {
  it('becomes the number that its text reads as', () => {
    const texts = fc
      .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: -400, max: 320 }))
      .map(([digits, power]) => `${digits}e${power}`);
    fc.assert(
      fc.property(texts, (text) => {
        const number = Number(text) + 0;
        expect(toNumber(decimalOf(text))).toBe(Number.isFinite(number) ? number : undefined);
      }),
      { numRuns: 3000 },
    );
  });

  it('of a number is that number, also a subnormal one', () => {
    fc.assert(
      fc.property(finite, (number) => {
        expect(toNumber(toDecimal(number))).toBe(number);
      }),
      { numRuns: 1000 },
    );
  });

  it('in the middle of two numbers becomes the even one, and next to it the nearer', () => {
    fc.assert(
      fc.property(finite.map(Math.abs), fc.boolean(), (number, isTiny) => {
        const low = isTiny ? number * 2 ** -1023 * 2 ** -30 : number;
        const [units, bits] = [unitsOf(low), new Float64Array([low])];
        new BigUint64Array(bits.buffer)[0]! += 1n;
        const high = bits[0]!;
        fc.pre(Number.isFinite(high));
        const middle = units + unitsOf(high);
        const lowBits = new BigUint64Array(new Float64Array([low]).buffer)[0]!;
        expect(toNumber(halves(middle, 1075))).toBe((lowBits & 1n) === 0n ? low : high);
        expect(toNumber(halves(middle * 4n - 1n, 1077))).toBe(low);
        expect(toNumber(halves(middle * 4n + 1n, 1077))).toBe(high);
      }),
      { numRuns: 500 },
    );
  });

  it('divided is rounded once', () => {
    expect(toNumber(toDecimal(1), 3)).toBe(1 / 3);
    expect(toNumber(toDecimal(-5e-324), 2)).toBe(-5e-324);
    expect(toNumber(toDecimal(-5e-324), 3)).toBe(0);
    expect(toNumber(sumOf([1e308, 1e308, 1e308].map(toDecimal)), 3)).toBe(1e308);
    expect(toNumber(sumOf([1e308, 1e308].map(toDecimal)))).toBeUndefined();
  });

  it('sum has no order, and counts may stand for repetition', () => {
    const sumIn = (numbers: readonly number[]) => {
      const sum = createDecimalSum();
      for (const number of numbers) sum.add(number, 1);
      return toNumber(sum.total());
    };
    expect(sumIn(Array<number>(10).fill(0.1))).toBe(1);
    expect(sumIn([1e16, 1, -1e16, 0.1, 0.2])).toBe(1.3);
    expect(sumIn([])).toBe(0);
    const counted = createDecimalSum();
    counted.add(0.1, 3);
    counted.add(-1e-300, 2);
    counted.add(1e-300, 2);
    expect(toNumber(counted.total())).toBe(0.3);
  });
});
