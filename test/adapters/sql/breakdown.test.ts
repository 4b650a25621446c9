import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { breakDownBySql, type Statement } from '../../../adapters/sql/index.ts';
import { parseBreakdownBody } from '../../../src/index.ts';

/** The statements that a breakdown asks, each answered by nothing but a span of time. */
async function statementsOf(dialect: typeof POSTGRES, body: object): Promise<Statement[]> {
  const { query, grouping } = parseBreakdownBody(body);
  const asked: Statement[] = [];
  await breakDownBySql(dialect, 'events', { tenantId: 'T', query, grouping }, (statement) => {
    asked.push({ ...statement, text: statement.text.replaceAll(/\s+/g, ' ') });
    return Promise.resolve(asked.length === 1 ? [{ count: 1, first: 5, last: 7, total: 1 }] : []);
  });
  return asked;
}

const BY_TEXT = { by: 'properties.a', distinct: 'userId', size: 3 };

describe('a breakdown as SQL', () => {
  it('of PostgreSQL, to the letter', async () => {
    const [{ text, values }] = (await statementsOf(POSTGRES, BY_TEXT)) as [Statement];
    const type = `jsonb_typeof(document -> $1::text)`;
    const found = `((document -> $1::text) #>> '{}') collate "C"`;
    expect(text).toContain(
      `select coalesce(${type}, 'null') as kind, ` +
        `(case when ${type} in ('string', 'boolean') then ${found} else '' end) as text, ` +
        `(case when ${type} = 'number' then (document -> $1::text)::numeric else 0 end) as number, `,
    );
    expect(text).toContain(
      ' from events where tenant = $2::text ) found group by kind, text, number ) grouped order by ',
    );
    expect(text.endsWith(' limit $3::bigint')).toBe(true);
    expect(values).toEqual(['a', 'T', 3]);
  });

  it('of ClickHouse, to the letter', async () => {
    const [{ text, values }] = (await statementsOf(CLICKHOUSE, BY_TEXT)) as [Statement];
    const place = 'properties, {p1:String}';
    expect(text).toContain(
      `multiIf(JSONType(${place}) = 'String', JSONExtractString(${place}), JSONType(${place}) = 'Bool', ` +
        `if(JSONExtractBool(${place}), 'true', 'false'), '') as text, ` +
        `if(JSONType(${place}) in ('Int64', 'UInt64', 'Double'), JSONExtractFloat(${place}), 0.0) as number`,
    );
    expect(values).toEqual(['a', 'T', 3]);
  });

  it.each([
    ['PostgreSQL', POSTGRES],
    ['ClickHouse', CLICKHOUSE],
  ] as const)('of %s tells values of one text and different types apart', async (_name, dialect) => {
    const [{ text }] = (await statementsOf(dialect, { by: 'userId', distinct: 'properties.a' })) as [
      Statement,
    ];
    for (const [type, letter] of Object.entries({ string: 's', boolean: 'b', number: 'n' })) {
      expect(text).toContain(`when '${type}' then concat('${letter}', `);
    }
  });

  it.each([
    ['PostgreSQL', POSTGRES],
    ['ClickHouse', CLICKHOUSE],
  ] as const)('of time asks %s for the span first, and for the buckets within it', async (_name, dialect) => {
    const [span, groups] = (await statementsOf(dialect, { by: 'minute' })) as [Statement, Statement];
    expect(span.text).toContain('select count(*) as count, min(ts) as first, max(ts) as last from events');
    expect(groups.values).toEqual([[0], 'T', 0, 60_000]);
  });

  it('asks for one group at least, since each tells what all come to', async () => {
    const { query, grouping } = parseBreakdownBody({ by: 'userId' });
    const asked: Statement[] = [];
    const none = { ...grouping, size: 0 };
    const row = {
      kind: 'string',
      text: 'u',
      count: 2,
      total: 2,
      missing: 0,
      arrays: 0,
      objects: 0,
      groups_total: 1,
    };
    const found = await breakDownBySql(
      POSTGRES,
      'events',
      { tenantId: 'T', query, grouping: none },
      (one) => {
        asked.push(one);
        return Promise.resolve([row]);
      },
    );
    expect(asked[0]!.values.at(-1)).toBe(1);
    expect(found).toMatchObject({ total: 2, groupsTotal: 1, groups: [] });
  });
});
