import { expect, it } from 'vitest';
import { createKnownProperties } from '../../../../src/core/columns/properties/known-properties.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { eventsWith, logOf } from '../fixtures.ts';

it('a table that broke for want of memory never answers, also when there is memory again', () => {
  const entry = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 }).cacheEntry('t', () => undefined);
  let left = Infinity;
  const scarce = {
    ...entry,
    get bytes() {
      return entry.bytes;
    },
    reserve: (bytes: number) => left-- > 0 && entry.reserve(bytes),
  };
  const log = logOf(eventsWith(Array.from({ length: 20 }, (_, i) => ({ [`key-${i}`]: { inner: i } }))));
  const known = createKnownProperties(log, scarce);
  known.indexStep(1);
  left = 1;
  expect(() => known.indexStep(20)).toThrow('overloaded');
  expect(known.isBroken).toBe(true);
  left = Infinity;
  expect(() => known.indexStep(20)).toThrow('overloaded');
  expect(() => known.answer(undefined)).toThrow('overloaded');
});
