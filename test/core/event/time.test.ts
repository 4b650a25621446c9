import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TS_MAX, toIsoDay } from '../../../src/core/event/time.ts';
import { parseDay, parseInstant } from '../../../src/internal.ts';
import { toIsoInstant } from '../../../src/store-kit.ts';

describe('parseDay', () => {
  it.each([
    ['1970-01-01', 0],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2000-02-29', Date.UTC(2000, 1, 29)],
    ['2099-12-31', EVENT_TS_MAX - 86_399_999],
    ['0001-01-01', -62_135_596_800_000],
    ['0099-12-31', -59_011_545_600_000],
    ['9999-12-31', 253_402_214_400_000],
  ])('reads %s', (text, ms) => {
    expect(parseDay(text)).toBe(ms);
  });

  it.each([
    ...['2024-02-30', '2023-02-29', '1900-02-29', '2024-13-01', '2024-00-10', '2024-01-00', '2024-04-31', ''],
    ...[
      '2024-1-1',
      '24-01-01',
      '2024-01-01T00:00:00Z',
      ' 2024-01-01',
      '2024-01-01 ',
      '2024-01-01\n',
      '20240101',
    ],
    ...['+002024-01-01', '-2024-01-01', '２０２４-01-01', '2024/01/01', 'today'],
  ])('refuses %j', (text) => {
    expect(parseDay(text)).toBeUndefined();
  });
});

describe('parseInstant', () => {
  it.each([
    ['2024-05-18T10:00:00Z', '2024-05-18T10:00:00.000Z'],
    ['2024-05-18T10:00Z', '2024-05-18T10:00:00.000Z'],
    ['2024-05-18t10:00:00.5z', '2024-05-18T10:00:00.500Z'],
    ['2024-05-18T10:00:00,123Z', '2024-05-18T10:00:00.123Z'],
    ['2024-05-18T10:00:00.123999999Z', '2024-05-18T10:00:00.123Z'],
    ['2024-05-18T12:00:00+02:00', '2024-05-18T10:00:00.000Z'],
    ['2024-05-18T12:00:00+0200', '2024-05-18T10:00:00.000Z'],
    ['2024-05-18T00:30:00+05:45', '2024-05-17T18:45:00.000Z'],
    ['2024-02-29T23:59:59.999-00:01', '2024-03-01T00:00:59.999Z'],
  ])('reads %s as %s', (text, iso) => {
    expect(toIsoInstant(parseInstant(text) ?? NaN)).toBe(iso);
  });

  it.each([
    ...[
      '2024-05-18',
      '2024-05-18T10:00:00',
      '2024-05-18 10:00:00Z',
      '2024-05-18T24:00:00Z',
      '2024-05-18T10:60:00Z',
    ],
    ...['2024-05-18T10:00:60Z', '2024-02-30T10:00:00Z', '2024-05-18T10:00:00.Z', '2024-05-18T10:00:00+24:00'],
    ...[
      '2024-05-18T10:00:00+02:60',
      '2024-05-18T10Z',
      '2024-05-18T10:00:00ZZ',
      '2024-05-18T10:00:00Z\n',
      '',
      'now',
    ],
    `2024-05-18T10:00:00.${'1'.repeat(31)}Z`,
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('reads what toIsoInstant writes, whatever the offset', () => {
    const instants = fc.integer({ min: 0, max: EVENT_TS_MAX });
    const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(instants, offsets, (ms, minutes) => {
        expect(parseInstant(toIsoInstant(ms))).toBe(ms);
        const local = toIsoInstant(ms + minutes * 60_000).slice(0, -1);
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const offset = `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
        if (/^\d{4}-/.test(local)) {
          expect(parseInstant(`${local}${minutes < 0 ? '-' : '+'}${offset}`)).toBe(ms);
        }
        expect(parseDay(toIsoDay(ms))).toBe(ms - (ms % 86_400_000));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('toIsoInstant', () => {
  const ends = [
    0,
    86_399_999,
    86_400_000,
    EVENT_TS_MAX,
    -1,
    -86_400_001,
    -62_135_596_800_001,
    253_402_300_800_000,
  ];
  const anywhere = fc.oneof(fc.constantFrom(...ends), fc.integer({ min: -(2 ** 50), max: 2 ** 50 }));

  it('writes what Date writes, for neighbours within a day and far away', () => {
    fc.assert(
      fc.property(anywhere, fc.integer({ min: 0, max: 86_399_999 }), (ms, later) => {
        for (const instant of [ms, ms + later]) {
          expect(toIsoInstant(instant)).toBe(new Date(instant).toISOString());
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('throws for no time at all', () => {
    expect(() => toIsoInstant(NaN)).toThrow(RangeError);
  });
});
