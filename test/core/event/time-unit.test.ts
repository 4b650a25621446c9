import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TS_MAX } from '../../../src/core/event/time.ts';
import {
  cutTime,
  firstAt,
  startOfBucket,
  TIME_UNITS,
  type TimeUnit,
} from '../../../src/core/event/time-unit.ts';
import { toBucketKey } from '../../../src/store-kit.ts';
import { createZones } from '../../../src/transport-kit.ts';
import { INSTANTS, TIME_ZONES } from '../../conformance/arbitraries/traps.ts';
import { plainClock } from '../../conformance/plain-clock.ts';

const at = (text: string) => Date.parse(text);

describe('a bucket begins', () => {
  it.each<[TimeUnit, string, string]>([
    ['minute', '2024-02-29T23:59:59.999Z', '2024-02-29T23:59:00.000Z'],
    ['hour', '2024-02-29T23:59:59.999Z', '2024-02-29T23:00:00.000Z'],
    ['day', '2024-02-29T23:59:59.999Z', '2024-02-29T00:00:00.000Z'],
    ['week', '2024-02-29T23:59:59.999Z', '2024-02-26T00:00:00.000Z'],
    ['week', '2024-03-03T23:59:59.999Z', '2024-02-26T00:00:00.000Z'],
    ['week', '2024-03-04T00:00:00.000Z', '2024-03-04T00:00:00.000Z'],
    ['week', '1970-01-01T00:00:00.000Z', '1969-12-29T00:00:00.000Z'],
    ['month', '2024-02-29T23:59:59.999Z', '2024-02-01T00:00:00.000Z'],
    ['month', '0001-01-31T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ])('%s of %s at %s', (unit, instant, start) => {
    expect(new Date(startOfBucket(unit, at(instant))).toISOString()).toBe(start);
  });
});

describe('in a time zone', () => {
  const zones = createZones();

  it('buckets are those that the clock gives, minute by minute', () => {
    const instants = fc
      .tuple(fc.constantFrom(...INSTANTS), fc.integer({ min: -7_200_000, max: 7_200_000 }))
      .map(([instant, away]) => instant + away);
    const asked = fc.tuple(
      fc.constantFrom(...TIME_ZONES),
      fc.constantFrom(...TIME_UNITS),
      fc.oneof(instants, fc.integer({ min: 0, max: EVENT_TS_MAX })),
    );
    fc.assert(
      fc.property(asked, ([name, unit, instant]) => {
        const zone = zones.of(name)!;
        const clock = plainClock(name);
        const start = startOfBucket(unit, instant, zone);
        expect(start).toBe(clock.startOf(unit, instant));
        expect(cutTime(unit, instant, instant, zone)).toEqual([start, clock.nextOf(unit, start)]);
        expect(toBucketKey({ zone }, start)).toBe(clock.toKey(start));
      }),
      { numRuns: 150 },
    );
  });

  it('buckets touch, and do not depend on where the question begins', () => {
    const names = ['Africa/Monrovia', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'];
    const spans = fc.tuple(fc.nat({ max: 4e12 }), fc.nat({ max: 1e8 }), fc.constantFrom(...TIME_UNITS));
    fc.assert(
      fc.property(spans, fc.constantFrom(...names), ([first, length, unit], name) => {
        const zone = zones.of(name)!;
        const starts = cutTime(unit, first, first + length, zone);
        if (starts === undefined) return;
        expect(starts[0]).toBeLessThanOrEqual(first);
        expect(starts.at(-1)).toBeGreaterThan(first + length);
        starts.slice(0, -1).forEach((start, i) => {
          expect(starts[i + 1]).toBeGreaterThan(start);
          expect(startOfBucket(unit, start, zone)).toBe(start);
          expect(startOfBucket(unit, starts[i + 1]! - 1, zone)).toBe(start);
        });
      }),
    );
  });

  it('a key whose offset has seconds, or whose year has five digits, is in UTC', () => {
    const monrovia = zones.of('Africa/Monrovia')!;
    const midnight = startOfBucket('day', 0, monrovia);
    expect(toBucketKey({ zone: monrovia }, midnight)).toBe('1969-12-31T00:44:30.000Z');
    const tokyo = zones.of('Asia/Tokyo')!;
    expect(toBucketKey({ zone: tokyo }, at('9999-12-31T15:00:00Z'))).toBe('9999-12-31T15:00:00.000Z');
    expect(toBucketKey({ zone: tokyo }, at('9999-12-31T14:00:00Z'))).toBe('9999-12-31T23:00:00.000+09:00');
  });

  it('a clock that goes back across midnight lengthens the day that has begun', () => {
    const stJohns = zones.of('America/St_Johns')!;
    // At 00:01 it went back to 23:01, so the new day began a minute before.
    const [begun, shownAgain] = [at('2000-10-29T02:30:00Z'), at('2000-10-29T02:45:00Z')];
    expect(startOfBucket('day', shownAgain, stJohns)).toBe(begun);
    expect(startOfBucket('day', begun - 1, stJohns)).toBe(at('2000-10-28T02:30:00Z'));
  });

  it('what the clock shows begins when it shows it or more', () => {
    const shown = (zone: string, text: string) =>
      new Date(firstAt(zones.of(zone)!, at(`${text}Z`))).toISOString();
    expect(shown('Europe/Berlin', '2024-03-31T02:30:00')).toBe('2024-03-31T01:00:00.000Z');
    expect(shown('Europe/Berlin', '2024-10-27T02:30:00')).toBe('2024-10-27T00:30:00.000Z');
    expect(shown('Pacific/Apia', '2011-12-30T00:00:00')).toBe('2011-12-30T10:00:00.000Z');
    // It was 14 hours ahead, and two hours later 13.
    expect(shown('Pacific/Tongatapu', '2001-01-28T00:00:00')).toBe('2001-01-27T10:00:00.000Z');
    expect(shown('Pacific/Apia', '2011-12-31T00:00:00')).toBe('2011-12-30T10:00:00.000Z');
  });
});

describe('time that is cut', () => {
  it('has every bucket, and ends with the last', () => {
    const texts = cutTime('month', at('2023-12-31T12:00:00Z'), at('2024-03-01T00:00:00Z'))?.map((start) =>
      new Date(start).toISOString().slice(0, 10),
    );
    expect(texts).toEqual(['2023-12-01', '2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01']);
  });

  it('has at most 2,000 buckets', () => {
    expect(cutTime('day', 0, 2000 * 86_400_000 - 1)).toHaveLength(2001);
    expect(cutTime('day', 0, 2000 * 86_400_000)).toBeUndefined();
  });

  it('leaves no instant out, and none twice', () => {
    const spans = fc.tuple(fc.nat({ max: 4e12 }), fc.nat({ max: 1e8 }), fc.constantFrom(...TIME_UNITS));
    fc.assert(
      fc.property(spans, ([first, length, unit]) => {
        const starts = cutTime(unit, first, first + length);
        if (starts === undefined) return;
        expect(starts[0]).toBeLessThanOrEqual(first);
        expect(starts.at(-1)).toBeGreaterThan(first + length);
        expect(starts.at(-2)).toBeLessThanOrEqual(first + length);
        starts.slice(0, -1).forEach((start, i) => {
          expect(startOfBucket(unit, start)).toBe(start);
          expect(startOfBucket(unit, starts[i + 1]! - 1)).toBe(start);
        });
      }),
    );
  });
});
