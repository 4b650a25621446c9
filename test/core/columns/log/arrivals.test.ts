import { expect, it } from 'vitest';
import { readArrivals } from '../../../../src/core/columns/log/arrivals.ts';
import type { ArrivalPosition } from '../../../../src/core/query/arrivals.ts';
import { parseCountBody, type StoredEvent } from '../../../../src/store-kit.ts';
import { countingPacer, eventsWith, logOf } from '../fixtures.ts';

it.each([1, 7, 256, 300])(
  'gives at most %i at a time, and the next answer goes on behind them',
  async (size) => {
    const log = logOf(eventsWith(Array.from({ length: 600 }, (_, i) => i)));
    const found: StoredEvent[] = [];
    let position: ArrivalPosition = { log: log.id, row: 0 };
    for (let asked = 0; asked < 600; asked += size) {
      const arrivals = await readArrivals(
        log,
        { query: parseCountBody({}), position, size },
        countingPacer(),
      );
      expect(arrivals.events).toHaveLength(Math.min(size, 600 - asked));
      ({ position } = arrivals);
      found.push(...arrivals.events);
    }
    expect(found.map(({ insertId }) => insertId)).toEqual(found.map((_, row) => `id-${row}`));
    expect(position).toEqual({ log: log.id, row: 600 });
  },
);

it('looks at a bounded number of events for one answer, which says that there are more', async () => {
  const log = logOf(eventsWith(Array.from({ length: 70_000 }, (_, i) => i)));
  const query = parseCountBody({ event: 'nobody' });
  // The position of another log.
  let position: ArrivalPosition = { log: log.id + 1, row: 5 };
  const rows: unknown[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const arrivals = await readArrivals(log, { query, position, size: 10 }, countingPacer());
    ({ position } = arrivals);
    rows.push([arrivals.events.length, position.row, arrivals.more]);
  }
  expect(rows).toEqual([
    [0, 32_768, true],
    [0, 65_536, true],
    [0, 70_000, undefined],
  ]);
});

it.each([
  [3, 0],
  [4, 3],
])('behind row %i of three, which an older backup may not have, %i events are new', async (row, count) => {
  const log = logOf(eventsWith([1, 2, 3]));
  const request = { query: parseCountBody({}), position: { log: log.id, row }, size: 10 };
  const { events, position } = await readArrivals(log, request, countingPacer());
  expect([events.length, position]).toEqual([count, { log: log.id, row: 3 }]);
});
