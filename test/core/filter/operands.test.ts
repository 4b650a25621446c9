import { expect, it } from 'vitest';
import { parseCountBody } from '../../../src/store-kit.ts';

const ask = (length: number) => () =>
  parseCountBody({
    filterSet: [{ property: 'userId', comparison: 'IN', value: Array.from({ length }, (_, i) => `u${i}`) }],
  });

it('a list has at most 1,000 operands', () => {
  expect(ask(1000)).not.toThrow();
  expect(ask(1001)).toThrow('an array of 0 to 1,000');
});
