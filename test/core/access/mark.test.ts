import { describe, expect, it } from 'vitest';
import { parseMarkOptions } from '../../../src/core/access/admin-options.ts';
import { marksWithin, type Mark } from '../../../src/core/access/mark.ts';

const NOW = Date.parse('2026-05-18T09:00:00Z');
const parse = (value: unknown) => parseMarkOptions(value, NOW);

describe('a mark', () => {
  it('is of now and without a URL, if nothing else is said', () => {
    expect(parse({ name: ' v1.2 ' })).toEqual({ time: '2026-05-18T09:00:00.000Z', name: 'v1.2', url: null });
    expect(parse({ name: 'v1.2', url: null })).toMatchObject({ url: null });
  });

  it.each([
    ['2026-05-18T11:00:00+02:00', '2026-05-18T09:00:00.000Z'],
    ['1970-01-01T00:00Z', '1970-01-01T00:00:00.000Z'],
    ['2099-12-31T23:59:59.9999Z', '2099-12-31T23:59:59.999Z'],
  ])('of %s is kept by its instant in UTC', (time, kept) => {
    expect(parse({ name: 'a', time }).time).toBe(kept);
  });

  it.each([
    'https://shop.example/releases/1.2?a=%20#notes',
    'HTTP://127.0.0.1:8080',
    'http://[::1]/',
    `https://a.example/${'x'.repeat(1_982)}`,
  ])('may have the URL %s', (url) => {
    expect(parse({ name: 'a', url }).url).toBe(url);
  });

  it.each<readonly [unknown, string]>([
    [{}, 'name: takes 1 to 100 characters, none of them invisible'],
    [{ name: '' }, 'name: takes 1 to 100 characters'],
    [{ name: 'x'.repeat(101) }, 'name: takes 1 to 100 characters'],
    [{ name: 'a\nb' }, 'name: takes no control characters and no invisible ones, got U+000A'],
    [
      { name: 'a', time: '2026-05-18' },
      'time: takes a date-time with an offset, such as 2024-05-18T09:00:00Z',
    ],
    [{ name: 'a', time: '2026-05-18T09:00:00' }, 'time: takes a date-time with an offset'],
    [{ name: 'a', time: 1_779_094_800_000 }, 'time: takes a date-time with an offset'],
    [
      { name: 'a', time: '1970-01-01T00:30:00+01:00' },
      'time: takes an instant within the years 1970 to 2099',
    ],
    [{ name: 'a', time: '2100-01-01T00:00:00Z' }, 'time: takes an instant within the years 1970 to 2099'],
    ...[
      ...['', 'shop.example', 'ftp://shop.example', 'javascript:alert(1)', 'https://', 'https:///a'],
      ...['https://a.example/ b', 'https://a.example/\n', 'https://a.example/ü', ' https://a.example', 5],
      `https://a.example/${'x'.repeat(1_983)}`,
    ].map(
      (url) => [{ name: 'a', url }, 'url: takes an http or https URL of at most 2000 characters'] as const,
    ),
    [{ name: 'a', at: 5 }, 'mark: unknown field "at"; use one of name, time, url'],
    [null, 'mark: takes an object'],
  ])('%j is refused, with the reason', (value, reason) => {
    expect(() => parse(value)).toThrow(reason);
  });
});

describe('the marks within a range', () => {
  const marks = ['09:00', '10:00', '11:00'].map((time, i): Mark => {
    return { id: `${i}`, tenantId: 't', time: `2026-05-18T${time}:00.000Z`, name: 'a', url: null };
  });
  const idsWithin = (range: object) => marksWithin(marks, range).map(({ id }) => id);

  it('are those from its beginning until its end, which is not in it; either may be open', () => {
    expect(idsWithin({})).toEqual(['0', '1', '2']);
    expect(idsWithin({ from: '2026-05-18T12:00:00+02:00' })).toEqual(['1', '2']);
    expect(idsWithin({ until: '2026-05-18T11:00:00Z' })).toEqual(['0', '1']);
    expect(idsWithin({ from: '2026-05-18T09:00:00.001Z', until: '2026-05-18T10:00:00.001Z' })).toEqual(['1']);
    expect(idsWithin({ from: '2026-05-19T00:00Z', until: '2026-05-18T00:00Z' })).toEqual([]);
  });

  it('are named by instants with an offset', () => {
    expect(() => idsWithin({ from: '2026-05-18' })).toThrow('from: takes a date-time with an offset');
    expect(() => idsWithin({ until: 5 })).toThrow('until: takes a date-time with an offset');
  });
});
