import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLICKHOUSE } from '../../../adapters/clickhouse/dialect.ts';
import { POSTGRES } from '../../../adapters/postgres/dialect.ts';
import { measureBySql, type Statement } from '../../../adapters/sql/index.ts';
import { fractionOf } from '../../../adapters/sql/measures.ts';
import { placeOf } from '../../../src/core/query/measures.ts';
import { parseBreakdownBody, type MeasuredGrouping } from '../../../src/store-kit.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';

type Row = Record<string, unknown>;

/** What comes of a measuring where an engine answers every statement so, and the statements. */
function ask(
  dialect: typeof POSTGRES,
  body: object,
  rows: readonly Row[],
  memory = createMemoryBudget({ bytesMax: 2 ** 30 }),
) {
  const { query, grouping } = parseBreakdownBody(body);
  const asked: Statement[] = [];
  const measuring = grouping as MeasuredGrouping;
  const answer = measureBySql(dialect, 'events', { tenantId: 'T', query, measuring, memory }, (one) => {
    asked.push({ ...one, text: one.text.replaceAll(/\s+/g, ' ') });
    return Promise.resolve(rows);
  });
  return { answer, asked };
}

const SUM = { measures: [{ of: 'properties.n', take: ['sum', 'avg', 'p7', 'max'] }] };
const whole = {
  ...{
    row_key: null,
    any_row: 1,
    ...{ missing: '0', arrays: '0', objects: '0' },
    count: '3',
    values_count: '0',
    rows_total: '1',
    numbers_0: '2',
    others_0: '1',
  },
  ...{ least_0: '0.1', greatest_0: '0.20', decimals_0: ['0.30'], ranked_0: ['0.10'] },
};
const figures = { numbers: 2, others: 1, sum: 0.3, avg: 0.15, p7: 0.1, max: 0.2 };

describe('measures as SQL', () => {
  it.each([
    ['PostgreSQL', POSTGRES],
    ['ClickHouse', CLICKHOUSE],
  ] as const)('%s finds all events and every group in one look at them', async (_name, dialect) => {
    const { answer, asked } = ask(dialect, { by: 'userId', ...SUM }, [
      whole,
      { ...whole, row_key: 'su', any_row: 0 },
    ]);
    const none = { numbers: 0, others: 0, sum: 0, avg: null, p7: null, max: null };
    expect(await answer).toEqual({
      ...{ total: 3, missing: 0, arrays: 0, objects: 0, groupsTotal: 1 },
      ...{ groups: [{ key: 'u', count: 3, measures: [figures] }], measures: [figures] },
      rest: { count: 0, measures: [none] },
    });
    expect(asked.length).toBe(1);
    expect(asked[0]!.text.split('from events where').length).toBe(2);
    expect(asked[0]!.text).toContain('group by grouping sets ((row_key), ())');
  });

  it('all events together are no group', async () => {
    const { answer, asked } = ask(POSTGRES, SUM, [whole]);
    expect(await answer).toEqual({ total: 3, measures: [figures] });
    expect(asked[0]!.text).not.toContain('group by');
  });

  it('takes nothing of an engine that no figure needs', () => {
    const ends = { measures: [{ of: 'properties.n', take: ['min', 'p100'] }] };
    const { asked } = ask(POSTGRES, ends, [whole]);
    expect(asked[0]!.text).not.toMatch(/sum\(value|percentile_disc/);
  });

  it('is refused where the rows do not fit into the memory, which is given back in any case', async () => {
    const memory = createMemoryBudget({ bytesMax: 1000 });
    const { answer } = ask(POSTGRES, SUM, [whole, whole, whole], memory);
    await expect(answer).rejects.toMatchObject({ code: 'overloaded' });
    expect(memory.bytes).toBe(0);
  });

  it('asks for more groups until no other can come before the last one wanted', async () => {
    const body = {
      ...{ by: 'userId', size: 1, measures: [{ of: 'properties.n', take: ['sum'] }] },
      orderBy: { measure: 0, take: 'sum' },
    };
    const { query, grouping } = parseBreakdownBody(body);
    const measuring = grouping as MeasuredGrouping;
    const limits: unknown[] = [];
    const groupAt = (i: number, upper: number) => ({
      ...{ key: `su${i}`, numbers_0: 2, others_0: 0, decimals_0: [i === 1500 ? '1.5' : '1'], upper },
    });
    const memory = createMemoryBudget({ bytesMax: 2 ** 30 });
    const answer = measureBySql(
      POSTGRES,
      'events',
      { tenantId: 'T', query, measuring, memory },
      ({ text, values }) => {
        if (!text.includes('upper')) return Promise.resolve([{ ...whole, count: 4, row_key: '' }]);
        const limit = Number(values.at(-1));
        limits.push(limit);
        // All of them may have a greater sum than the first thousand have, and one behind these does.
        return Promise.resolve(Array.from({ length: Math.min(limit, 2000) }, (_, i) => groupAt(i, 2)));
      },
    );
    await answer;
    expect(limits).toEqual([1001, 8008]);
    expect(memory.bytes).toBe(0);
  });

  it('finds the place of a rank in doubles, up to eight billion numbers', () => {
    const ranks = fc.integer({ min: 1, max: 99_999 });
    const thousands = fc.integer({ min: 1, max: 99 }).map((percent) => percent * 1000);
    const counts = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 8e9 }));
    fc.assert(
      fc.property(fc.oneof(ranks, thousands), counts, (rank, count) => {
        const product = fractionOf(rank) * count;
        expect([Math.ceil(product), Math.floor(product) + 1]).toEqual(Array(2).fill(placeOf(rank, count)));
      }),
      { numRuns: 20_000 },
    );
  });
});
