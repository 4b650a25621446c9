import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BUCKETS_MAX,
  edgesOf,
  endOf,
  planOf,
  rangeBefore,
  regroup,
  startOf,
} from '../../../../adapters/dashboard/pages/time/buckets.ts';
import {
  LENGTHS,
  UNITS,
  unitsFor,
  type TimeRange,
  type Unit,
} from '../../../../adapters/dashboard/pages/time/unit.ts';
import { textIn } from '../../../../adapters/dashboard/pages/time/zone.ts';
import { at, ZONES } from './zones.ts';

const HOUR_MS = 3_600_000;
const range = (from: string, until: string): TimeRange => ({ from: at(from), until: at(until) });

/** A range that the buckets of a unit can show, often one in which clocks change. */
const asked = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    unit: fc.constantFrom(...UNITS),
    near: fc.constantFrom('2026-03-29', '2026-10-25', '2026-11-01', '2026-04-05', '2011-12-30', '1999-12-31'),
    before: fc.integer({ min: 0, max: 3000 }),
    after: fc.integer({ min: 1, max: 3000 }),
  })
  .map(({ zone, unit, near, before, after }) => {
    const step = LENGTHS[unit] / 60;
    const from = at(`${near}T00:00Z`) - before * step;
    return { zone, unit, range: { from, until: from + after * step } };
  });

/** What the breakdown of the Query API answers: all buckets in UTC from the first event to the last. */
function breakdown(by: Unit, { from, until }: TimeRange, events: readonly number[]) {
  const within = events.filter((event) => event >= from && event < until).sort((a, b) => a - b);
  const edges =
    within.length === 0 ? [] : edgesOf(by, 'UTC', { from: within[0]!, until: within.at(-1)! + 1 });
  return edges!.slice(0, -1).map((start, i) => ({
    key: new Date(start).toISOString(),
    count: within.filter((event) => event >= start && event < edges![i + 1]!).length,
  }));
}

/** The day, hour or minute that the clocks of a zone show, in full. */
const LABELS: Readonly<Partial<Record<Unit, number>>> = { minute: 16, day: 10, month: 7 };

describe('buckets', () => {
  it('lie side by side, cover the range, and each begins where clocks say so', () => {
    fc.assert(
      fc.property(asked, ({ zone, unit, range: { from, until } }) => {
        const edges = edgesOf(unit, zone, { from, until })!;
        expect(edges[0]).toBeLessThanOrEqual(from);
        expect(edges[1]).toBeGreaterThan(from);
        expect(edges.at(-1)).toBeGreaterThanOrEqual(until);
        expect(edges.at(-2)).toBeLessThan(until);
        for (const [i, edge] of edges.slice(0, -1).entries()) {
          expect(edge).toBe(startOf(unit, zone, edge));
          expect(edges[i + 1]).toBe(endOf(unit, zone, edge));
          expect(edges[i + 1]).toBeGreaterThan(edge);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('hold exactly the events of their day, month or minute in the zone, whatever its clocks do', () => {
    fc.assert(
      fc.property(
        asked,
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 60 }),
        (question, places) => {
          const { zone, unit, range: within } = question;
          const events = places.map((place) =>
            Math.floor(within.from + place * (within.until - within.from)),
          );
          const edges = edgesOf(unit, zone, within)!;
          const plan = planOf(edges, unit);
          fc.pre(plan !== undefined);
          const groups = plan.parts.flatMap((part) => breakdown(plan.by, part, events));
          const counts = regroup(edges, groups);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(events.length);
          const length = LABELS[unit];
          for (const [i, count] of counts.entries()) {
            expect(count).toBe(events.filter((each) => each >= edges[i]! && each < edges[i + 1]!).length);
            const label = length && textIn(zone, edges[i]!, length);
            // A minute that clocks show twice is two buckets.
            if (unit === 'day' || unit === 'month')
              expect(count).toBe(events.filter((each) => textIn(zone, each, length) === label).length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Europe/Berlin', '2026-10-26', 24],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ])('in %s the day %s has %d hours', (zone, day, hours) => {
    const start = startOf(
      'day',
      zone,
      at(`${day}T12:00Z`) - (zone.startsWith('Australia') ? 11 * HOUR_MS : 0),
    );
    expect(textIn(zone, start)).toBe(`${day} 00:00`);
    expect((endOf('day', zone, start) - start) / HOUR_MS).toBe(hours);
  });

  it('of hours begin again at midnight, after half of one where clocks change by half an hour', () => {
    const edges = edgesOf('hour', 'Australia/Lord_Howe', range('2026-04-05T12:00Z', '2026-04-05T15:00Z'))!;
    expect(edges.map((edge) => textIn('Australia/Lord_Howe', edge))).toEqual([
      '2026-04-05 22:30',
      '2026-04-05 23:30',
      '2026-04-06 00:00',
      '2026-04-06 01:00',
      '2026-04-06 02:00',
    ]);
  });

  it('of weeks begin on Monday, and those of months on the first', () => {
    expect(textIn('UTC', startOf('week', 'UTC', at('2026-05-20T10:00Z')))).toBe('2026-05-18 00:00');
    expect(textIn('Europe/Berlin', endOf('month', 'Europe/Berlin', at('2026-02-28T23:00Z')))).toBe(
      '2026-04-01 00:00',
    );
  });
});

describe('the questions that fill them', () => {
  it('are one in UTC, by the unit itself', () => {
    for (const unit of UNITS) {
      const edges = edgesOf(unit, 'UTC', range('2026-05-18T07:30Z', '2026-05-18T09:00Z'))!;
      expect(planOf(edges, unit)).toEqual({ by: unit, parts: [{ from: edges[0], until: edges.at(-1) }] });
    }
  });

  it('ask for hours in a zone of whole hours, for minutes in one of half hours, and in pieces', () => {
    const month = range('2026-05-01T00:00Z', '2026-05-31T00:00Z');
    const of = (zone: string, unit: Unit, within = month) => planOf(edgesOf(unit, zone, within)!, unit);
    expect(of('Europe/Berlin', 'day')).toMatchObject({ by: 'hour', parts: { length: 1 } });
    expect(of('Europe/Berlin', 'hour')).toMatchObject({ by: 'hour', parts: { length: 1 } });
    const inMinutes = of('Asia/Kolkata', 'day')!;
    expect(inMinutes.by).toBe('minute');
    for (const { from, until } of inMinutes.parts)
      expect((until - from) / 60_000).toBeLessThanOrEqual(BUCKETS_MAX);
    for (const [i, { from }] of inMinutes.parts.slice(1).entries())
      expect(from).toBe(inMinutes.parts[i]!.until);
    expect(of('Europe/Berlin', 'month', range('2020-01-01T00:00Z', '2024-01-01T00:00Z'))!.parts.length).toBe(
      18,
    );
    // A year of minutes takes too many answers.
    expect(of('Asia/Kolkata', 'day', range('2025-01-01T00:00Z', '2026-01-01T00:00Z'))).toBeUndefined();
  });

  it('are none for more buckets than an answer holds', () => {
    expect(edgesOf('minute', 'UTC', range('2026-05-01T00:00Z', '2026-05-08T00:00Z'))).toBeUndefined();
    expect(edgesOf('day', 'UTC', { from: -Infinity, until: 0 })).toBeUndefined();
  });
});

describe('the unit of a range', () => {
  it.each([
    ['2026-05-18T07:00Z', '2026-05-18T08:00Z', 'minute'],
    ['2026-05-18T07:00:00.001Z', '2026-05-19T07:00:00.001Z', 'hour'],
    ['2026-05-18T00:00Z', '2026-05-25T00:00Z', 'day'],
    ['2020-05-18T00:00Z', '2026-05-25T00:00Z', 'day'],
  ])('from %s until %s is the %s', (from, until, unit) => {
    expect(unitsFor(range(from, until))[0]).toBe(unit);
  });
});

describe('the range before', () => {
  const before = (within: TimeRange, zone: string, now: string) => {
    const found = rangeBefore(within, zone, at(now))!.range;
    return [found.from, found.until].map((each) => textIn(zone, each));
  };

  it('has the same length and ends where the range begins', () => {
    expect(before(range('2026-05-18T07:00Z', '2026-05-18T09:30Z'), 'UTC', '2026-06-01T00:00Z')).toEqual([
      '2026-05-18 04:30',
      '2026-05-18 07:00',
    ]);
  });

  it('has as many days of the zone, with whatever hours', () => {
    // The week in which the clocks of Berlin go forward has 167 hours.
    const week = range('2026-03-22T23:00Z', '2026-03-29T22:00Z');
    expect(before(week, 'Europe/Berlin', '2026-06-01T00:00Z')).toEqual([
      '2026-03-16 00:00',
      '2026-03-23 00:00',
    ]);
  });

  it('is cut where now is in the range, so that like is compared with like', () => {
    const today = range('2026-05-18T00:00Z', '2026-05-19T00:00Z');
    expect(before(today, 'UTC', '2026-05-18T15:00Z')).toEqual(['2026-05-17 00:00', '2026-05-17 15:00']);
  });

  it('of an open range is none', () => {
    expect(rangeBefore({ from: -Infinity, until: 0 }, 'UTC', 0)).toBeUndefined();
    expect(rangeBefore({ from: 0, until: Infinity }, 'UTC', 0)).toBeUndefined();
  });
});
