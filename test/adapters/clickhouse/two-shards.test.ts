import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testEventStore } from '../../conformance/index.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { openTwoShards } from './two-shards.ts';

if (!HAS_CLICKHOUSE) {
  it('TWO SHARDS OF CLICKHOUSE WERE NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

describe.runIf(HAS_CLICKHOUSE)('two shards of ClickHouse', () => {
  let server: ClickhouseServer;

  beforeAll(async () => {
    server = await startClickhouse('two-shards.xml');
  });
  afterAll(() => server.stop());

  const fixture = async () => ({ store: await openTwoShards(server.connect()) });
  testEventStore('clickhouse, two shards', fixture, { describe, it, expect }, { numRuns: 5 });

  it('each shard has its part of the events, and the plan asks both', async () => {
    const client = server.connect();
    const ask = async (query: string) => {
      const result = await client.query({
        query,
        query_params: {},
        format: 'JSONEachRow',
        clickhouse_settings: {},
      });
      return result.json<Record<string, string>>();
    };
    const shards = await ask('select count() as n, _shard_num as s from two_shards.events_all group by s');
    expect(shards.map(({ s }) => Number(s)).sort()).toEqual([1, 2]);
    for (const { n } of shards) expect(Number(n)).toBeGreaterThan(200);
  });
});
