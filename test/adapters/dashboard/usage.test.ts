import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventParts, requestParts } from '../../../adapters/dashboard/pages/usage/day-parts.ts';

it('the parts of a bar are those of its figures, and no event or request is in both', () => {
  const count = fc.nat(1_000_000);
  fc.assert(
    fc.property(count, count, count, count, (answered, refused, events, rejected) => {
      const requests = answered + refused;
      const day = { day: '2026-05-18', requests, refused, limited: 0, events, rejected, bytes: 0 };
      expect(requestParts(day)).toEqual([answered, refused]);
      expect(eventParts(day)).toEqual([events, rejected]);
    }),
  );
});
