import { createDecimalSum, sumOf, type DecimalSum } from '../../query/decimal.ts';

/** Powers of ten by which most numbers become whole. */
const SCALES = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];

/** A decimal of at most 15 digits is the only one of so few that reads as its number. */
const FEW_DIGITS = 1e15;

/** Sums of whole numbers stay exact below 2^53. */
const EXACT_MAX = 4e15;

/**
 * Adds numbers exactly, most of them without a look at their texts: if a whole number of few digits, divided
 * by a power of ten, is the number, then these are the digits that the number is written with.
 */
export function createExactSum(): DecimalSum {
  /** Whole numbers of each scale. */
  const wholes = new Float64Array(SCALES.length);
  /** What no longer fits into those. */
  const large = SCALES.map(() => 0n);
  const others = createDecimalSum();

  function flush(scale: number): void {
    if (wholes[scale] !== 0) large[scale]! += BigInt(wholes[scale]!);
    wholes[scale] = 0;
  }

  return {
    add(number, times) {
      for (let scale = 0; scale < SCALES.length; scale++) {
        const whole = Math.round(number * SCALES[scale]!);
        if (whole > FEW_DIGITS || whole < -FEW_DIGITS) break;
        if (whole / SCALES[scale]! !== number) continue;
        const part = whole * times;
        if (part > EXACT_MAX || part < -EXACT_MAX) {
          large[scale]! += BigInt(whole) * BigInt(times);
          return;
        }
        const sum = wholes[scale]! + part;
        if (sum > EXACT_MAX || sum < -EXACT_MAX) flush(scale);
        wholes[scale]! += part;
        return;
      }
      others.add(number, times);
    },
    total() {
      SCALES.forEach((_, scale) => flush(scale));
      return sumOf([...large.map((digits, scale) => ({ digits, exponent: -scale })), others.total()]);
    },
  };
}
