import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { breakDownBySql, type Statement } from '../../../adapters/sql/index.ts';
import { parseBreakdownBody } from '../../../src/store-kit.ts';

/** The statements that a breakdown asks, each answered by nothing but a span of time. */
async function statementsOf(dialect: typeof POSTGRES, body: object): Promise<Statement[]> {
  const { query, grouping } = parseBreakdownBody({ by: '', ...body });
  const asked: Statement[] = [];
  await breakDownBySql(dialect, 'events', { tenantId: 'T', query, grouping }, (statement) => {
    asked.push({ ...statement, text: statement.text.replaceAll(/\s+/g, ' ') });
    return Promise.resolve(asked.length === 1 ? [{ key: '', count: 1, first: 5, last: 7, total: 1 }] : []);
  });
  return asked;
}

const BY_TEXT = { by: 'properties.a', distinct: 'userId', size: 3 };

describe('a breakdown as SQL', () => {
  it('of PostgreSQL, to the letter', async () => {
    const [{ text, values }] = (await statementsOf(POSTGRES, BY_TEXT)) as [Statement];
    const found = 'document ->> $1::text';
    const scalars = ['string', 'number', 'boolean'].map(
      (type) => `when '${type}' then '${type[0]}' || (${found})`,
    );
    expect(text).toContain(
      `select (case jsonb_typeof(document -> $1::text) ${scalars.join(' ')} ` +
        `when 'array' then 'a' when 'object' then 'o' else '' end) collate "C" as key, `,
    );
    expect(text).toContain(` from events where tenant = $2::text offset '0' ) found group by key ) grouped `);
    expect(text.endsWith(' limit $3::bigint')).toBe(true);
    expect(values).toEqual(['a', 'T', 6]);
  });

  it('of PostgreSQL finds a text below keys, and no key within an array', async () => {
    const [{ text, values }] = (await statementsOf(POSTGRES, { by: 'properties.a.b' })) as [Statement];
    expect(text).toContain(`jsonb_typeof(document -> $1::text -> $2::text) when 'string' then 's' || `);
    expect(text).toContain(`'s' || (document -> $1::text ->> $2::text)`);
    expect(values.slice(0, 2)).toEqual(['a', 'b']);
  });

  it('of ClickHouse, to the letter', async () => {
    const [{ text, values }] = (await statementsOf(CLICKHOUSE, BY_TEXT)) as [Statement];
    const place = 'properties, {p1:String}';
    expect(text).toContain(
      `multiIf(JSONType(${place}) in ('String'), 's' || JSONExtractString(${place}), ` +
        `JSONType(${place}) in ('Int64', 'UInt64', 'Double'), 'n' || toString(JSONExtractFloat(${place})), ` +
        `JSONType(${place}) in ('Bool'), if(JSONExtractBool(${place}), 'btrue', 'bfalse'), `,
    );
    expect(values).toEqual(['a', 'T', 6]);
  });

  it.each([
    ['PostgreSQL', POSTGRES],
    ['ClickHouse', CLICKHOUSE],
  ] as const)('of %s tells values of one text and different types apart', async (_name, dialect) => {
    const [{ text }] = (await statementsOf(dialect, { by: 'userId', distinct: 'properties.a' })) as [
      Statement,
    ];
    const [, counted] = /select 's' \|\| user_id as key, (.*) as counted from/.exec(text)!;
    for (const letter of ['s', 'b', 'n']) expect(counted).toContain(`'${letter}`);
    expect(counted).toContain("1, 1) in ('b', 'n', 's') then ");
  });

  it.each([
    ['PostgreSQL', POSTGRES],
    ['ClickHouse', CLICKHOUSE],
  ] as const)('of time asks %s for the span first, and for the buckets in it', async (_name, dialect) => {
    const [span, groups] = (await statementsOf(dialect, { by: 'minute' })) as [Statement, Statement];
    expect(span.text).toContain('select count(*) as count, min(ts) as first, max(ts) as last from events');
    expect(groups.values).toEqual([[Number.MIN_SAFE_INTEGER, 0, 60_000], 'T']);
  });

  it('with both ends asks for no span, and tells of every bucket that was asked for', async () => {
    const { query, grouping } = parseBreakdownBody({ by: 'day', after: '2024-05-17', before: '2024-05-19' });
    const asked: Statement[] = [];
    const start = Date.UTC(2024, 4, 18);
    const found = await breakDownBySql(POSTGRES, 'events', { tenantId: 'T', query, grouping }, (one) => {
      asked.push(one);
      return Promise.resolve([{ key: `n${start}`, count: '2', total: '2', rows_total: '1' }]);
    });
    expect(asked.length).toBe(1);
    expect(found.groups.map(({ count }) => count)).toEqual([0, 2, 0]);
    expect([found.total, found.groupsTotal]).toEqual([2, 3]);
  });

  it('asks for what is no group too, though for no groups: each row tells what all come to', async () => {
    const { query, grouping } = parseBreakdownBody({ by: 'userId' });
    const asked: Statement[] = [];
    const none = { ...grouping, size: 0 };
    const rows = [
      { key: 'o', count: '2', total: '5', rows_total: '3' },
      { key: '', count: '1', total: '5', rows_total: '3' },
      { key: 'su', count: '2', total: '5', rows_total: '3' },
    ];
    const found = await breakDownBySql(
      POSTGRES,
      'events',
      { tenantId: 'T', query, grouping: none },
      (one) => {
        asked.push(one);
        return Promise.resolve(rows);
      },
    );
    expect(asked[0]!.values.at(-1)).toBe(3);
    expect(found).toEqual({
      ...{ total: 5, missing: 1, arrays: 0, objects: 2, groupsTotal: 1, groups: [] },
    });
  });
});
