import { describe, expect, it } from 'vitest';
import { parseFilterSet, type FilterEntry } from '../../../src/index.ts';

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
    expect(parse(on('properties.a', 'NOT_EQUALS', 1))).toEqual({
      kind: 'all',
      of: [{ kind: 'not', of: test }],
    });
    const isNotNull = { ...test, operator: 'IS_NOT_NULL', operand: null };
    expect(parse(on('properties.a', 'IS_NULL', null))).toEqual({
      kind: 'all',
      of: [{ kind: 'not', of: isNotNull }],
    });
  });

  it('groups keep their form', () => {
    expect(parse({ anyOf: [leaf, { not: leaf }] }, { allOf: [] })).toEqual({
      kind: 'all',
      of: [
        { kind: 'any', of: [test, { kind: 'not', of: test }] },
        { kind: 'all', of: [] },
      ],
    });
  });

  it('times become milliseconds, days stay days', () => {
    const operandOf = (entry: FilterEntry) =>
      (parse(entry) as unknown as { of: [{ operand: unknown }] }).of[0].operand;
    expect(operandOf(on('eventTs', 'GREATER_THAN', '2024-05-18'))).toBe(Date.UTC(2024, 4, 18));
    expect(operandOf(on('eventTs', 'LESS_THAN', '2024-05-18T02:00:00.5+02:00'))).toBe(
      Date.UTC(2024, 4, 18) + 500,
    );
    expect(operandOf(on('eventTs', 'IN', ['1970-01-01', '1970-01-01T00:00:01Z']))).toEqual([0, 1000]);
    expect(operandOf(on('eventDate', 'EQUALS', '2024-02-29'))).toBe('2024-02-29');
    expect(operandOf(on('eventTs', 'IS_NOT_NULL', null))).toBe(null);
  });

  const time = 'eventTs takes an ISO 8601 date, or date-time with an offset (2024-05-18T10:00:00Z)';
  const roots = 'use eventName, userId, eventTs, eventDate, insertId or properties.<key>';
  const storable = 'must be well-formed Unicode without U+0000';
  it.each([
    [on('eventTs', 'EQUALS', '2024-02-30'), `value: ${time}, got the string "2024-02-30"`],
    [on('eventTs', 'EQUALS', '2024-05-18T10:00:00'), `value: ${time}, got the string "2024-05-18T10:00:00"`],
    [on('eventTs', 'GREATER_THAN', 1716000000000), `value: ${time}, got the number 1716000000000`],
    [on('eventTs', 'IN', ['2024-05-18', true]), `value: ${time}, got true`],
    [
      on('eventTs', 'CONTAINS', '2024'),
      'value: eventTs is compared as a date, which has no CONTAINS; use EQUALS, IN or an order',
    ],
    [
      on('eventDate', 'NOT_CONTAINS', '2024'),
      'value: eventDate is compared as a date, which has no NOT_CONTAINS; use EQUALS, IN or an order',
    ],
    [
      on('eventDate', 'STARTS_WITH', '2024-05'),
      'value: eventDate is compared as a date, which has no STARTS_WITH; use EQUALS, IN or an order',
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
      expect(parse(nest(10, wrap)).kind).toBe('all');
      expect(() => parse(nest(11, wrap))).toThrow('filters nest at most 10 levels');
    }
  });
});
