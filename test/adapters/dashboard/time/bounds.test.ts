import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, rangeBefore, startOf } from '../../../../adapters/dashboard/pages/time/bounds.ts';
import { UNITS, unitsFor, type TimeRange } from '../../../../adapters/dashboard/pages/time/unit.ts';
import { textIn } from '../../../../adapters/dashboard/pages/time/zone.ts';
import { cutTime } from '../../../../src/core/event/time-unit.ts';
import { createZones } from '../../../../src/core/bounds/zones.ts';
import { at, ZONES } from './zones.ts';

const range = (from: string, until: string): TimeRange => ({ from: at(from), until: at(until) });
const zones = createZones();
/** An instant, often near one at which clocks change. */
const instants = fc
  .record({
    near: fc.constantFrom('2026-03-29', '2026-10-25', '2026-11-01', '2026-04-05', '2011-12-30', '1999-12-31'),
    away: fc.integer({ min: -3 * 1440, max: 3 * 1440 }),
  })
  .map(({ near, away }) => at(`${near}T00:00Z`) + away * 60_000);

describe('the end of a bucket', () => {
  it('is where the server begins the next one, whatever the clocks of the zone do', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.constantFrom(...UNITS), instants, (zone, unit, instant) => {
        const [start, end] = cutTime(unit, instant, instant, zones.of(zone))!;
        expect(endOf(unit, zone, start!)).toBe(end);
        if (['day', 'week', 'month'].includes(unit)) expect(startOf(unit, zone, instant)).toBe(start);
      }),
      { numRuns: 2000 },
    );
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
