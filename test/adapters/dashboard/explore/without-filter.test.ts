import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { within } from '../../../../adapters/dashboard/pages/explore/asked-question.ts';
import { withoutFilter } from '../../../../adapters/dashboard/pages/explore/filter/open-question.ts';
import type { FilterEntry } from '../../../../src/index.ts';

const instants = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) });
/** Filters of an address, of which some are the same as an end of the range of time. */
const filters: fc.Arbitrary<FilterEntry> = fc.oneof(
  fc.record({
    property: fc.constantFrom('properties.plan', 'userId'),
    comparison: fc.constant('EQUALS' as const),
    value: fc.constantFrom('a', 'b'),
  }),
  instants.map((ms) => ({
    ...{ property: 'eventTs', comparison: 'LESS_THAN' as const },
    value: new Date(ms).toISOString(),
  })),
);

it('values are suggested for the question of the page less their filter, in its range of time', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(filters, { maxLength: 5, selector: (each) => JSON.stringify(each) }),
      fc.record({ from: instants, until: instants }),
      fc.nat(),
      (applied, range, nth) => {
        const asked = (filterSet: readonly FilterEntry[]) =>
          within({ event: 'e', ...(filterSet.length === 0 ? {} : { filterSet }) }, range);
        const at = applied.length === 0 ? -1 : nth % applied.length;
        const question = { body: asked(applied), subject: 'asked', since: 1 };
        const open = at === -1 ? undefined : JSON.stringify(applied[at]);
        const { body } = withoutFilter(question, open);
        expect(body).toEqual(asked(at === -1 ? [] : applied.toSpliced(at, 1)));
      },
    ),
  );
});
