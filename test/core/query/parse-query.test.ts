import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilterEntry } from '../../../src/index.ts';
import { parseQueryBody } from '../../../src/internal.ts';
import { parseBreakdownBody, parseCountBody } from '../../../src/store-kit.ts';

const DAY_MS = 86_400_000;
const all = { kind: 'all', of: [] };
const nothing = { from: -Infinity, until: Infinity, condition: { kind: 'any', of: [] } };

describe('parseQueryBody', () => {
  it('an empty body restricts nothing and asks for the first 100', () => {
    expect(parseQueryBody({})).toEqual({
      query: { from: -Infinity, until: Infinity, condition: all },
      page: { offset: 0, size: 100 },
      include: [],
    });
    expect(parseQueryBody({ filterSet: [], pagination: {} })).toEqual(parseQueryBody({}));
  });

  it('days are whole and both inclusive, each works alone', () => {
    const day = Date.UTC(2024, 1, 29);
    expect(parseCountBody({ after: '2024-02-29' })).toMatchObject({ from: day, until: Infinity });
    expect(parseCountBody({ before: '2024-02-29' })).toMatchObject({ from: -Infinity, until: day + DAY_MS });
    expect(parseCountBody({ after: '2024-02-29', before: '2024-02-29' })).toMatchObject({
      from: day,
      until: day + DAY_MS,
    });
    expect(parseCountBody({ after: '2024-03-01', before: '2024-02-29' })).toEqual(nothing);
    expect(parseCountBody({ after: '2024-03-01', before: '2024-02-28' })).toEqual(nothing);
  });

  it('from is in and until is not, and every bound holds beside the days', () => {
    const day = Date.UTC(2024, 1, 29);
    const [from, until] = ['2024-02-29T01:00:00+02:00', '2024-02-29T12:00:00.5Z'];
    expect(parseCountBody({ from })).toEqual({ from: day - 3_600_000, until: Infinity, condition: all });
    expect(parseCountBody({ until })).toEqual({
      ...{ from: -Infinity, until: day + 43_200_500, condition: all },
    });
    expect(parseCountBody({ from, until, after: '2024-02-29', before: '2024-02-29' })).toEqual({
      ...{ from: day, until: day + 43_200_500, condition: all },
    });
    expect(parseCountBody({ from: until, until })).toEqual(nothing);
    expect(parseCountBody({ until: from, after: '2024-02-29' })).toEqual(nothing);
    expect(parseBreakdownBody({ by: 'hour', from, before: '2024-02-29' }).grouping.by).toEqual({
      ...{ unit: 'hour', from: day - 3_600_000, until: day + DAY_MS },
    });
  });

  it('days are those of the time zone, and instants are of none', () => {
    const timeZone = 'Europe/Berlin';
    const day = { after: '2024-10-27', before: '2024-10-27', timeZone };
    const [from, until] = [Date.UTC(2024, 9, 26, 22), Date.UTC(2024, 9, 27, 23)];
    expect(parseCountBody(day)).toEqual({ from, until, condition: all });
    const text = '2024-10-27T00:00:00Z';
    expect(parseCountBody({ from: text, timeZone })).toEqual(parseCountBody({ from: text }));
    expect(parseCountBody({ after: '2024-10-27', timeZone: 'UTC' })).toEqual(
      parseCountBody({ after: '2024-10-27' }),
    );
    // That day was skipped.
    const skipped = { after: '2011-12-30', before: '2011-12-30', timeZone: 'Pacific/Apia' };
    expect(parseCountBody(skipped)).toEqual(nothing);
    // The first events are of the last day of 1969 there.
    const first = parseCountBody({ before: '1969-12-31', timeZone: 'America/New_York' });
    expect(first.until).toBe(5 * 3_600_000);
    expect(parseCountBody({ after: '0000-01-01', before: '9999-12-31', timeZone })).toMatchObject({
      ...{ from: -62_167_219_200_000, until: 253_402_297_200_000 },
    });
  });

  it('a series has its zone, unless that is UTC', () => {
    const series = (body: object) => parseBreakdownBody({ by: 'day', ...body }).grouping.by;
    expect(series({ timeZone: 'utc' })).toEqual({ unit: 'day', from: -Infinity, until: Infinity });
    expect(series({ timeZone: 'Europe/Berlin' })).toMatchObject({ zone: { name: 'Europe/Berlin' } });
    const days = { after: '2024-01-01', timeZone: 'Europe/Berlin' };
    expect(() => series({ ...days, by: 'minute', before: '2024-01-06' })).toThrow(/^by: a minute cuts/);
    // 2,000 days there touch one more of UTC.
    expect(series({ ...days, before: '2029-06-22' })).toMatchObject({ unit: 'day' });
    expect(parseBreakdownBody({ by: 'eventDate', ...days }).grouping.by).toEqual({
      ...{ root: 'eventDate', segments: [] },
    });
  });

  const at = (property: string, comparison: string, value: unknown) =>
    ({ property, comparison, value }) as FilterEntry;
  const named = {
    kind: 'test',
    path: { root: 'eventName', segments: [] },
    operator: 'EQUALS',
    operand: 'a',
  };

  it('an event name is one more condition', () => {
    expect(parseCountBody({ event: 'a' }).condition).toEqual(named);
  });

  it('bounds of time that every event has to meet are the range of the query', () => {
    const day = Date.UTC(2024, 1, 29);
    const from = at('eventTs', 'GREATER_THAN_OR_EQUALS', '2024-02-29T10:00:00Z');
    const until = at('eventDate', 'LESS_THAN_OR_EQUALS', '2024-03-01');
    const range = { from: day + 36_000_000, until: day + 2 * DAY_MS };
    expect(parseCountBody({ filterSet: [from, until] })).toEqual({ ...range, condition: all });
    expect(parseCountBody({ event: 'a', filterSet: [{ allOf: [until] }, from] })).toEqual({
      ...range,
      condition: named,
    });
    expect(parseCountBody({ filterSet: [{ not: at('eventDate', 'NOT_EQUALS', '2024-02-29') }] })).toEqual({
      from: day,
      until: day + DAY_MS,
      condition: all,
    });
    expect(parseCountBody({ before: '2024-02-29', filterSet: [from, until] })).toEqual({
      from: range.from,
      until: day + DAY_MS,
      condition: all,
    });
    expect(parseCountBody({ before: '2024-02-28', filterSet: [from] })).toEqual(nothing);
  });

  it('several ranges are bounded by the first and the last, and their gaps stay a condition', () => {
    const filter = at('eventDate', 'IN', ['1970-01-01', '1970-01-05']);
    const ranges = [
      { from: 0, until: DAY_MS },
      { from: 4 * DAY_MS, until: 5 * DAY_MS },
    ];
    const during = { kind: 'during', ranges };
    const bounds = { from: 0, until: 5 * DAY_MS };
    expect(parseCountBody({ filterSet: [filter] })).toEqual({ ...bounds, condition: during });
    expect(parseCountBody({ event: 'a', filterSet: [filter] })).toEqual({
      ...bounds,
      condition: { kind: 'all', of: [during, named] },
    });
  });

  it('bounds of time that only some events have to meet stay where they are', () => {
    const filter = { anyOf: [at('eventDate', 'EQUALS', '1970-01-01'), at('eventName', 'EQUALS', 'a')] };
    const during = { kind: 'during', ranges: [{ from: 0, until: DAY_MS }] };
    expect(parseCountBody({ filterSet: [filter] })).toEqual({
      from: -Infinity,
      until: Infinity,
      condition: { kind: 'any', of: [during, named] },
    });
  });

  it('the page is as asked', () => {
    expect(parseQueryBody({ pagination: { offset: 7, size: 3 } }).page).toEqual({ offset: 7, size: 3 });
    expect(parseQueryBody({ pagination: { offset: 7 } }).page).toEqual({ offset: 7, size: 100 });
  });
});

describe('two dimensions', () => {
  it('with one size have so many rows, and columns as without any', () => {
    const asked = fc.record({
      by: fc.constantFrom<['userId', 'eventName' | 'day']>(['userId', 'eventName'], ['userId', 'day']),
      // At most as many as make no more than 10,000 cells with the columns.
      size: fc.integer({ min: 1, max: 500 }),
      isTurned: fc.boolean(),
    });
    fc.assert(
      fc.property(asked, ({ by: [first, second], size, isTurned }) => {
        const by = isTurned ? ([second, first] as const) : ([first, second] as const);
        const sizesOf = (body: object) => {
          const { grouping } = parseBreakdownBody({ by, ...body });
          return [grouping.size, 'measures' in grouping ? grouping.columns?.size : undefined];
        };
        const [, columns] = sizesOf({});
        expect(columns).toBe(by[1] === 'day' ? Infinity : 20);
        expect(sizesOf({ size })).toEqual([size, columns]);
      }),
    );
  });

  /** Sizes and numbers of days around those with 10,000 cells, and few beside many. */
  const numbers = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constantFrom(1, 5, 10, 100, 999, 1000));

  it('are refused for the cells that they would return, not for buckets that are left out', () => {
    const bodies = fc.record({ groups: numbers, buckets: numbers, days: numbers, isTurned: fc.boolean() });
    fc.assert(
      fc.property(bodies, ({ groups, buckets, days, isTurned }) => {
        const [by, size] = [['userId', 'day'] as const, [groups, buckets] as const];
        const until = new Date(days * DAY_MS).toISOString();
        const span = { from: '1970-01-01T00:00:00Z', until };
        const body = isTurned
          ? { by: [by[1], by[0]] as const, size: [size[1], size[0]] as const, ...span }
          : { by, size, ...span };
        const parse = () => parseBreakdownBody(body);
        if (Math.min(buckets, days) * groups > 10_000) expect(parse).toThrow('more than 10000 cells');
        else expect(parse).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});
