import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { EVENTS, measureIn, type Measure } from '../../../../adapters/dashboard/pages/address/measure.ts';
import { rangeOf, within } from '../../../../adapters/dashboard/pages/explore/asked-question.ts';
import {
  firstQuestion,
  isStacked,
  loadSeries,
  type ChartQuestion,
  type EventSeries,
} from '../../../../adapters/dashboard/pages/explore/series.ts';
import { AnswerError } from '../../../../adapters/dashboard/pages/server/answer-error.ts';
import type { Preset } from '../../../../adapters/dashboard/pages/time/asked.ts';
import type { TimeRange, Unit } from '../../../../adapters/dashboard/pages/time/unit.ts';
import { textIn } from '../../../../adapters/dashboard/pages/time/zone.ts';
import {
  ApiError,
  createEngine,
  type Breakdown,
  type CountBody,
  type EventInput,
  type FilterEntry,
} from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';
import { at, ZONES } from '../time/zones.ts';

const NOW = at('2026-05-18T10:00:00Z');
const DAY_MS = 86_400_000;
/**
 * Few values, many, and none at all: where the bars have an exact part for each, and where they have a rest.
 */
const PATHS = ['properties.plan', 'properties.n', 'properties.mixed', 'eventName', 'properties.none'];
const measureOf = (text: string): Measure => measureIn(text)!;
const MEASURES = ['', 'userId: distinct', 'properties.n: sum', 'properties.n: p50'].map(measureOf);

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
  [{ property: 'eventTs', comparison: 'LESS_THAN', value: '2026-05-14T07:30:00.000Z' }],
);

const ranges: fc.Arbitrary<TimeRange> = fc.oneof(
  fc.constant({ from: -Infinity, until: Infinity }),
  fc
    .tuple(fc.integer({ min: 0, max: 10 * DAY_MS }), fc.integer({ min: 1, max: 8 * DAY_MS }))
    .map(([before, length]) => ({ from: NOW - before, until: NOW - before + length })),
);

interface Asked {
  readonly by?: string;
  readonly range: TimeRange;
  readonly filterSet?: readonly FilterEntry[];
  readonly zone?: string;
  readonly unit?: Unit;
  readonly measure?: Measure;
  /** Compared with the period before, if there is one. */
  readonly preset?: Preset;
}

async function seriesOf(given: readonly EventInput[], question: Asked) {
  const { by, range, filterSet = [], zone = 'UTC', unit, measure = EVENTS, preset } = question;
  const resources = testResources({ runtime: { now: () => NOW } });
  const tenant = createEngine({ events: memoryEventStore({ resources }), resources }).tenant('t');
  await tenant.append(given.map((event, i) => ({ ...event, insertId: String(i) })));
  const plain: CountBody = filterSet.length === 0 ? {} : { filterSet };
  const body = within(plain, range);
  const asked = { body, subject: '', since: NOW, range: rangeOf(body), preset, zone };
  const options = { unit, by, measure, compares: preset !== undefined };
  const questions: ChartQuestion[] = [];
  const ask = async (each: ChartQuestion): Promise<Breakdown> => {
    questions.push(each);
    try {
      return await tenant.breakdown(each);
    } catch (error) {
      // What an answer of the server becomes.
      throw error instanceof ApiError ? new AnswerError(error.status, error.message) : error;
    }
  };
  const series = await loadSeries(asked, options, ask);
  const { total, ...whole } = await tenant.breakdown({
    ...body,
    distinct: 'userId',
    measures: [{ of: 'properties.n', take: ['sum', 'p50'] }],
  });
  const first = firstQuestion(asked, options);
  return { series, questions, first, total, whole };
}

const sumOf = (figures: readonly (number | null)[]) =>
  figures.reduce<number>((sum, each) => sum + (each ?? 0), 0);
/** How many buckets that are not those of the day's clock there would be. */
const lengthsOf = ({ edges }: EventSeries) => edges.slice(1).map((edge, i) => (edge - edges[i]!) / 3_600_000);

describe('the bars', () => {
  it('together are the count of the same question, in any zone, and so is each part', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.record({
          by: fc.option(fc.constantFrom(...PATHS), { nil: undefined }),
          range: ranges,
          filterSet: entries,
          zone: fc.constantFrom(...ZONES),
        }),
        async (given, { by, ...question }) => {
          const { series, total } = await seriesOf(given, {
            ...question,
            ...(by === undefined ? {} : { by }),
          });
          expect(sumOf(series.totals)).toBe(total);
          expect([series.whole, series.events]).toEqual([total, total]);
          expect(sumOf(series.parts.flatMap(({ figures }) => figures))).toBe(total);
          for (const { figures, whole } of series.parts) {
            expect(figures.length).toBe(series.edges.length - 1);
            expect(sumOf(figures)).toBe(whole);
          }
        },
      ),
    );
  });

  it('of a measure are exact for each bucket, for each part and in all', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.record({ by: fc.constantFrom(...PATHS), range: ranges, measure: fc.constantFrom(...MEASURES) }),
        async (given, question) => {
          const { series, total, whole } = await seriesOf(given, question);
          const { measure } = question;
          const numbers = whole.measures![0]!;
          const wanted = {
            ...{ events: total, distinct: whole.distinct, sum: numbers.sum, p50: numbers.p50 },
          } as Readonly<Record<string, unknown>>;
          expect(series.whole).toEqual(wanted[measure.take]);
          if (measure.take === 'sum') expect(sumOf(series.totals)).toBe(wanted.sum);
          if (measure.take === 'p50' || measure.take === 'distinct') {
            for (const [i, bucket] of series.totals.entries()) {
              const [from, until] = [series.edges[i]!, series.edges[i + 1]!];
              const inside = given.filter(({ eventTs }) => {
                const ms = Number(eventTs);
                return ms >= from && ms < until && ms >= series.range.from && ms < series.range.until;
              });
              const sorted = inside
                .map(({ properties }) => (properties as { readonly n?: number } | undefined)?.n)
                .filter((n) => n !== undefined)
                .sort((a, b) => a - b);
              const median = sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)] ?? null;
              const users = new Set(inside.map(({ userId }) => userId)).size;
              expect(bucket).toBe(measure.take === 'p50' ? median : users);
            }
          }
        },
      ),
    );
  });

  it('are one question, whatever the zone and the path, and it is the one that is asked ahead', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.record({
          by: fc.constantFrom(...PATHS),
          range: ranges.filter(({ from }) => Number.isFinite(from)),
          zone: fc.constantFrom(...ZONES),
          measure: fc.constantFrom(...MEASURES),
        }),
        async (given, question) => {
          const { questions, first } = await seriesOf(given, question);
          expect(questions).toEqual([first]);
        },
      ),
    );
  });

  it('of all time are one question too, and one more where they are too few or too many', async () => {
    const given = (days: number) =>
      [0, days].map((each) => ({ eventName: 'a', userId: 'u', eventTs: NOW - each * DAY_MS }));
    const range = { from: -Infinity, until: Infinity };
    for (const [days, units] of [
      [30, ['day']],
      [2, ['day', 'hour']],
      [4000, ['day', 'month']],
    ] as const) {
      const { series, questions } = await seriesOf(given(days), { range, zone: 'Asia/Kolkata' });
      expect(questions.map(({ by }) => by)).toEqual(units);
      expect(series.unit).toBe(units.at(-1));
      expect(sumOf(series.totals)).toBe(2);
    }
  });

  it('have a part for each of five values at most, and one for all events with none of them', async () => {
    const given = ['free', 'pro', 'free', undefined, null].map((plan, i) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: NOW - i * 1000 },
      properties: plan === undefined ? {} : { plan },
    }));
    const range = { from: NOW - DAY_MS, until: NOW + 1 };
    const { series } = await seriesOf(given, { by: 'properties.plan', range });
    expect(series.parts.map(({ value, whole }) => [value, whole])).toEqual([
      ['free', 2],
      ['pro', 1],
      [undefined, 2],
    ]);
  });

  it('stay where a path cannot be broken down', async () => {
    const given = [{ eventName: 'a', userId: 'u', eventTs: NOW }];
    const range = { from: NOW - DAY_MS, until: NOW + 1 };
    const { series } = await seriesOf(given, { by: 'properties..', range });
    expect(series.parts.map(({ value, whole }) => [value, whole])).toEqual([[undefined, 1]]);
  });

  it('of an empty range are none, without a question', async () => {
    const { series, questions } = await seriesOf([], { range: { from: NOW, until: NOW } });
    expect([series.totals, questions]).toEqual([[], []]);
  });

  it('are days of the zone with 23 and with 25 hours, and the last ends with its day', async () => {
    const range = (from: string, until: string) => ({ from: at(from), until: at(until) });
    const zone = 'Europe/Berlin';
    const spring = await seriesOf([], {
      ...{ zone, unit: 'day', range: range('2026-03-27T23:00Z', '2026-03-29T08:00Z') },
    });
    expect(lengthsOf(spring.series)).toEqual([24, 23]);
    const autumn = await seriesOf([], {
      ...{ zone, unit: 'day', range: range('2026-10-23T22:00Z', '2026-10-25T08:00Z') },
    });
    expect(lengthsOf(autumn.series)).toEqual([24, 25]);
    expect(textIn(zone, autumn.series.edges.at(-1)!)).toBe('2026-10-26 00:00');
  });

  it('stand on each other where their figures add up, and not below zero', async () => {
    const given = [1, -1].map((n, i) => ({
      ...{ eventName: String(i), userId: 'u', eventTs: NOW - i, properties: { n } },
    }));
    const range = { from: NOW - DAY_MS, until: NOW + 1 };
    const stacked = async (by: string | undefined, measure: string) => {
      const asked = { range, measure: measureOf(measure), ...(by === undefined ? {} : { by }) };
      return isStacked((await seriesOf(given, asked)).series);
    };
    expect(await stacked('eventName', '')).toBe(true);
    expect(await stacked('eventName', 'properties.n: sum')).toBe(false);
    expect(await stacked('userId', 'properties.n: sum')).toBe(true);
    expect(await stacked('eventName', 'userId: distinct')).toBe(false);
    expect(await stacked(undefined, 'properties.n: avg')).toBe(true);
  });
});

describe('the period before', () => {
  it('of a day that is not over ends with the instant of the question, a day earlier', async () => {
    const given = [0, 1, 2 - DAY_MS / 2].map((ms) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: NOW - DAY_MS + ms },
    }));
    const from = at('2026-05-18T00:00:00Z');
    const range = { from, until: NOW + 1 };
    const { series, questions } = await seriesOf(given, { range, preset: 'today' });
    expect(series.before?.range).toEqual({ from: from - DAY_MS, until: NOW + 1 - DAY_MS });
    expect(series.before!.whole).toBe(1);
    expect(questions.length).toBe(2);
  });

  it('has each of its events behind one bar, in any unit and zone', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.record({
          range: ranges.filter(({ from }) => Number.isFinite(from)),
          zone: fc.constantFrom(...ZONES),
          unit: fc.constantFrom<Unit | undefined>('hour', 'day', 'week', 'month', undefined),
        }),
        async (given, { unit, ...question }) => {
          const asked = { ...question, ...(unit === undefined ? {} : { unit }) };
          const { series } = await seriesOf(given, { ...asked, preset: 'all' });
          const { range, figures, whole } = series.before!;
          const inside = given.filter(
            ({ eventTs }) => Number(eventTs) >= range.from && Number(eventTs) < range.until,
          );
          expect(sumOf(figures)).toBe(inside.length);
          expect(whole).toBe(inside.length);
          expect(figures.length).toBe(series.totals.length);
        },
      ),
    );
  });

  it('has its days behind those that are as many days later, when clocks change between them', async () => {
    // The clocks of Berlin go forward on 29 March.
    const zone = 'Europe/Berlin';
    const days = ['2026-03-26', '2026-03-27', '2026-03-28'];
    const given = days.flatMap((day, i) =>
      Array.from({ length: i + 1 }, () => ({
        ...{ eventName: 'a', userId: 'u', eventTs: at(`${day}T12:00:00Z`) },
      })),
    );
    for (const [hour, last] of [
      ['00:30', 0],
      ['12:00', 0],
      ['23:30', 3],
    ] as const) {
      const from = at(`2026-03-28T${hour}:00+01:00`);
      const { series } = await seriesOf(given, {
        ...{ zone, unit: 'day', preset: 'all', range: { from, until: from + 3 * DAY_MS } },
      });
      expect(textIn(zone, series.edges[0]!, 10)).toBe('2026-03-28');
      expect(series.before!.figures.slice(0, 4)).toEqual([0, 1, 2, last]);
    }
  });

  it('has its hours behind those that they share most of, however long the range is', async () => {
    // Twenty minutes past an hour of the period before, a bar of the range shown begins.
    const given = ['05:30', '06:30', '07:30', '08:30', '09:15'].flatMap((hour, i) =>
      Array.from({ length: i + 1 }, () => ({
        ...{ eventName: 'a', userId: 'u', eventTs: at(`2026-05-17T${hour}:00Z`) },
      })),
    );
    const range = { from: at('2026-05-17T09:30:00Z'), until: at('2026-05-17T14:10:00Z') };
    const { series } = await seriesOf(given, { unit: 'hour', preset: 'all', range });
    expect(series.before!.figures).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('of weeks and months has a figure of numbers in all alone', async () => {
    const given = [40, 10].map((days) => ({
      ...{ eventName: 'a', userId: 'u', eventTs: NOW - days * DAY_MS, properties: { n: days } },
    }));
    const { series } = await seriesOf(given, {
      ...{ range: { from: NOW - 30 * DAY_MS, until: NOW }, unit: 'week', preset: 'all' },
      measure: measureOf('properties.n: avg'),
    });
    expect(series.before!.figures.every((each) => each === null)).toBe(true);
    expect(series.before!.whole).toBe(40);
  });
});
