import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isErased } from '../../../../src/core/columns/log/erased-rows.ts';
import { toEventView } from '../../../../src/core/filter/predicate.ts';
import { collect } from '../../../../src/internal.ts';
import {
  compilePredicate,
  createColumnIndex,
  parseBreakdownBody,
  parseCountBody,
  type ColumnIndex,
  type EventLog,
  type EventQuery,
  type StoredEvent,
  type TimeIndex,
} from '../../../../src/store-kit.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { compareNewestFirst } from '../../../conformance/expected.ts';
import { emptyLog, mapChunkStore, nodeScheduler, range, SEED, type TestLog } from '../fixtures.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const DAYS = 8;

/** An index by time that sorts the events of a view; the erased ones of its version stay in it. */
function timeIndexOf(view: EventLog, all: readonly StoredEvent[]): TimeIndex {
  const rows: TimeIndex['rows'] = ({ from, until, after, end }, limit) => {
    view.size();
    return range(0, end)
      .filter((row) => all[row]!.eventTs >= from && all[row]!.eventTs < until)
      .filter((row) => after === undefined || compareNewestFirst(after, all[row]!) < 0)
      .sort((a, b) => compareNewestFirst(all[a]!, all[b]!))
      .slice(0, limit);
  };
  return { rows, count: (span, limit) => rows(span, limit).length };
}

const batchOf = (minLength: number) =>
  fc
    .array(
      fc.record({
        hour: fc.oneof(fc.nat(DAYS * 24), fc.constantFrom(0, 24, 48)),
        plan: fc.constantFrom('free', 'pro', null),
        user: fc.nat(3),
      }),
      { minLength, maxLength: 40 },
    )
    .map((events) => ({ do: 'append' as const, events }));
const dayOf = (day: number) => new Date(START + day * 24 * HOUR_MS).toISOString().slice(0, 10);
const bodies = fc.record(
  {
    after: fc.nat(DAYS).map(dayOf),
    before: fc.nat(DAYS).map(dayOf),
    filterSet: fc.constantFrom(
      [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] as const,
      [{ property: 'properties.plan', comparison: 'NOT_EQUALS', value: 'pro' }] as const,
      [{ property: 'insertId', comparison: 'EQUALS', value: 'id-3' }] as const,
      [{ property: 'userId', comparison: 'EQUALS', value: 'nobody' }] as const,
      [{ not: { anyOf: [{ property: 'eventDate', comparison: 'EQUALS', value: dayOf(2) }] } }] as const,
    ),
  },
  { requiredKeys: [] },
);
const laterSteps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: batchOf(1) },
    {
      weight: 2,
      arbitrary: fc.array(fc.nat(200), { maxLength: 20 }).map((rows) => ({ do: 'erase' as const, rows })),
    },
    { weight: 1, arbitrary: fc.constantFrom({ do: 'restart' as const }, { do: 'store' as const }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        body: bodies,
        offset: fc.oneof(fc.constant(0), fc.nat(60)),
        size: fc.integer({ min: 1, max: 30 }),
      }),
    },
  ),
  { minLength: 2, maxLength: 14 },
);

/** Begins with so many events that their order is not built at once. */
const steps = fc.tuple(batchOf(24), laterSteps).map(([first, later]) => [first, ...later]);

const open = (log: TestLog): ColumnIndex =>
  createColumnIndex({
    open: () => log.view(),
    memory: createMemoryBudget({ bytesMax: 1e9 }),
    scheduler: nodeScheduler(),
    seed: SEED,
  });

/**
 * Everything that indexes answer to a query, one or a new one for each question: whole answers, and all pages
 * that follow the first.
 */
async function answersOf(open: () => ColumnIndex, query: EventQuery, page: { offset: number; size: number }) {
  const pages = [await collect(await open().query('t', query, page))];
  for (let last = pages[0]!.at(-1); last !== undefined; last = pages.at(-1)!.at(-1))
    pages.push(await collect(await open().query('t', query, { offset: 0, size: page.size, after: last })));
  const groups = [];
  for (const by of ['day', 'hour', 'userId', 'properties.plan', 'eventDate']) {
    const { grouping } = parseBreakdownBody({ by, size: 1000, distinct: 'userId' });
    groups.push(await open().breakdown('t', query, grouping));
  }
  return { count: await open().count('t', query), pages, groups };
}

describe.each(['an index of the store', 'no index of the store'])('with %s', (kind) => {
  it('answers are the same without the order, with half of it, and with all of it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const all: StoredEvent[] = [];
        const chunks = mapChunkStore();
        const log = emptyLog(1, (view) => ({
          chunks,
          ...(kind === 'an index of the store' && { byTime: timeIndexOf(view, all) }),
        }));
        let living = open(log);
        for (const step of todo) {
          if (step.do === 'append') {
            const more = step.events.map(({ hour, plan, user }, i): StoredEvent => ({
              ...{ eventName: 'e', userId: `u-${user}`, eventTs: START + hour * HOUR_MS },
              insertId: `id-${((all.length + i) * 7) % 997}`,
              propertiesJson: JSON.stringify(plan === null ? {} : { plan }),
            }));
            all.push(...more);
            log.append(more);
          }
          if (step.do === 'erase') {
            const rows = [...new Set(step.rows)].filter((row) => row < all.length);
            if (rows.length > 0) {
              log.erase(rows);
              // A store drops the chunks of older versions.
              chunks.kept.clear();
            }
          }
          if (step.do === 'restart') living = open(log);
          if (step.do === 'store') await living.count('t', parseCountBody({ after: '1970-01-01' }));
          if (step.do !== 'ask' || all.length === 0) continue;
          const { body, offset, size } = step;
          if (body.after !== undefined && body.before !== undefined && body.after > body.before) continue;
          const query = parseCountBody(body);
          const belongs = compilePredicate(query);
          const left = all.filter(
            (event, row) => !isErased(log.erased(), row) && belongs(toEventView(event)),
          );
          const newest = left.toSorted(compareNewestFirst);
          const ofFresh = await answersOf(() => open(log), query, { offset, size });
          expect(ofFresh.count).toBe(newest.length);
          expect(ofFresh.pages.flat()).toEqual(newest.slice(offset));
          expect(ofFresh.groups[0]!.total).toBe(newest.length);
          expect(await answersOf(() => living, query, { offset, size })).toEqual(ofFresh);
          // The order is there for the last of them.
          const ordered = open({
            ...log,
            view: () => ({ ...log.view(), byTime: undefined, chunks: undefined }),
          });
          for (let i = 0; i < 40; i++) await ordered.query('t', parseCountBody({}), { offset: 150, size: 1 });
          expect(await answersOf(() => ordered, query, { offset, size })).toEqual(ofFresh);
        }
      }),
      { numRuns: 5 * Number(process.env.EVENT_QUERY_RUNS ?? 10) },
    );
  });
});
