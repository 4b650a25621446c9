import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toEventView } from '../../../../src/core/filter/predicate.ts';
import type { FilterEntry } from '../../../../src/index.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import {
  compilePredicate,
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type EventQuery,
  type StoredEvent,
} from '../../../../src/store-kit.ts';
import { compareNewestFirst } from '../../../conformance/expected.ts';
import { emptyLog, nodeScheduler, SEED } from '../fixtures.ts';
import { SEGMENT_ROWS } from '../../../../src/core/columns/log/sizes.ts';

const T = 'tenant';
const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** What the rows of a chunk have is often not what those of another have. */
const ERAS = [['a'], ['a', 'b'], [undefined], ['c', undefined], ['b']];

/** Row `i` of a log whose chunks differ: eras, sessions that come and go, a value of its own, late rows. */
function eventAt(i: number): StoredEvent {
  const era = ERAS[Math.floor(i / SEGMENT_ROWS) % ERAS.length]!;
  // Some rows are late by an hour or so, and a few by weeks.
  const lateBy = i % 1009 === 0 ? 50_000 : i % 19 === 0 ? i % 61 : 0;
  const properties = {
    era: era[i % era.length],
    session: Math.floor(i / 300),
    user: (i * 7919) % 211,
    own: `own-${i}`,
    ...(i % 5000 === 77 ? { rare: i % 3 === 0 } : {}),
  };
  return {
    eventName: i < SEGMENT_ROWS ? 'first' : `name-${i % 3}`,
    userId: `user-${i % 7}`,
    eventTs: START + Math.max(0, i - lateBy) * MINUTE_MS,
    insertId: `id-${(i * 31) % 1000}-${i}`,
    propertiesJson: JSON.stringify(properties),
  };
}

const SIZES = [2 * SEGMENT_ROWS - 1, 3 * SEGMENT_ROWS + 5000, 5 * SEGMENT_ROWS + 17];
const EVENTS = Array.from({ length: SIZES.at(-1)! }, (_, i) => eventAt(i));
const VIEWS = EVENTS.map(toEventView);
const NEWEST = Uint32Array.from(EVENTS.keys()).sort((a, b) => compareNewestFirst(EVENTS[a]!, EVENTS[b]!));

const operators = fc.constantFrom('EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN_OR_EQUALS');
const rows = fc.nat({ max: EVENTS.length + 10_000 });
const test = (property: string, value: fc.Arbitrary<unknown>, comparison: fc.Arbitrary<string> = operators) =>
  fc.record({ property: fc.constant(`properties.${property}`), comparison, value });
const nulls = fc.constantFrom('IS_NULL', 'IS_NOT_NULL');
const leaves = fc.oneof(
  test('era', fc.constantFrom('a', 'b', 'c', 'none')),
  test('era', fc.constant(null), nulls),
  test(
    'session',
    rows.map((row) => Math.floor(row / 300)),
  ),
  test('user', fc.nat({ max: 220 })),
  test(
    'own',
    rows.map((row) => `own-${row}`),
  ),
  test(
    'own',
    rows.map((row) => `-${row}`),
    fc.constantFrom('CONTAINS', 'NOT_CONTAINS'),
  ),
  test('rare', fc.boolean(), fc.constantFrom('EQUALS', 'NOT_EQUALS')),
  test('rare', fc.constant(null), nulls),
  fc.record({
    property: fc.constant('eventName'),
    comparison: operators,
    value: fc.constantFrom('first', 'name-1', 'x'),
  }),
);
const { entries } = fc.letrec<{ entries: unknown }>((tie) => ({
  entries: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: leaves },
    fc.record({ anyOf: fc.array(tie('entries'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('entries'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('entries') }),
  ),
}));
const filterSets = fc.array(entries, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<FilterEntry[]>;
const dayOf = (row: number) => new Date(START + row * MINUTE_MS).toISOString().slice(0, 10);
const bounds = fc.oneof(
  fc.constant({}),
  rows.map((row) => ({ after: dayOf(row) })),
  fc.tuple(rows, rows).map(([a, b]) => ({ after: dayOf(Math.min(a, b)), before: dayOf(Math.max(a, b)) })),
);

function expectedRows(query: EventQuery, size: number): number[] {
  const belongs = compilePredicate(query);
  return Array.from(NEWEST).filter((row) => row < size && belongs(VIEWS[row]!));
}

it('counts, pages and groups are those of the predicate, while chunks become whole', async () => {
  const page = fc.record({
    offset: fc.constantFrom(0, 3, 40_000),
    size: fc.integer({ min: 1, max: 200 }),
  });
  const asked = fc.array(fc.tuple(filterSets, bounds, page), {
    minLength: SIZES.length,
    maxLength: SIZES.length,
  });
  await fc.assert(
    fc.asyncProperty(asked, fc.boolean(), async (list, together) => {
      const log = emptyLog();
      const index = createColumnIndex({
        open: () => log,
        memory: createMemoryBudget({ bytesMax: 1e9 }),
        scheduler: nodeScheduler(),
        seed: SEED,
      });
      for (const [i, [filterSet, within, request]] of list.entries()) {
        log.append(EVENTS.slice(log.size(), SIZES[i]));
        const query = parseCountBody({ ...within, filterSet });
        const expected = expectedRows(query, SIZES[i]!);
        const ask = async () => {
          expect(await index.count(T, query)).toBe(expected.length);
          const found = await collect(await index.query(T, query, request));
          const { offset, size } = request;
          expect(found).toEqual(expected.slice(offset, offset + size).map((row) => EVENTS[row]));
          for (const by of ['userId', 'week']) {
            const { query: whole, grouping } = parseBreakdownBody({
              ...within,
              filterSet,
              by,
              size: 1000,
            });
            const { total, groups } = await index.breakdown(T, whole, grouping);
            expect(total).toBe(expected.length);
            const sum = groups.reduce((all, { count }) => all + count, 0);
            expect(sum).toBe(expected.length);
          }
        };
        // Rows that arrive while a question runs are not of it, and its chunk may become whole meanwhile.
        if (together && i === 0) {
          const first = index.count(T, query);
          log.append(EVENTS.slice(log.size(), SIZES[1]));
          expect([expected.length, expectedRows(query, SIZES[1]!).length]).toContain(await first);
        } else await ask();
      }
    }),
    // A smaller case takes as long as the first: its rows are the same.
    { numRuns: Math.ceil(Number(process.env.EVENT_QUERY_RUNS ?? 30) / 20), endOnFailure: true },
  );
}, 600_000);
