import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isZone, textIn, toInstant, toWall } from '../../../../adapters/dashboard/pages/time/zone.ts';
import { at, ZONES } from './zones.ts';

const instants = fc.integer({ min: at('1973-01-01T00:00Z'), max: at('2099-12-30T00:00Z') });
/** Hours near those at which clocks change. */
const nearChanges = fc
  .tuple(fc.constantFrom('2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2011-12-30', '2026-04-05'))
  .chain(([day]) =>
    fc.integer({ min: at(`${day}T00:00Z`) - 86_400_000, max: at(`${day}T00:00Z`) + 86_400_000 }),
  );
const zones = fc.constantFrom(...ZONES);

describe('the clocks of a zone', () => {
  it.each([
    ['Europe/Berlin', '2026-07-01T22:30:00.123Z', '2026-07-02T00:30:00.123Z'],
    ['Asia/Kathmandu', '2026-07-01T22:30:00Z', '2026-07-02T04:15:00.000Z'],
    ['America/St_Johns', '1970-01-01T00:00:00.001Z', '1969-12-31T20:30:00.001Z'],
  ])('in %s show at %s the time %s', (zone, instant, wall) => {
    expect(toWall(zone, at(instant))).toBe(at(wall));
  });

  it('a time leads back to the first instant at which they show it', () => {
    fc.assert(
      fc.property(zones, fc.oneof(instants, nearChanges), (zone, instant) => {
        const wall = toWall(zone, instant);
        const first = toInstant(zone, wall);
        expect(toWall(zone, first)).toBe(wall);
        expect(first).toBeLessThanOrEqual(instant);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['Europe/Berlin', '2026-10-25T02:30:00Z', '2026-10-25T00:30:00.000Z'],
    // The clocks skip these, so it is the first instant after the gap.
    ['Europe/Berlin', '2026-03-29T02:30:00Z', '2026-03-29T01:00:00.000Z'],
    ['America/Havana', '2026-03-08T00:00:00Z', '2026-03-08T05:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T00:00:00Z', '2011-12-30T10:00:00.000Z'],
  ])('in %s the time %s is the instant %s', (zone, wall, instant) => {
    expect(new Date(toInstant(zone, at(wall))).toISOString()).toBe(instant);
  });

  it('are written as a person reads them', () => {
    expect(textIn('Europe/Berlin', at('2026-05-18T22:05:00Z'))).toBe('2026-05-19 00:05');
    expect(textIn('UTC', at('2026-05-18T22:05:00Z'), 10)).toBe('2026-05-18');
  });

  it('exist for names of zones alone', () => {
    expect(ZONES.filter((zone) => !isZone(zone))).toEqual([]);
    expect(['', 'Mars/Phobos', '+05:00', 'utc; drop'].filter(isZone)).toEqual([]);
  });
});
