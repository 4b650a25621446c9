import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createKeyedHash } from '../../../src/store-kit.ts';
import { createIdentities } from '../../../adapters/memory/identities.ts';

it('holds each identity once, however many there are', () => {
  const identity = fc.record({
    eventTs: fc.integer({ min: 0, max: 4 }),
    insertId: fc.string({ maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(identity, { maxLength: 3000, size: 'max' }), (list) => {
      const rows: { eventTs: number; insertId: string }[] = [];
      const identities = createIdentities(
        (row, eventTs, insertId) => rows[row]!.eventTs === eventTs && rows[row]!.insertId === insertId,
        (row) => rows[row]!,
        createKeyedHash([1, 2]),
      );
      const known = new Set<string>();
      for (const { eventTs, insertId } of list) {
        const isNew = !known.has(`${eventTs} ${insertId}`);
        expect(identities.add(eventTs, insertId)).toBe(isNew);
        if (isNew) rows.push({ eventTs, insertId });
        known.add(`${eventTs} ${insertId}`);
      }
    }),
    { numRuns: 30 },
  );
});
