import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { createTypedColumns } from '../../../adapters/clickhouse/typed.ts';
import { selectCount } from '../../../adapters/sql/index.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { parseCountBody } from '../../../src/store-kit.ts';

const typed = createTypedColumns(['properties.plan', 'properties.a\\.b.c']);

/** What a question asks of each event, behind its tenant. */
function asked(property: string, entry: object): string {
  const filterSet = [{ property, ...entry } as FilterEntry];
  const statement = selectCount(CLICKHOUSE, 'events', 'T', parseCountBody({ filterSet }));
  return typed.inPlace(statement).text.replace(/^.* and /, '');
}

describe('typed columns of ClickHouse', () => {
  it('hold what a question reads, to the letter', () => {
    const [plan, deep] = typed.statements('events');
    const place = 'properties, {p1:String}';
    expect(plan!.text.replaceAll(/\s+/g, ' ')).toBe(
      'alter table events add column if not exists typed_92744cb664d4bb4d ' +
        'Tuple(type LowCardinality(String), text String, number Float64, truth Bool) ' +
        `materialized tuple(toString(JSONType(${place})), JSONExtractString(${place}), ` +
        `JSONExtractFloat(${place}), JSONExtractBool(${place}))`,
    );
    expect([plan!.values, deep!.values]).toEqual([['plan'], ['a.b', 'c']]);
    expect(deep!.text).toContain('JSONExtractBool(properties, {p1:String}, {p2:String})');
  });

  it('are read in the place of the properties', () => {
    const [name] = /typed_\w+/.exec(typed.statements('events')[0]!.text)!;
    expect(asked('properties.plan', { comparison: 'STARTS_WITH', value: 'x' })).toBe(
      `startsWith(${name}.text, {p3:String})))`,
    );
    expect(asked('properties.plan', { comparison: 'IS_NOT_NULL', value: null })).toContain(
      `${name}.type <> 'Null'`,
    );
    const [deep] = /typed_\w+/.exec(typed.statements('events')[1]!.text)!;
    expect(asked('properties.a\\.b.c', { comparison: 'EQUALS', value: 5 })).toContain(`${deep}.number = `);
  });

  it('are left alone by paths that have none, and by what arrays hold', () => {
    for (const path of ['properties.plans', 'properties.a.b.c', 'properties.plan.x']) {
      expect(asked(path, { comparison: 'EQUALS', value: 'typed' })).toContain(
        'JSONExtractString(properties, ',
      );
    }
    expect(asked('properties.plan', { comparison: 'CONTAINS', value: 7 })).toContain('JSONExtractArrayRaw(');
  });

  it('are made of paths below properties only', () => {
    expect(() => createTypedColumns(['userId'])).toThrow('typed: "userId" is no path below properties');
    expect(() => createTypedColumns(['day'])).toThrow('typed: "day" is no path below properties');
    expect(() => createTypedColumns(['properties.'])).toThrow('empty segment');
  });
});
