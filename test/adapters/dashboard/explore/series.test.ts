import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { within } from '../../../../adapters/dashboard/pages/explore/asked-question.ts';
import { groupsOfAll, loadSeries, sumOf } from '../../../../adapters/dashboard/pages/explore/series.ts';
import type { Preset } from '../../../../adapters/dashboard/pages/time/asked.ts';
import { UNITS, type TimeRange } from '../../../../adapters/dashboard/pages/time/unit.ts';
import { createEngine, type CountBody, type EventInput, type FilterEntry } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';
import { at, ZONES } from '../time/zones.ts';

const NOW = at('2026-05-18T10:00:00Z');
const DAY_MS = 86_400_000;
/**
 * Few values, many, and none at all: where the bars have an exact part for each, and where they have a rest.
 */
const PATHS = ['properties.plan', 'properties.n', 'properties.mixed', 'eventName', 'properties.none'];

const events: fc.Arbitrary<readonly EventInput[]> = fc.array(
  fc.record({
    eventName: fc.constantFrom('a', 'b'),
    userId: fc.constantFrom('u', 'v'),
    eventTs: fc.integer({ min: NOW - 9 * DAY_MS, max: NOW }),
    properties: fc.record(
      {
        plan: fc.constantFrom('free', 'pro', null),
        n: fc.integer({ min: 0, max: 9 }),
        mixed: fc.constantFrom('5', 5, true, '', [1], { a: 1 }, null),
      },
      { requiredKeys: [] },
    ),
  }),
  { maxLength: 40 },
);

const entries: fc.Arbitrary<readonly FilterEntry[]> = fc.constantFrom<readonly FilterEntry[]>(
  [],
  [{ property: 'eventName', comparison: 'EQUALS', value: 'a' }],
  [{ property: 'properties.plan', comparison: 'IS_NULL', value: null }],
  [{ property: 'properties.plan', comparison: 'NOT_EQUALS', value: 'free' }],
  [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }],
);

const ranges: fc.Arbitrary<TimeRange> = fc.oneof(
  fc.constant({ from: -Infinity, until: Infinity }),
  fc
    .tuple(fc.integer({ min: 0, max: 10 * DAY_MS }), fc.integer({ min: 1, max: 8 * DAY_MS }))
    .map(([before, length]) => ({ from: NOW - before, until: NOW - before + length })),
);

async function seriesOf(
  given: readonly EventInput[],
  {
    by,
    range,
    filterSet,
    zone,
    preset,
  }: {
    by?: string;
    range: TimeRange;
    filterSet: readonly FilterEntry[];
    zone: string;
    /** Compared with the period before, if there is one. */
    preset?: Preset;
  },
) {
  const resources = testResources({ runtime: { now: () => NOW } });
  const tenant = createEngine({ events: memoryEventStore({ resources }), resources }).tenant('t');
  await tenant.append(given.map((event, i) => ({ ...event, insertId: String(i) })));
  const plain: CountBody = filterSet.length === 0 ? {} : { filterSet };
  const body = within(plain, range);
  const asked = { body, subject: '', since: NOW, range, preset, zone };
  const series = await loadSeries(
    asked,
    { unit: undefined, by, compares: preset !== undefined },
    {
      ask: (question) => tenant.breakdown(question),
      all: () => groupsOfAll(body, undefined, (question) => tenant.breakdown(question)),
      groups: () => tenant.breakdown({ ...body, by: by!, size: 20 }),
    },
  );
  return { series, count: await tenant.count(body) };
}

describe('the bars', () => {
  it('together are the count, for any question', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.record({
          by: fc.constantFrom(...PATHS),
          range: ranges,
          filterSet: entries,
          zone: fc.constantFrom(...ZONES),
        }),
        async (given, question) => {
          const { series, count } = await seriesOf(given, question);
          expect(sumOf(series.parts.flatMap(({ counts }) => counts))).toBe(count);
          expect(series.parts.every(({ counts }) => counts.length === series.edges.length - 1)).toBe(true);
          expect(UNITS).toContain(series.unit);
        },
      ),
    );
  });

  it('have a part for each of five values at most, and one for all events with none of them', async () => {
    const given = ['free', 'pro', 'free', undefined, null].map((plan, i) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: NOW - i * 1000 },
      properties: plan === undefined ? {} : { plan },
    }));
    const range = { from: NOW - DAY_MS, until: NOW + 1 };
    const { series } = await seriesOf(given, { by: 'properties.plan', range, filterSet: [], zone: 'UTC' });
    expect(series.parts.map(({ value, counts }) => [value, sumOf(counts)])).toEqual([
      ['free', 2],
      ['pro', 1],
      [undefined, 2],
    ]);
  });
});

describe('the period before', () => {
  it('of a day that is not over ends with the instant of the question, a day earlier', async () => {
    const given = [0, 1, 2 - DAY_MS / 2].map((ms) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: NOW - DAY_MS + ms },
    }));
    const from = at('2026-05-18T00:00:00Z');
    const range = { from, until: NOW + 1 };
    const { series } = await seriesOf(given, { range, filterSet: [], zone: 'UTC', preset: 'today' });
    expect(series.before?.range).toEqual({ from: from - DAY_MS, until: NOW + 1 - DAY_MS });
    expect(sumOf(series.before!.counts)).toBe(1);
  });
});
