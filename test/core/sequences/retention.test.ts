import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { parseRetentionBody } from '../../../src/core/query/parse-retention.ts';
import { createRetentionFold } from '../../../src/core/sequences/retention.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { retentionOf } from '../../conformance/expected-retention.ts';
import { casesOf } from '../../support/cases.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PACER = { now: () => 0, yieldIfDue: () => undefined };

/** Days of other lengths than 24 hours, by an instant in each: longer, shorter, by half an hour, skipped. */
const CHANGES = [
  ['Europe/Berlin', '2024-10-27T01:00Z'],
  ['Europe/Berlin', '2024-03-31T01:00Z'],
  ['America/St_Johns', '2006-10-29T02:31Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
] as const;

const nearby = fc.constantFrom(0, -1, 1, HOUR_MS, -HOUR_MS, HOUR_MS / 2, -HOUR_MS / 2, 3 * HOUR_MS);

/** A stream of one user some days before such a day, with returns about whole days after the start. */
const examples = fc.constantFrom(...CHANGES).chain(([timeZone, instant]) =>
  fc.record({
    timeZone: fc.constant(timeZone),
    unit: fc.constantFrom('day', 'week', 'month'),
    start: fc
      .tuple(fc.nat({ max: 10 }), fc.nat({ max: 47 }), nearby)
      .map(([days, halves, more]) => Date.parse(instant) - days * DAY_MS + (halves * HOUR_MS) / 2 + more),
    returns: fc.array(
      fc
        .tuple(fc.nat({ max: 40 }), fc.nat({ max: 47 }), nearby)
        .map(([days, halves, more]) => days * DAY_MS + (halves * HOUR_MS) / 2 + more),
      { minLength: 1, maxLength: 12, size: 'max' },
    ),
  }),
);

it('periods of the calendar are as long as those of the zone, where clocks change', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  await fc.assert(
    fc.asyncProperty(examples, async ({ timeZone, unit, start, returns }) => {
      const ofUser = { userId: 'u', propertiesJson: '{}' };
      const events: readonly StoredEvent[] = [
        { ...ofUser, eventName: 'A', eventTs: start, insertId: 'a' },
        ...returns
          .toSorted((a, b) => a - b)
          .map((after, i) => {
            // Of one instant, the return is behind the start.
            const eventTs = start + Math.max(0, after);
            return { ...ofUser, eventName: 'B', eventTs, insertId: `b${String(i).padStart(2, '0')}` };
          }),
      ];
      const steps = [{ event: 'A' }, { event: 'B' }];
      const asked = parseRetentionBody({ steps, unit, timeZone, periods: 9 });
      const fold = createRetentionFold(asked, memory.reservation('tenant'));
      const instants = events.map(({ eventTs }) => eventTs);
      const bits = events.map(({ eventName }) => (eventName === 'A' ? 1 : 2));
      await fold.add({ streams: [{ key: 'u', instants, bits }], missing: 0 }, PACER);
      expect(await fold.finish(PACER)).toEqual(retentionOf(events, asked));
    }),
    { numRuns: casesOf(5000) },
  );
});
