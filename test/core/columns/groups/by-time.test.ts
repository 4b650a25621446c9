import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { createColumnIndex, parseBreakdownBody } from '../../../../src/store-kit.ts';
import { logOf, nodeScheduler, SEED } from '../fixtures.ts';

const HOUR_MS = 3_600_000;
/** A Monday. */
const START = Date.UTC(2026, 5, 1);

it.each([undefined, 'userId'])(
  'of a bucket that begins before the query counts only what it asks: %s',
  async (distinct) => {
    const events = Array.from({ length: 21 * 24 }, (_, hour) => ({
      ...{ eventName: 'n', userId: `user-${hour}`, insertId: `id-${hour}`, propertiesJson: '{}' },
      eventTs: START + hour * HOUR_MS,
    }));
    const log = logOf(events);
    const memory = createMemoryBudget({ bytesMax: 1e9 });
    const index = createColumnIndex({ open: () => log, memory, scheduler: nodeScheduler(), seed: SEED });
    // From Wednesday of the first week to Tuesday of the third.
    const days = { after: '2026-06-03', before: '2026-06-16' };
    const { query, grouping } = parseBreakdownBody({
      ...days,
      by: 'week',
      ...(distinct === undefined ? {} : { distinct }),
    });
    const found = await index.breakdown('t', query, grouping);
    const counts = [5 * 24, 7 * 24, 2 * 24];
    expect(found.groups.map(({ count }) => count)).toEqual(counts);
    expect(found.total).toBe(14 * 24);
    if (distinct !== undefined) expect(found.groups.map((group) => group.distinct)).toEqual(counts);
  },
);
