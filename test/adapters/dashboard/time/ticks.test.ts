import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  tickText,
  tickTexts,
  timeTicks,
  valueTicks,
} from '../../../../adapters/dashboard/pages/time/ticks.ts';
import type { Unit } from '../../../../adapters/dashboard/pages/time/unit.ts';
import { createZones } from '../../../../src/core/bounds/zones.ts';
import { cutTime } from '../../../../src/core/event/time-unit.ts';
import { at } from './zones.ts';

describe('the ticks of counts', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [17, [0, 5, 10, 15, 20]],
    [120, [0, 50, 100, 150]],
    [99_999, [0, 50_000, 100_000]],
  ])('up to %d are %o', (most, ticks) => {
    expect(valueTicks(most)).toEqual(ticks);
  });

  it('begin at zero, are whole and even, few, and reach the largest count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (most) => {
        const ticks = valueTicks(most);
        const step = ticks[1]!;
        expect(ticks).toEqual(ticks.map((_, i) => i * step));
        expect(String(step)).toMatch(/^[125]0*$/);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
        expect(ticks.at(-2)).toBeLessThan(Math.max(most, 1));
        expect(ticks.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('the ticks of figures', () => {
  it.each([
    [0.3, 0, [0, 0.1, 0.2, 0.3]],
    [12, -7, [-10, -5, 0, 5, 10, 15]],
    [0, -2, [-2, -1.5, -1, -0.5, 0]],
    [1.5, 0, [0, 0.5, 1, 1.5]],
  ])('up to %d from %d are %o', (most, least, ticks) => {
    expect(valueTicks(most, least, false)).toEqual(ticks);
  });

  it('hold all figures and zero, are few and ascend, however large or small', () => {
    const figures = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 1e-300, -1e-300, 0),
    );
    fc.assert(
      fc.property(figures, figures, (a, b) => {
        const [least, most] = [Math.min(a, b, 0), Math.max(a, b, 0)];
        // Smaller ones have no tenth.
        fc.pre(Math.max(most, -least) === 0 || Math.max(most, -least) > 1e-300);
        const ticks = valueTicks(most, least, false);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(ticks.some((each) => each === 0)).toBe(true);
        expect(ticks).toEqual([...ticks].sort((x, y) => x - y));
        const near = Math.max(most, -least) * 1e-9;
        expect(ticks[0]! - near).toBeLessThanOrEqual(least);
        expect(ticks.at(-1)! + near).toBeGreaterThanOrEqual(most);
        expect(ticks.every(Number.isFinite)).toBe(true);
      }),
    );
  });
});

describe('the ticks of time', () => {
  const texts = (unit: Unit, zone: string, from: string, until: string, most = 8) => {
    const starts = cutTime(unit, at(from), at(until) - 1, createZones().of(zone))!.slice(0, -1);
    return timeTicks(starts, unit, zone, most).map((i) => tickText(unit, zone, starts[i]!));
  };

  it('are at round times of the zone', () => {
    expect(texts('minute', 'UTC', '2026-05-18T07:03Z', '2026-05-18T08:00Z')).toEqual([
      ...['07:10', '07:20', '07:30', '07:40', '07:50'],
    ]);
    expect(texts('hour', 'Asia/Kolkata', '2026-05-17T18:30Z', '2026-05-18T18:30Z')).toEqual([
      ...['Mon 18 May', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00'],
    ]);
    expect(texts('day', 'UTC', '2026-05-13T00:00Z', '2026-06-12T00:00Z')).toEqual([
      ...['Mon 18 May', 'Mon 25 May', 'Mon 1 Jun', 'Mon 8 Jun'],
    ]);
    expect(texts('month', 'UTC', '2025-11-01T00:00Z', '2026-05-01T00:00Z')).toEqual([
      ...['Nov', 'Dec', '2026', 'Feb', 'Mar', 'Apr'],
    ]);
  });

  it('say the year of days where it is another one than now, or than before', () => {
    const days = ['2024-12-30', '2024-12-31', '2025-01-01', '2025-01-02'].map((day) => at(`${day}T00:00Z`));
    const textsOf = (since: string) => tickTexts('day', 'UTC', days, at(since));
    expect(textsOf('2024-12-31T00:00Z')).toEqual(['Mon 30 Dec', 'Tue 31 Dec', '1 Jan 2025', 'Thu 2 Jan']);
    expect(textsOf('2026-05-18T00:00Z')).toEqual(['30 Dec 2024', 'Tue 31 Dec', '1 Jan 2025', 'Thu 2 Jan']);
    const hours = ['2015-05-17T23:00Z', '2015-05-18T00:00Z', '2015-05-19T00:00Z'].map(at);
    expect(tickTexts('hour', 'UTC', hours, at('2026-05-18T00:00Z'))).toEqual([
      '23:00',
      '18 May 2015',
      'Tue 19 May',
    ]);
    const months = ['2024-12-01T00:00Z', '2025-01-01T00:00Z', '2025-02-01T00:00Z'].map(at);
    expect(tickTexts('month', 'UTC', months, at('2026-05-18T00:00Z'))).toEqual(['Dec 2024', '2025', 'Feb']);
    // The year is that of the zone.
    expect(tickTexts('day', 'Asia/Kolkata', [at('2025-12-31T18:30Z')], at('2026-05-18T00:00Z'))).toEqual([
      'Thu 1 Jan',
    ]);
  });

  it('are as few as there is room for', () => {
    expect(texts('day', 'UTC', '2024-01-01T00:00Z', '2026-05-01T00:00Z', 5).length).toBeLessThanOrEqual(5);
    expect(texts('hour', 'UTC', '2026-05-18T07:00Z', '2026-05-18T09:00Z', 1).length).toBe(1);
  });
});
