import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { TARGETS } from './targets.ts';

// A short run of what `npm run fuzz` does at length.
describe('no input makes a parser throw anything but its refusal', () => {
  it.each(TARGETS)('$name', ({ inputs, check }) => {
    fc.assert(
      fc.property(inputs, (input) => {
        check(input as never);
      }),
      { numRuns: 500 },
    );
  });
});
