import { afterAll, beforeAll, describe, it } from 'vitest';
import { clickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import { testStepped, type Stepped } from '../sql/stepped.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { stepping } from './stepping.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_CLICKHOUSE) {
  it('CLICKHOUSE WAS NOT STEPPED: npm install --prefix test/clickhouse', () => undefined);
}

describe.runIf(HAS_CLICKHOUSE)('between two statements of a question of ClickHouse', () => {
  let server: ClickhouseServer;
  let opened: Stepped;

  beforeAll(async () => {
    server = await startClickhouse();
    let step = () => Promise.resolve();
    const stepped = await clickhouseEvents({
      resources: testResources(),
      client: stepping(server.connect(), () => step()),
    });
    const beside = await clickhouseEvents({ resources: testResources(), client: server.connect() });
    opened = { stepped: stepped.events, beside: beside.events, before: (next) => void (step = next) };
  });
  afterAll(() => server.stop());

  testStepped('ClickHouse', () => opened);
});
