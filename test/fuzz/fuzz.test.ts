import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const SEED = Number(process.env.EVENT_QUERY_SEED);

// A short run of what `npm run fuzz` does at length.
describe('no input makes a parser throw anything but its refusal, and neither end is missed', () => {
  it.each(TARGETS)('$name', (target) => {
    expect(fuzz(target, 500, SEED).failure).toBeUndefined();
  });
});

describe('a fuzzer fails', () => {
  const all = (outcome: 'accepted' | 'refused') => ({
    name: outcome,
    inputs: fc.constant(''),
    check: () => outcome,
  });

  it('when its inputs are all refused, or all accepted', () => {
    expect(fuzz(all('refused'), 100, 1).failure).toMatch(/^only 0 of 100 inputs were accepted/);
    expect(fuzz(all('accepted'), 100, 1).failure).toMatch(/^only 0 of 100 inputs were refused/);
  });

  it('when an input makes its parser throw, and says which', () => {
    const inputs = fc.constantFrom(1, 2, 3);
    const check = (input: number) => {
      if (input === 2) throw new Error('two');
      return 'accepted' as const;
    };
    expect(fuzz({ name: 'two', inputs, check }, 100, 1).failure).toMatch(
      /seed 1 repeats it: \[2\] Error: two/,
    );
  });
});
