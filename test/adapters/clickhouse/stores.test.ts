import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import type { EventStore } from '../../../src/index.ts';
import { testEventStore, type Fixture } from '../../conformance/index.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { expectOneStatement } from '../sql/measured-thousand.ts';
import { expectPlansBySql } from '../sql/plans-by-sql.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_CLICKHOUSE) {
  it('THE STORE IN CLICKHOUSE WAS NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

describe.runIf(HAS_CLICKHOUSE)('ClickHouse', () => {
  let server: ClickhouseServer;

  beforeAll(async () => {
    server = await startClickhouse();
  });
  afterAll(() => server.stop());

  /** All tests share the tables, and each has tenants of its own. */
  const fixture = async (): Promise<Fixture<EventStore>> => {
    const open = async () =>
      (await clickhouseEvents({ resources: testResources(), client: server.connect() })).events;
    return { store: await open(), reopen: open };
  };

  it('measures of any number of events are one statement', async () => {
    const client = server.connect();
    const asked: string[] = [];
    const { events } = await clickhouseEvents({
      resources: testResources(),
      client: {
        query: (call) => {
          asked.push(call.query);
          return client.query(call);
        },
        insert: (call) => client.insert(call),
      },
    });
    await expectOneStatement(events, asked);
  });

  it('a plan says that SQL answers', async () => expectPlansBySql((await fixture()).store));

  testEventStore('clickhouse', fixture, { describe, it, expect }, { numRuns: 12 });
});
