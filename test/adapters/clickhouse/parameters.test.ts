import { describe, expect, it } from 'vitest';
import { nameParameters } from '../../../adapters/clickhouse/parameters.ts';

const LONG = 30_000;

describe('parameters of ClickHouse', () => {
  it('are the values by their names', () => {
    expect(nameParameters({ text: 'a = {p1:String} and b = {p2:Int64}', values: ['x', 7] })).toEqual({
      query: 'a = {p1:String} and b = {p2:Int64}',
      query_params: { p1: 'x', p2: 7 },
    });
  });

  it('of a long text go in parts, none of which ends within a character', () => {
    const value = `${'x'.repeat(LONG - 1)}${'\u{1f600}'.repeat(LONG)}`;
    const { query, query_params } = nameParameters({ text: 'a = {p1:String}', values: [value] });
    const parts = Object.values(query_params) as string[];
    expect(query).toBe(`a = concat(${parts.map((_, i) => `{p1_${i}:String}`).join(', ')})`);
    expect(parts.join('')).toBe(value);
    for (const part of parts) {
      expect(part.isWellFormed()).toBe(true);
      expect(part.length).toBeLessThanOrEqual(LONG);
    }
  });

  it('of a long list go in parts of many, and its long texts in parts of their own', () => {
    const values = [...Array.from({ length: 5000 }, (_, i) => `id-${i}`), 'y'.repeat(LONG * 2), 'last'];
    const { query, query_params } = nameParameters({ text: 'has({p1:Array(String)}, a)', values: [values] });
    expect(query).toBe(
      'has(arrayConcat({p1_0:Array(String)}, {p1_1:Array(String)}, ' +
        '[concat({p1_2_0:String}, {p1_2_1:String})], {p1_3:Array(String)}), a)',
    );
    const given = query_params as Record<string, string[]>;
    const long = [given.p1_2_0, given.p1_2_1].join('');
    expect([given.p1_0, given.p1_1, long, given.p1_3].flat()).toEqual(values);
  });
});
