import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { createDraft, writePage, writeWhere } from '../../../adapters/sql/index.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { parseCountBody } from '../../../src/store-kit.ts';

/** The text and the parameters behind the tenant's own. */
function compile(...filterSet: FilterEntry[]): readonly [text: string, ...values: unknown[]] {
  const draft = createDraft(CLICKHOUSE);
  const text = writeWhere(CLICKHOUSE, 'T', parseCountBody({ filterSet }), draft);
  return [text.replace(/^tenant = \{p1:String\}( and )?/, ''), ...draft.values.slice(1)];
}

const PLACE = 'properties, {p2:String}, {p3:String}';
const NUMBERS = "('Int64', 'UInt64', 'Double')";

describe('a filter as SQL for ClickHouse, to the letter', () => {
  const property = 'properties.a.b';
  const text = (test: string) => `((JSONType(${PLACE}) = 'String' and ${test}))`;
  const cases: readonly (readonly [FilterEntry, string, ...unknown[]])[] = [
    [
      { property, comparison: 'EQUALS', value: 'x' },
      text(`JSONExtractString(${PLACE}) = {p4:String}`),
      ...['a', 'b', 'x'],
    ],
    [
      { property, comparison: 'EQUALS', value: true },
      `((JSONType(${PLACE}) = 'Bool' and JSONExtractBool(${PLACE}) = true))`,
      ...['a', 'b'],
    ],
    [
      { property, comparison: 'GREATER_THAN', value: 5 },
      `((JSONType(${PLACE}) in ${NUMBERS} and JSONExtractFloat(${PLACE}) > JSONExtractFloat({p4:String})))`,
      ...['a', 'b', '5e+0'],
    ],
    [
      { property, comparison: 'LESS_THAN_OR_EQUALS', value: 'x' },
      text(`JSONExtractString(${PLACE}) <= {p4:String}`),
      ...['a', 'b', 'x'],
    ],
    [
      { property, comparison: 'STARTS_WITH', value: '%' },
      text(`startsWith(JSONExtractString(${PLACE}), {p4:String})`),
      ...['a', 'b', '%'],
    ],
    [
      { property, comparison: 'CONTAINS', value: 7 },
      `((JSONType(${PLACE}) = 'Array' and arrayExists(element -> match(element, '^[-0-9]') and ` +
        `JSONExtractFloat(if(position(element, 'e') > 0, element, concat(element, 'e0'))) = ` +
        `JSONExtractFloat({p4:String}), JSONExtractArrayRaw(${PLACE}))))`,
      ...['a', 'b', '7e+0'],
    ],
    [
      { property, comparison: 'CONTAINS', value: true },
      `((JSONType(${PLACE}) = 'Array' and has(JSONExtractArrayRaw(${PLACE}), 'true')))`,
      ...['a', 'b'],
    ],
    [
      { property, comparison: 'IN', value: [1, 'x', false] },
      `((JSONType(${PLACE}) = 'Bool' and JSONExtractBool(${PLACE}) = false) or ` +
        `(JSONType(${PLACE}) = 'String' and has({p4:Array(String)}, JSONExtractString(${PLACE}))) or ` +
        `(JSONType(${PLACE}) in ${NUMBERS} and ` +
        `has(arrayMap(each -> JSONExtractFloat(each), {p5:Array(String)}), JSONExtractFloat(${PLACE}))))`,
      ...['a', 'b', ['x'], ['1e+0']],
    ],
    [{ property, comparison: 'IN', value: [] }, '(false)'],
    [{ property, comparison: 'IS_NULL', value: null }, `not (JSONType(${PLACE}) <> 'Null')`, ...['a', 'b']],
    [
      { property: 'userId', comparison: 'NOT_IN', value: ['x'] },
      'not (has({p2:Array(String)}, user_id))',
      ['x'],
    ],
    [{ property: 'eventName', comparison: 'EQUALS', value: 5 }, '(false)'],
    [{ anyOf: [] }, 'false'],
  ];

  for (const [filter, ...expected] of cases) {
    it(JSON.stringify(filter), () => {
      expect(compile(filter)).toEqual(expected);
    });
  }

  it('a page goes on behind a position, in the order of answers', () => {
    const draft = createDraft(CLICKHOUSE);
    expect(writePage({ offset: 0, size: 7, after: { eventTs: 5, insertId: 'x' } }, draft)).toBe(
      ' and (ts, insert_id) < ({p1:Int64}, {p2:String}) order by ts desc, insert_id desc ' +
        'limit {p3:Int64} offset {p4:Int64}',
    );
    expect(draft.values).toEqual([5, 'x', 7, 0]);
  });
});
