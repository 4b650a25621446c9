import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { COMPARISONS } from '../../../src/internal.ts';
import { OPERAND_KINDS, parseCountBody } from '../../../src/store-kit.ts';
import { jsonValues, scalars } from '../../conformance/arbitraries/events.ts';

const ask = (length: number) => () =>
  parseCountBody({
    filterSet: [{ property: 'userId', comparison: 'IN', value: Array.from({ length }, (_, i) => `u${i}`) }],
  });

it('a list has at most 1,000 operands', () => {
  expect(ask(1000)).not.toThrow();
  expect(ask(1001)).toThrow('an array of 0 to 1,000');
});

it('what fits a kind of operand is what a body may have as its value', () => {
  const isTaken = (comparison: string, value: unknown) => {
    try {
      parseCountBody({ filterSet: [{ property: 'properties.p', comparison, value }] });
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.oneof(jsonValues, scalars, fc.array(scalars), fc.constant(null)), (value) => {
      for (const [name, { takes }] of Object.entries(COMPARISONS))
        expect(isTaken(name, value), name).toBe(OPERAND_KINDS[takes].fits(value));
    }),
  );
});
