import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgesOf } from '../../../../adapters/dashboard/pages/time/buckets.ts';
import { tickText, timeTicks, valueTicks } from '../../../../adapters/dashboard/pages/time/ticks.ts';
import type { Unit } from '../../../../adapters/dashboard/pages/time/unit.ts';
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

describe('the ticks of time', () => {
  const texts = (unit: Unit, zone: string, from: string, until: string, most = 8) => {
    const starts = edgesOf(unit, zone, { from: at(from), until: at(until) })!.slice(0, -1);
    return timeTicks(starts, unit, zone, most).map((i) => tickText(unit, zone, starts[i]!));
  };

  it('are at round times of the zone', () => {
    expect(texts('minute', 'UTC', '2026-05-18T07:03Z', '2026-05-18T08:00Z')).toEqual([
      ...['07:10', '07:20', '07:30', '07:40', '07:50'],
    ]);
    expect(texts('hour', 'Asia/Kolkata', '2026-05-17T18:30Z', '2026-05-18T18:30Z')).toEqual([
      ...['18 May', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00'],
    ]);
    expect(texts('day', 'UTC', '2026-05-13T00:00Z', '2026-06-12T00:00Z')).toEqual([
      ...['18 May', '25 May', '1 Jun', '8 Jun'],
    ]);
    expect(texts('month', 'UTC', '2025-11-01T00:00Z', '2026-05-01T00:00Z')).toEqual([
      ...['Nov', 'Dec', '2026', 'Feb', 'Mar', 'Apr'],
    ]);
  });

  it('are as few as there is room for', () => {
    expect(texts('day', 'UTC', '2024-01-01T00:00Z', '2026-05-01T00:00Z', 5).length).toBeLessThanOrEqual(5);
    expect(texts('hour', 'UTC', '2026-05-18T07:00Z', '2026-05-18T09:00Z', 1).length).toBe(1);
  });
});
