import { describe, expect, it } from 'vitest';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { createDraft, writePage, writeWhere } from '../../../adapters/sql/index.ts';
import type { FilterEntry } from '../../../src/index.ts';
import { parseCountBody } from '../../../src/store-kit.ts';

/** The text and the parameters behind the tenant's own. */
function compile(...filterSet: FilterEntry[]): readonly [text: string, ...values: unknown[]] {
  const draft = createDraft(POSTGRES);
  const text = writeWhere(POSTGRES, 'T', parseCountBody({ filterSet }), draft);
  return [text.replace(/^tenant = \$1::text( and )?/, ''), ...draft.values.slice(1)];
}

const VALUE = 'document -> $2::text -> $3::text';

describe('a filter as SQL for PostgreSQL, to the letter', () => {
  const property = 'properties.a.b';
  const cases: readonly (readonly [FilterEntry, string, ...unknown[]])[] = [
    [{ property, comparison: 'EQUALS', value: 'x' }, '(document @> $2::jsonb)', '{"a":{"b":"x"}}'],
    [
      { property, comparison: 'GREATER_THAN', value: 5 },
      `(coalesce(jsonb_typeof(${VALUE}) = 'number' and ${VALUE} > $4::jsonb, false))`,
      ...['a', 'b', '5'],
    ],
    [
      { property, comparison: 'LESS_THAN_OR_EQUALS', value: 'x' },
      `(coalesce(jsonb_typeof(${VALUE}) = 'string' and ` +
        `((${VALUE}) #>> '{}') collate "C" <= $4::text, false))`,
      ...['a', 'b', 'x'],
    ],
    [
      { property, comparison: 'STARTS_WITH', value: '%' },
      `(coalesce(jsonb_typeof(${VALUE}) = 'string' and starts_with(((${VALUE}) #>> '{}') collate "C", ` +
        '$4::text), false))',
      ...['a', 'b', '%'],
    ],
    [
      { property, comparison: 'CONTAINS', value: true },
      `(coalesce(jsonb_typeof(${VALUE}) = 'array' and ${VALUE} @> $4::jsonb, false))`,
      ...['a', 'b', 'true'],
    ],
    [
      { property, comparison: 'IN', value: [1, 'x'] },
      `(coalesce((${VALUE}) = any($4::jsonb[]), false))`,
      ...['a', 'b', ['1', '"x"']],
    ],
    [{ property, comparison: 'IN', value: [] }, '(false)'],
    [
      { property, comparison: 'IS_NULL', value: null },
      `not (coalesce(jsonb_typeof(${VALUE}) <> 'null', false))`,
      ...['a', 'b'],
    ],
    [{ property: 'userId', comparison: 'NOT_EQUALS', value: 'x' }, 'not (user_id = $2::text)', 'x'],
    [{ property: 'eventName', comparison: 'EQUALS', value: 5 }, '(false)'],
    [
      { property: 'eventDate', comparison: 'IN', value: ['2024-05-18', '2024-05-20'] },
      'ts >= $2::bigint and ts < $3::bigint and ' +
        '((ts >= $4::bigint and ts < $5::bigint) or (ts >= $6::bigint and ts < $7::bigint))',
      ...[1715990400000, 1716249600000, 1715990400000, 1716076800000, 1716163200000, 1716249600000],
    ],
    [{ anyOf: [] }, 'false'],
  ];

  for (const [filter, ...expected] of cases) {
    it(JSON.stringify(filter), () => {
      expect(compile(filter)).toEqual(expected);
    });
  }

  it('a page goes on behind a position, in the order of answers', () => {
    const draft = createDraft(POSTGRES);
    expect(writePage({ offset: 0, size: 7, after: { eventTs: 5, insertId: 'x' } }, draft)).toBe(
      ' and (ts, insert_id) < ($1::bigint, $2::text) order by ts desc, insert_id desc ' +
        'limit $3::bigint offset $4::bigint',
    );
    expect(draft.values).toEqual([5, 'x', 7, 0]);
  });
});
