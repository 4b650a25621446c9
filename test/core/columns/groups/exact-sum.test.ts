import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createExactSum } from '../../../../src/core/columns/groups/exact-sum.ts';
import { placeIn, sortNumbers } from '../../../../src/core/columns/groups/sort-numbers.ts';
import { createDecimalSum, sumOf } from '../../../../src/core/query/decimal.ts';

const numbers = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100),
  fc.integer({ min: -9, max: 9 }).map((digit) => digit / 1e7),
  fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }).map(Number),
  fc.constantFrom(1e15, -1e15, 1e15 + 1, 999_999_999_999_999.9, 1e22, 5e-324, 1.7976931348623157e308),
  // It is no whole number of millionths, though such a number reads as it.
  fc.constant(9_100_000_000.000011),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
);

it('numbers of few digits add up as their texts do', () => {
  const added = fc.array(fc.tuple(numbers, fc.constantFrom(1, 2, 1000, 4_000_000_000)), { maxLength: 200 });
  fc.assert(
    fc.property(added, (all) => {
      const [fast, plain] = [createExactSum(), createDecimalSum()];
      for (const [number, times] of all) {
        fast.add(number, times);
        plain.add(number, times);
      }
      const { digits, exponent } = plain.total();
      expect(sumOf([fast.total(), { digits: -digits, exponent }]).digits).toBe(0n);
    }),
    { numRuns: 500 },
  );
});

it.each([1, -1])('sums beyond 2^53 are exact on both sides of zero: %i', (sign) => {
  const sum = createExactSum();
  // Eleven of these are more than a double holds, and odd.
  for (let i = 0; i < 11; i++) sum.add(sign * 999_999_999_999_999, 1);
  const wanted = { digits: BigInt(sign) * 10_999_999_999_999_989n, exponent: 0 };
  expect(sumOf([sum.total(), { ...wanted, digits: -wanted.digits }]).digits).toBe(0n);
});

it('many numbers are sorted with pauses, and found again', async () => {
  let pauses = 0;
  const pacer = { now: () => 0, yieldIfDue: () => void (pauses += 1) };
  for (const length of [0, 1, 32_768, 32_769, 100_000, 131_072, 200_001]) {
    const random = Float64Array.from({ length }, (_, i) => ((i * 7919) % 100_003) - 50_000.5);
    const wanted = random.slice().sort();
    const sorted = await sortNumbers(random, pacer);
    expect(Buffer.from(sorted.buffer).equals(Buffer.from(wanted.buffer))).toBe(true);
    for (const place of [0, length >> 1, length - 1].filter((each) => each >= 0 && each < length))
      expect(sorted[placeIn(sorted, sorted[place]!)]).toBe(sorted[place]);
  }
  expect(pauses).toBeGreaterThan(40);
});
