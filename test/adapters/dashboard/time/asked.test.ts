import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstPreset,
  periodBefore,
  PRESETS,
  rangeAsked,
  rangeOfPreset,
  saysTime,
  toRange,
  zoneOf,
  type Preset,
} from '../../../../adapters/dashboard/pages/time/asked.ts';
import { problemIn } from '../address/addresses.ts';
import { at, ZONES } from './zones.ts';

const NOW = at('2026-05-18T10:00:00.500Z');
const HOUR_MS = 3_600_000;
const parametersOf = (record: Readonly<Record<string, string>>) => new URLSearchParams(record);
const asked = (record: Readonly<Record<string, string>>, now = NOW) =>
  rangeAsked(parametersOf(record), now, 'all');
const before = (preset: Preset, since: number) =>
  periodBefore({ range: rangeOfPreset(preset, 'UTC', since), preset, zone: 'UTC', since })!.range;
const OPEN = { from: -Infinity, until: Infinity };

describe('a preset', () => {
  it('ends now, an event of this millisecond included, and moves with it', () => {
    const { from, until } = asked({ range: '1h' });
    expect([until - NOW, until - from]).toEqual([1, HOUR_MS]);
    expect(asked({ range: '1h' }, NOW + 5000)).toEqual({ from: from + 5000, until: until + 5000 });
  });

  it('stays where it is while pages are turned, however late it is', () => {
    const first = asked({ range: '24h', at: String(NOW) });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (later) => {
        expect(asked({ range: '24h', at: String(NOW), cursor: 'x' }, NOW + later)).toEqual(first);
      }),
    );
  });

  it('of today begins with the day of the zone', () => {
    expect(asked({ range: 'today' }).from).toBe(at('2026-05-18T00:00Z'));
    expect(asked({ range: 'today', zone: 'Asia/Kolkata' }).from).toBe(at('2026-05-17T18:30Z'));
  });

  it.each([
    ['yesterday', '2026-05-17', '2026-05-18'],
    ['last-week', '2026-05-11', '2026-05-18'],
    ['last-month', '2026-04-01', '2026-05-01'],
  ])('of %s is a whole piece of the calendar', (preset, from, until) => {
    expect(asked({ range: preset })).toEqual({ from: at(from), until: at(until) });
    const zone = 'Asia/Kolkata';
    const [first, last] = [from, until].map((day) => at(`${day}T00:00:00+05:30`));
    expect(asked({ range: preset, zone })).toEqual({ from: first, until: last });
  });

  it('that is over ends where the one of now begins, in every zone', () => {
    const pairs = [
      ['yesterday', 'today'],
      ['last-week', 'week'],
      ['last-month', 'month'],
    ] as const;
    const instants = fc.integer({ min: at('2000-01-01'), max: at('2040-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.constantFrom(...ZONES), instants, ([over, is], zone, now) => {
        const [before, present] = [rangeOfPreset(over, zone, now), rangeOfPreset(is, zone, now)];
        expect(before.until).toBe(present.from);
        expect(before.from).toBeLessThan(before.until);
        expect(present.from).toBeLessThanOrEqual(now);
        expect(present.until).toBe(now + 1);
      }),
    );
  });

  it.each([
    ['today', '2026-05-17T00:00Z', '2026-05-17T10:00:00.501Z'],
    ['yesterday', '2026-05-16T00:00Z', '2026-05-17T00:00Z'],
    ['week', '2026-05-11T00:00Z', '2026-05-11T10:00:00.501Z'],
    ['last-week', '2026-05-04T00:00Z', '2026-05-11T00:00Z'],
    ['month', '2026-04-01T00:00Z', '2026-04-18T10:00:00.501Z'],
    ['last-month', '2026-03-01T00:00Z', '2026-04-01T00:00Z'],
    ['1h', '2026-05-18T08:00:00.501Z', '2026-05-18T09:00:00.501Z'],
  ] as const)('of %s is compared with the same part of the one before', (preset, from, until) => {
    expect(before(preset, NOW)).toEqual({ from: at(from), until: at(until) });
  });

  it('of a month that is longer than the one before is compared with all of that', () => {
    expect(before('month', at('2026-03-31T12:00Z'))).toEqual({
      from: at('2026-02-01'),
      until: at('2026-03-01'),
    });
    expect(before('last-month', at('2026-04-02T12:00Z'))).toEqual({
      ...{ from: at('2026-02-01'), until: at('2026-03-01') },
    });
    // February goes with all days of January.
    expect(before('last-month', at('2026-03-02T12:00Z'))).toEqual({
      ...{ from: at('2026-01-01'), until: at('2026-02-01') },
    });
  });

  it('of the first view is taken where the address says no time, and only there', () => {
    const of = (record: Readonly<Record<string, string>>) => rangeAsked(parametersOf(record), NOW, '7d');
    expect(of({ event: 'x' })).toEqual(rangeOfPreset('7d', 'UTC', NOW));
    expect(of({ range: 'all' })).toEqual(OPEN);
    // The days of an old link are asked for as days, and nothing is added to them.
    expect(of({ after: '2020-01-01' })).toEqual(OPEN);
    expect(saysTime(parametersOf({ zone: 'Europe/Berlin', unit: 'day' }))).toBe(false);
  });
});

describe('the first view', () => {
  it.each([
    [NOW, '24h'],
    [NOW - 24 * HOUR_MS + 1, '24h'],
    [NOW - 24 * HOUR_MS, '7d'],
    [NOW - 29 * 24 * HOUR_MS, '30d'],
    [NOW - 31 * 24 * HOUR_MS, 'all'],
    [undefined, 'all'],
  ])('of a tenant whose latest event is at %s shows %s', (latest, preset) => {
    expect(firstPreset(latest, NOW)).toBe(preset);
  });

  it('holds the latest event, and no smaller one does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 24 * HOUR_MS }), (age) => {
        const preset = firstPreset(NOW - age, NOW);
        const holds = (each: typeof preset) => {
          const { from, until } = rangeOfPreset(each, 'UTC', NOW);
          return NOW - age >= from && NOW - age < until;
        };
        expect(holds(preset)).toBe(true);
        const smaller = (['24h', '7d', '30d'] as const).filter(
          (each) => PRESETS.indexOf(each) < PRESETS.indexOf(preset),
        );
        expect(smaller.filter(holds)).toEqual([]);
      }),
    );
  });
});

describe('a range of instants in an address', () => {
  const instants = fc.integer({ min: 0, max: at('2099-12-31T23:59:59Z') });
  const ends = fc.tuple(instants, instants).filter(([a, b]) => a !== b);

  it('comes back as it was, to the millisecond', () => {
    fc.assert(
      fc.property(ends, ([a, b]) => {
        const within = { from: Math.min(a, b), until: Math.max(a, b) };
        fc.pre(within.from % 86_400_000 !== 0 || within.until % 86_400_000 !== 0);
        expect(asked(toRange(within))).toEqual(within);
        expect(problemIn(toRange(within))).toBeUndefined();
        expect(asked(toRange({ ...OPEN, from: within.from + 0.0 })).from).toBe(
          within.from % 86_400_000 === 0 ? -Infinity : within.from,
        );
      }),
    );
  });

  it('is days where it is whole days in UTC, both included, as in every link so far', () => {
    expect(toRange({ from: at('2026-05-01'), until: at('2026-06-01') })).toMatchObject({
      ...{ after: '2026-05-01', before: '2026-05-31', from: '', until: '', range: '' },
    });
    expect(toRange({ from: at('2026-05-01'), until: Infinity })).toMatchObject({
      after: '2026-05-01',
      before: '',
    });
    expect(toRange(OPEN)).toMatchObject({ range: 'all', after: '', before: '' });
  });

  it('that is empty stays empty', () => {
    const day = at('2026-05-01');
    const { from, until } = asked(toRange({ from: day, until: day }));
    expect(until).toBe(from);
  });

  it('forgets the page and the instant of the range before', () => {
    expect(toRange({ from: 1, until: 2 })).toMatchObject({ cursor: '', at: '' });
  });
});

describe('an address that cannot be read', () => {
  it.each([
    [{ range: '5y' }, 'This link contains an unknown time range: 5y.'],
    [{ from: '2026-13-01T00:00:00Z' }, 'This link contains an invalid time: 2026-13-01T00:00:00Z.'],
    [{ until: '2026-05-01T00:00:00' }, 'This link contains an invalid time: 2026-05-01T00:00:00.'],
    [{ at: '-1' }, 'This link contains an invalid time: -1.'],
    [{ zone: 'Mars/Phobos' }, 'This link contains an unknown time zone: Mars/Phobos.'],
    [{ range: '1h', at: '1', zone: 'Asia/Kolkata' }, undefined],
    [{}, undefined],
  ])('%o is told', (record, said) => {
    expect(problemIn(record as Record<string, string>)).toBe(said);
  });

  it('has a zone in UTC if it says none', () => {
    expect(zoneOf(parametersOf({}))).toBe('UTC');
  });
});
