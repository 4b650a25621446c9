import { describe, expect, it } from 'vitest';
import { parseFilterSet } from '../../../src/core/filter/parse-filter.ts';
import { DAY_MS } from '../../../src/core/event/time.ts';
import type { During } from '../../../src/core/filter/condition.ts';
import type { FilterEntry } from '../../../src/index.ts';

const leaf: FilterEntry = { property: 'properties.a', comparison: 'EQUALS', value: 1 };
const test = { kind: 'test', path: { root: 'properties', segments: ['a'] }, operator: 'EQUALS', operand: 1 };
const parse = (...entries: FilterEntry[]) => parseFilterSet(entries, 'filterSet');
const on = (property: string, comparison: string, value: unknown) =>
  ({ property, comparison, value }) as FilterEntry;

describe('parseFilterSet', () => {
  it('all entries of the set have to match', () => {
    expect(parse()).toEqual({ kind: 'all', of: [] });
    expect(parse(leaf, leaf)).toEqual({ kind: 'all', of: [test, test] });
  });

  it('a negative comparison is the complement of its positive', () => {
    expect(parse(on('properties.a', 'NOT_EQUALS', 1))).toEqual({ kind: 'not', of: test });
    const isNotNull = { ...test, operator: 'IS_NOT_NULL', operand: null };
    expect(parse(on('properties.a', 'IS_NULL', null))).toEqual({ kind: 'not', of: isNotNull });
  });

  it('groups keep their meaning, and what adds nothing is gone', () => {
    const other = { kind: 'not', of: test };
    const any = { kind: 'any', of: [test, other] };
    expect(parse({ anyOf: [leaf, { not: leaf }] }, { allOf: [] })).toEqual(any);
    expect(parse(leaf, { allOf: [leaf, { allOf: [leaf] }] })).toEqual({
      kind: 'all',
      of: [test, test, test],
    });
    expect(parse({ not: { not: leaf } })).toEqual(test);
    expect(parse({ not: { anyOf: [leaf, { not: leaf }] } })).toEqual({ kind: 'not', of: any });
    for (const nothing of [{ anyOf: [] }, { not: { allOf: [] } }]) {
      expect(parse(leaf, nothing)).toEqual({ kind: 'any', of: [] });
      expect(parse({ anyOf: [leaf, nothing] })).toEqual(test);
    }
    expect(parse({ anyOf: [leaf, { allOf: [] }] })).toEqual({ kind: 'all', of: [] });
  });

  it('times become ranges of milliseconds', () => {
    const may18 = Date.UTC(2024, 4, 18);
    const moment = may18 + 500;
    const rangesOf = (field: string, comparison: string, value: unknown) => {
      const { kind, ranges } = parse(on(field, comparison, value)) as During;
      expect(kind).toBe('during');
      return ranges.map(({ from, until }) => [from, until]);
    };
    const text = '2024-05-18T02:00:00.5+02:00';
    expect(rangesOf('eventTs', 'EQUALS', text)).toEqual([[moment, moment + 1]]);
    expect(rangesOf('eventTs', 'NOT_EQUALS', text)).toEqual([
      [-Infinity, moment],
      [moment + 1, Infinity],
    ]);
    expect(rangesOf('eventTs', 'GREATER_THAN', text)).toEqual([[moment + 1, Infinity]]);
    expect(rangesOf('eventTs', 'GREATER_THAN_OR_EQUALS', text)).toEqual([[moment, Infinity]]);
    expect(rangesOf('eventTs', 'LESS_THAN', text)).toEqual([[-Infinity, moment]]);
    expect(rangesOf('eventTs', 'LESS_THAN_OR_EQUALS', text)).toEqual([[-Infinity, moment + 1]]);
    expect(rangesOf('eventTs', 'GREATER_THAN', '2024-05-18')).toEqual([[may18 + 1, Infinity]]);
    expect(rangesOf('eventTs', 'IN', ['1970-01-01T00:00:01Z', '1970-01-01'])).toEqual([
      [0, 1],
      [1000, 1001],
    ]);
    expect(rangesOf('eventDate', 'EQUALS', '2024-05-18')).toEqual([[may18, may18 + DAY_MS]]);
    expect(rangesOf('eventDate', 'GREATER_THAN', '2024-05-17')).toEqual([[may18, Infinity]]);
    expect(rangesOf('eventDate', 'LESS_THAN_OR_EQUALS', '2024-05-17')).toEqual([[-Infinity, may18]]);
    expect(rangesOf('eventDate', 'IN', ['2024-05-18', '2024-05-17', '2024-05-19'])).toEqual([
      [may18 - DAY_MS, may18 + 2 * DAY_MS],
    ]);
  });

  it('every event has a time', () => {
    for (const field of ['eventTs', 'eventDate']) {
      expect(parse(on(field, 'IS_NOT_NULL', null))).toEqual({ kind: 'all', of: [] });
      expect(parse(on(field, 'IS_NULL', null))).toEqual({ kind: 'any', of: [] });
      expect(parse(on(field, 'IN', []))).toEqual({ kind: 'any', of: [] });
      expect(parse(on(field, 'NOT_IN', []))).toEqual({ kind: 'all', of: [] });
    }
  });

  it('all times of a group become one part of it, in any of its entries', () => {
    const from = on('eventTs', 'GREATER_THAN_OR_EQUALS', '1970-01-02');
    const until = on('eventDate', 'LESS_THAN', '1970-01-03');
    const day = { kind: 'during', ranges: [{ from: DAY_MS, until: 2 * DAY_MS }] };
    expect(parse(from, leaf, until)).toEqual({ kind: 'all', of: [day, test] });
    expect(parse({ anyOf: [leaf, { allOf: [from, until] }] })).toEqual({ kind: 'any', of: [day, test] });
    expect(parse(until, on('eventTs', 'GREATER_THAN', '1970-01-03'))).toEqual({ kind: 'any', of: [] });
    expect(parse({ anyOf: [from, until] })).toEqual({ kind: 'all', of: [] });
  });

  const time = 'eventTs takes an ISO 8601 date, or date-time with an offset (2024-05-18T10:00:00Z)';
  const roots = 'use eventName, userId, eventTs, eventDate, insertId, receivedAt or properties.<key>';
  const dates =
    'use one of EQUALS, NOT_EQUALS, GREATER_THAN, GREATER_THAN_OR_EQUALS, LESS_THAN, ' +
    'LESS_THAN_OR_EQUALS, IN, NOT_IN, IS_NOT_NULL, IS_NULL';
  const storable = 'must be well-formed Unicode without U+0000';
  it.each([
    [on('eventTs', 'EQUALS', '2024-02-30'), `value: ${time}, got the string "2024-02-30"`],
    [on('eventTs', 'EQUALS', '2024-05-18T10:00:00'), `value: ${time}, got the string "2024-05-18T10:00:00"`],
    [on('eventTs', 'GREATER_THAN', 1716000000000), `value: ${time}, got the number 1716000000000`],
    [on('eventTs', 'IN', ['2024-05-18', true]), `value: ${time}, got true`],
    [
      on('eventTs', 'CONTAINS', '2024'),
      'value: eventTs is compared as a date, which has no CONTAINS; ' + dates,
    ],
    [
      on('eventDate', 'NOT_CONTAINS', '2024'),
      'value: eventDate is compared as a date, which has no NOT_CONTAINS; ' + dates,
    ],
    [
      on('eventDate', 'STARTS_WITH', '2024-05'),
      'value: eventDate is compared as a date, which has no STARTS_WITH; ' + dates,
    ],
    [
      on('eventDate', 'EQUALS', '2024-02-30'),
      'value: eventDate takes a real YYYY-MM-DD date, got the string "2024-02-30"',
    ],
    [
      on('eventDate', 'EQUALS', '2024-05-18T00:00:00Z'),
      'value: eventDate takes a real YYYY-MM-DD date, got the string "2024-05-18T00:00:00Z"',
    ],
    [on('userId', 'EQUALS', '\udc00'), `value: ${storable}`],
    [on('userId', 'IN', ['a', '\u0000']), `value: ${storable}`],
    [on('userId', 'IN', ['\ud800', 'a']), `value: ${storable}`],
    [on('properties', 'EQUALS', 1), `property: unknown property path "properties"; ${roots}`],
  ])('refuses %j', (entry, message) => {
    expect(() => parse(leaf, { anyOf: [entry] })).toThrow(
      expect.objectContaining({ status: 400, message: `filterSet[1].anyOf[0].${message}` }),
    );
  });

  it('takes 100 comparisons and refuses 101, however they are grouped', () => {
    const many = (count: number) => Array.from({ length: count }, () => leaf);
    expect(parse(...many(100))).toMatchObject({ of: { length: 100 } });
    expect(() => parse(...many(101))).toThrow('filterSet[100]: a filterSet takes at most 100 filters');
    expect(() => parse({ anyOf: many(60) }, { not: { allOf: many(41) } })).toThrow(
      'filterSet[1].not.allOf[40]: a filterSet takes at most 100 filters',
    );
  });

  it('takes 10 levels and refuses 11', () => {
    const nest = (levels: number, wrap: (entry: FilterEntry) => FilterEntry) => {
      let entry: FilterEntry = leaf;
      for (let i = 1; i < levels; i++) entry = wrap(entry);
      return entry;
    };
    for (const wrap of [
      (not: FilterEntry): FilterEntry => ({ not }),
      (entry: FilterEntry): FilterEntry => ({ anyOf: [entry] }),
      (entry: FilterEntry): FilterEntry => ({ allOf: [entry] }),
    ]) {
      expect(parse(nest(10, wrap))).toBeDefined();
      expect(() => parse(nest(11, wrap))).toThrow('filters nest at most 10 levels');
    }
  });
});
