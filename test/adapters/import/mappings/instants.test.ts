import { describe, expect, it } from 'vitest';
import { isTimeZone } from '../../../../adapters/import/mappings/instants.ts';
import { isApiError } from '../../../../src/index.ts';
import { plainInstants } from '../plain-instants.ts';

const read = (value: unknown, zone?: string, timeZone?: string) => {
  const found = plainInstants(timeZone === undefined ? {} : { timeZone }).read(value, zone);
  return isApiError(found) ? found.message : new Date(found).toISOString();
};

describe('times of other tools', () => {
  it.each([
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    [1_700_000_000.987, '2023-11-14T22:13:20.987Z'],
    ['1700000000.9876', '2023-11-14T22:13:20.987Z'],
    [1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
    ['1700000000123456', '2023-11-14T22:13:20.123Z'],
    ['2024-05-03T10:00:00.1239Z', '2024-05-03T10:00:00.123Z'],
    ['2024-05-03 10:00:00.123456 UTC', '2024-05-03T10:00:00.123Z'],
    ['2024-05-03 10:00:00+02', '2024-05-03T08:00:00.000Z'],
    ['2024-05-03T10:00:00,5-0330', '2024-05-03T13:30:00.500Z'],
    ['2024-05-03 10:00Z', '2024-05-03T10:00:00.000Z'],
  ])('%j is %s', (value, expected) => {
    expect(read(value)).toBe(expected);
  });

  it('without a zone are of the zone that the source or the user names, and refused without one', () => {
    expect(read('2024-05-03 10:00:00.5', 'UTC')).toBe('2024-05-03T10:00:00.500Z');
    expect(read('2024-05-03', 'UTC')).toBe('2024-05-03T00:00:00.000Z');
    expect(read('2024-07-03 10:00:00', undefined, 'Europe/Berlin')).toBe('2024-07-03T08:00:00.000Z');
    expect(read('2024-12-03 10:00:00', undefined, 'Europe/Berlin')).toBe('2024-12-03T09:00:00.000Z');
    expect(read('2024-12-03 10:00:00', undefined, 'Asia/Kathmandu')).toBe('2024-12-03T04:15:00.000Z');
    expect(read('2024-05-03 10:00:00')).toMatch(/has no time zone.*`timeZone`/);
  });

  it('when clocks are changed are the first of two, or no time at all', () => {
    expect(read('2024-10-27 02:30:00', undefined, 'Europe/Berlin')).toBe('2024-10-27T00:30:00.000Z');
    expect(read('2024-10-27 03:00:00', undefined, 'Europe/Berlin')).toBe('2024-10-27T02:00:00.000Z');
    expect(read('2024-03-31 02:30:00', undefined, 'Europe/Berlin')).toMatch(/does not exist/);
    expect(read('2024-03-31 03:00:00', undefined, 'Europe/Berlin')).toBe('2024-03-31T01:00:00.000Z');
    expect(read('2024-11-03 01:30:00', undefined, 'America/New_York')).toBe('2024-11-03T05:30:00.000Z');
    // Here they are set forward at a half hour of UTC, by half an hour.
    expect(read('2024-10-06 02:15:00', undefined, 'Australia/Lord_Howe')).toMatch(/does not exist/);
    expect(read('2024-10-06 02:45:00', undefined, 'Australia/Lord_Howe')).toBe('2024-10-05T15:45:00.000Z');
  });

  it.each([
    '',
    'yesterday',
    '2024-02-30 10:00:00',
    '2024-05-03 25:00:00',
    '03/05/2024',
    null,
    {},
    1e17,
    true,
    ...[0, 5, 2024, 500_000_000, 20_240_503, 20_240_503_100_000, 45_415.5],
    ...['20240503', '20240503100000', '45415.4166667', '-1700000000', '1.7E+09'],
  ])('%j is refused', (value) => {
    expect(read(value, 'UTC')).toMatch(/^eventTs: /);
  });

  it('say once how the numbers of a unit are read', () => {
    const said: string[] = [];
    const instants = plainInstants({ say: (line) => said.push(line) });
    for (const value of [1e9, 2e9, 1e12, 1e12 + 1, 1e15, '1700000000123456789'])
      instants.read(value, undefined);
    expect(said.map((line) => /in (\w+) since/.exec(line)?.[1])).toEqual([
      'seconds',
      'milliseconds',
      'microseconds',
      'nanoseconds',
    ]);
  });

  it('are before 1990 only in a text, or if the user says what numbers count', () => {
    expect(read('1985-01-01T00:00:00Z')).toBe('1985-01-01T00:00:00.000Z');
    expect(read(1_000)).toMatch(/is no time from 1990 on.*`epoch`/);
    expect(read('45415.5')).toMatch(/serial date of Excel: 45415.5 would be 2024-05-03T12:00:00; /);
    const inSeconds = plainInstants({ epoch: 's' });
    expect(inSeconds.read(1_000, undefined)).toBe('1970-01-01T00:16:40.000Z');
    expect(inSeconds.read('1700000000', undefined)).toBe(1_700_000_000_000);
    expect(isApiError(inSeconds.read(-1, undefined))).toBe(true);
  });

  it('zones are those of IANA', () => {
    expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
