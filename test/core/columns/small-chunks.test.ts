import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as sizes from '../../../src/core/columns/log/sizes.ts';
import { toEventView } from '../../../src/core/filter/predicate.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { collect } from '../../../src/internal.ts';
import {
  compilePredicate,
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { compareNewestFirst } from '../../conformance/expected.ts';
import * as small from '../../support/small-sizes.ts';
import { emptyLog, nodeScheduler, SEED } from './fixtures.ts';

/** Segments have eight rows here, and blocks six. Many zones have to be looked at. */
const ERA_ROWS = 32 * small.SEGMENT_ROWS;
const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Row `i`: values that whole segments share, one of its own, one that few have; some come late. */
function eventAt(i: number, lateBy: number): StoredEvent {
  const properties = {
    era: Math.floor(i / 50) % 3,
    word: Math.floor(i / ERA_ROWS),
    own: i,
    user: (i * 7919) % 41,
    ...(i % 37 === 0 ? { rare: i % 2 === 0 } : {}),
  };
  return {
    eventName: i < 100 ? 'first' : `name-${i % 3}`,
    userId: `user-${i % 5}`,
    eventTs: START + Math.max(0, i - lateBy) * HOUR_MS,
    insertId: `id-${i}`,
    propertiesJson: JSON.stringify(properties),
  };
}

/** Of few rows each value of their own has a bit. */
const lengths = fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 3 * ERA_ROWS }));
const logs = fc
  .tuple(lengths, fc.constantFrom(0, 3, 300))
  .map(([length, lateBy]) => Array.from({ length }, (_, i) => eventAt(i, i % 7 === 0 ? lateBy : 0)));

const COMPARISONS = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN_OR_EQUALS'] as const;
const test = (property: string, value: fc.Arbitrary<unknown>, comparison = fc.constantFrom(...COMPARISONS)) =>
  fc.record({ property: fc.constant(`properties.${property}`), comparison, value });
const leaves = fc.oneof(
  test('era', fc.nat({ max: 3 })),
  test('word', fc.nat({ max: 3 })),
  test('own', fc.constantFrom(30, 31, 32, 62, 63, 64)),
  test('own', fc.nat({ max: 3 * ERA_ROWS })),
  test('user', fc.nat({ max: 41 })),
  test('rare', fc.boolean(), fc.constantFrom('EQUALS', 'NOT_EQUALS')),
);
const filterSets = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: leaves },
    fc.record({ anyOf: fc.array(leaves, { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: fc.record({ allOf: fc.array(leaves, { minLength: 1, maxLength: 2 }) }) }),
  ),
  { minLength: 1, maxLength: 2 },
) as fc.Arbitrary<FilterEntry[]>;
const dayOf = (row: number) => new Date(START + row * HOUR_MS).toISOString().slice(0, 10);
const bounds = fc.oneof(
  fc.constant({}),
  fc.nat({ max: 3 * ERA_ROWS }).map((row) => ({ after: dayOf(row) })),
  fc.nat({ max: 3 * ERA_ROWS }).map((row) => ({ before: dayOf(row) })),
);
const pages = fc.record({ offset: fc.nat({ max: 2 * ERA_ROWS }), size: fc.integer({ min: 1, max: 300 }) });

function openIndex(events: readonly StoredEvent[]) {
  const log = emptyLog();
  log.append(events);
  const scheduler = nodeScheduler();
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  return createColumnIndex({ open: () => log, memory, scheduler, seed: SEED });
}

it('is asked with segments that are small', () => expect({ ...sizes }).toEqual({ ...small }));

it('any answer is that of the predicate, however segments and blocks lie', async () => {
  await fc.assert(
    fc.asyncProperty(
      logs,
      fc.array(fc.tuple(filterSets, bounds, pages), { minLength: 1, maxLength: 6 }),
      async (events, asked) => {
        const index = openIndex(events);
        const newest = events.toSorted(compareNewestFirst);
        for (const [filterSet, within, page] of asked) {
          const query = parseCountBody({ ...within, filterSet });
          const belongs = compilePredicate(query);
          const expected = newest.filter((event) => belongs(toEventView(event)));
          expect(await index.count('t', query)).toBe(expected.length);
          const { offset, size } = page;
          const found = await collect(await index.query('t', query, page));
          expect(found).toEqual(expected.slice(offset, offset + size));
          for (const by of ['userId', 'properties.era', 'day']) {
            const body = parseBreakdownBody({ ...within, filterSet, by, size: 1000, distinct: 'userId' });
            const { total, groups, distinct } = await index.breakdown('t', body.query, body.grouping);
            const sum = groups.reduce((all, { count }) => all + count, 0);
            const users = new Set(expected.map(({ userId }) => userId)).size;
            expect([total, sum, distinct]).toEqual([expected.length, expected.length, users]);
          }
        }
      },
    ),
    { numRuns: 10 * Number(process.env.EVENT_QUERY_RUNS ?? 10) },
  );
});

const all = Array.from({ length: 3 * ERA_ROWS }, (_, i) => eventAt(i, 0));
const where = (property: string, comparison: string, value: number) =>
  ({ property: `properties.${property}`, comparison, value }) as FilterEntry;

it.each([0, 1, 2])('segments of the part %i of a log are told from those of the others', async (word) => {
  // A day has 24 rows.
  const query = parseCountBody({ after: dayOf(24), filterSet: [where('word', 'EQUALS', word)] });
  expect(await openIndex(all).count('t', query)).toBe(word === 0 ? ERA_ROWS - 24 : ERA_ROWS);
});

it.each([32, 64])('a segment whose highest code is %i has a bit for it', async (code) => {
  // Each row has the code after its number, and so many codes are looked up together.
  const filterSet = [where('own', 'GREATER_THAN_OR_EQUALS', code - 1), where('word', 'EQUALS', 0)];
  const query = parseCountBody({ filterSet });
  expect(await openIndex(all.slice(0, 100)).count('t', query)).toBe(100 - (code - 1));
});

it('a deep page has the rows of blocks that match whole', async () => {
  const filterSet = [where('word', 'EQUALS', 0)];
  const page = await openIndex(all).query('t', parseCountBody({ filterSet }), { offset: 50, size: 100 });
  const rows = (await collect(page)).map(({ insertId }) => insertId);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, i) => `id-${ERA_ROWS - 51 - i}`));
});
