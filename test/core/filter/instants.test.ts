import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileInstants,
  complementRanges,
  intersectRanges,
  uniteRanges,
  type InstantRange,
} from '../../../src/core/filter/instants.ts';

const limits = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(-Infinity, Infinity));
const sets = fc.array(fc.record({ from: limits, until: limits }), { maxLength: 5 });
const INSTANTS = Array.from({ length: 12 }, (_, i) => i - 1);

const isIn = (ranges: readonly InstantRange[], instant: number) =>
  ranges.some(({ from, until }) => instant >= from && instant < until);

/** Ascending, apart, none empty: so equal sets of instants are equal ranges. */
function expectTidy(ranges: readonly InstantRange[]): void {
  ranges.forEach(({ from, until }, i) => {
    expect(from).toBeLessThan(until);
    if (i > 0) expect(from).toBeGreaterThan(ranges[i - 1]!.until);
  });
}

describe('ranges of instants', () => {
  it('join, exclude and overlap as sets do', () => {
    fc.assert(
      fc.property(sets, fc.array(sets, { maxLength: 3 }), (some, more) => {
        const united = uniteRanges(some);
        const complement = complementRanges(united);
        const overlap = intersectRanges(more.map(uniteRanges));
        for (const ranges of [united, complement, overlap]) expectTidy(ranges);
        for (const instant of INSTANTS) {
          expect(isIn(united, instant)).toBe(isIn(some, instant));
          expect(isIn(complement, instant)).toBe(!isIn(some, instant));
          expect(isIn(overlap, instant)).toBe(more.every((set) => isIn(set, instant)));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('hold an instant from their first millisecond to the last before their end', () => {
    fc.assert(
      fc.property(sets, (some) => {
        const ranges = uniteRanges(some);
        const holds = compileInstants(ranges);
        for (const instant of INSTANTS) expect(holds(instant)).toBe(isIn(ranges, instant));
      }),
      { numRuns: 1000 },
    );
  });
});
