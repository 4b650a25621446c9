import { expect, it } from 'vitest';
import { readArrivals } from '../../../../src/core/columns/log/arrivals.ts';
import { readRows } from '../../../../src/core/columns/log/log.ts';
import { parseCountBody } from '../../../../src/store-kit.ts';
import { countingPacer, eventsWith, logOf, range } from '../fixtures.ts';

it('a tail goes on after erased rows, and gives none of them', async () => {
  const log = logOf(eventsWith(range(0, 30)));
  // Segments have eight rows here: the second is erased as a whole, and the last rows are.
  log.erase([0, 3, ...range(8, 16), 28, 29]);
  const query = parseCountBody({});
  const first = await readArrivals(
    log,
    { query, position: { log: log.id, row: 0 }, size: 4 },
    countingPacer(),
  );
  expect(first.events.map(({ insertId }) => insertId)).toEqual(['id-1', 'id-2', 'id-4', 'id-5']);
  const rest = await readArrivals(log, { query, position: first.position, size: 100 }, countingPacer());
  const left = [6, 7, ...range(16, 28)];
  expect(rest.events.map(({ insertId }) => insertId)).toEqual(left.map((row) => `id-${row}`));
  expect(rest.position).toEqual({ log: log.id, row: 30 });
  // The position that a client has stays that of the next event, whatever was erased before it.
  log.append(eventsWith(['new'], 30));
  log.erase([6]);
  const last = await readArrivals(log, { query, position: rest.position, size: 100 }, countingPacer());
  expect(last.events.map(({ insertId }) => insertId)).toEqual(['id-30']);
});

it('rows that are all erased are passed over', () => {
  const log = logOf(eventsWith(range(0, 30)));
  log.erase(range(4, 20));
  expect(readRows(log, 4, 20)).toEqual({ events: [], rows: [], end: 20 });
  expect(readRows(log, 0, 30)).toMatchObject({ rows: [...range(0, 4), ...range(20, 30)], end: 30 });
});

it('large events that are read piece by piece come once each, whatever was erased among them', () => {
  const log = logOf(eventsWith(range(0, 12).map((i) => `${i}`.padEnd(400_000, 'x'))));
  log.erase([0, 2, 5]);
  const found: string[] = [];
  for (let row = 0; row < 12;) {
    const { events, end } = readRows(log, row, 12);
    expect(events.length).toBeLessThan(9);
    found.push(...events.map(({ insertId }) => insertId));
    row = end;
  }
  expect(found).toEqual([1, 3, 4, ...range(6, 12)].map((row) => `id-${row}`));
});
