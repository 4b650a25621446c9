import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { propertiesBySql, type Statement } from '../../../adapters/sql/index.ts';
import type { MemoryBudget } from '../../../src/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';

type Row = Record<string, unknown>;

/** What comes of the properties where an engine answers so to each statement, and the statements. */
async function ask(
  dialect: typeof POSTGRES,
  answers: readonly (readonly Row[])[],
  memory: MemoryBudget = createMemoryBudget({ bytesMax: 2 ** 30 }),
) {
  const asked: Statement[] = [];
  const about = { tenantId: 'T', event: 'n', memory };
  const found = await propertiesBySql(dialect, 'events', about, (statement) => {
    asked.push({ ...statement, text: statement.text.replaceAll(/\s+/g, ' ') });
    return Promise.resolve(answers[asked.length - 1] ?? []);
  });
  return { asked, found };
}

const row = (keys: readonly string[], type: string, count = 1, rest: Row = {}): Row => ({
  ...{ event_name: 'n', type, count: String(count), empty: '0', examples: [], ...rest },
  ...Object.fromEntries(keys.map((key, i) => [`k${i + 1}`, key])),
});

describe('properties as SQL', () => {
  it('of PostgreSQL: the entries of the first level, then those of the objects among them', async () => {
    const { asked } = await ask(POSTGRES, [[row(['a'], 'object')], []]);
    const [first, second] = asked as [Statement, Statement];
    const root = 'select event_name, ts, insert_id, document as value from events where tenant = $1::text';
    expect(first.text).toContain(
      `cross join lateral jsonb_each(case when jsonb_typeof(above.value) = 'object' ` +
        `then above.value else '{}' end)`,
    );
    expect(first.text).toContain(`(select * from (${root} and (event_name = $2::text)) above) above`);
    expect(first.text).toContain(`case when octet_length(entry.key) > 3072 then '' else entry.key end as k1`);
    expect(second.text).toContain(`above where jsonb_typeof(value) = 'object' and k1 <> '') above`);
    expect(first.values).toEqual(['T', 'n', 10_001 * 6]);
  });

  it('of ClickHouse: objects are found in the properties by their keys', async () => {
    const { asked } = await ask(CLICKHOUSE, [[row(['a'], 'object')], []]);
    const [first, second] = asked as [Statement, Statement];
    expect(first.text).toContain('array join JSONExtractKeysAndValuesRaw(properties) as e0) entries');
    expect(second.text).toContain(
      `array join if(startsWith(e0.2, '{') and e0.1 <> '' and length(concat('', e0.1)) <= 3072, ` +
        `JSONExtractKeysAndValuesRaw(properties, e0.1), []) as e1`,
    );
    expect(second.values).toEqual(['T', 'n', 10_001 * 6]);
  });

  it('keys that no filter can name are told as the rest of their objects', async () => {
    const level = [row(['a'], 'number', 3, { examples: ['1', '2.5'] }), row([''], 'string', 2)];
    const { asked, found } = await ask(POSTGRES, [level, [{ event_name: 'n', count: '2' }]]);
    expect(asked[1]!.text).toContain('where (k1) in (select * from unnest($3::text[])) group by event_name');
    expect(asked[1]!.values).toEqual(['T', 'n', ['']]);
    expect(found).toEqual({
      properties: [{ path: 'properties.a', types: { number: 3 }, examples: [1, 2.5] }],
      ...{ more: false, rest: 2 },
    });
  });

  it('nothing is told below a key that no filter can name', async () => {
    const long = 'x'.repeat(1014);
    const below = row([long, 'b'], 'number');
    const odd = { event_name: 'n', k1: long, count: 1 };
    const { found } = await ask(POSTGRES, [
      [row([long], 'object')],
      [{ event_name: 'n', count: 1 }],
      [below],
      [odd],
    ]);
    expect(found).toEqual({ properties: [], more: false, rest: 1 });
  });

  it('more paths than are told, or rows than are taken, are no question for an engine', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, i) => row([`k${i}`], 'null'));
    expect((await ask(POSTGRES, [rows(10_000)])).found!.properties.length).toBe(10_000);
    expect((await ask(POSTGRES, [rows(10_001)])).found).toBeUndefined();
    const odd = Array.from({ length: 60_006 }, () => row([''], 'null'));
    expect((await ask(POSTGRES, [odd])).found).toBeUndefined();
  });

  it('objects deeper than eight levels are no question for an engine', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const levels = keys.map((_, i) => [row(keys.slice(0, i + 1), 'object')]);
    const { asked, found } = await ask(CLICKHOUSE, levels);
    expect([asked.length, found]).toEqual([8, undefined]);
    const ends = [...levels.slice(0, -1), [row(keys, 'object', 2, { empty: 2 })]];
    expect((await ask(CLICKHOUSE, ends)).found!.properties.at(-1)).toEqual({
      ...{ path: `properties.${keys.join('.')}`, types: { object: 2 }, rest: 2, examples: [] },
    });
  });

  it('what an engine answers is booked, and where it does not fit it is no question for one', async () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => row([`k${i}`], 'null'));
    const small = createMemoryBudget({ bytesMax: 1_000_000 });
    expect((await ask(POSTGRES, [rows], small)).found).toBeUndefined();
    expect(small.bytes).toBe(0);
    const large = createMemoryBudget({ bytesMax: 10_000_000 });
    expect((await ask(POSTGRES, [rows], large)).found!.properties.length).toBe(2_000);
    expect(large.bytes).toBe(0);
  });
});
