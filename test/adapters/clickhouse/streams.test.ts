import { afterAll, beforeAll, describe, it } from 'vitest';
import { clickhouseEvents } from '../../../adapters/clickhouse/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { testResources } from '../../support/resources.ts';
import { testStreamsInPieces } from '../sql/streams-in-pieces.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';

if (!HAS_CLICKHOUSE) {
  it('THE STREAMS OF CLICKHOUSE WERE NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

describe.runIf(HAS_CLICKHOUSE)('ClickHouse', () => {
  let server: ClickhouseServer;
  beforeAll(async () => void (server = await startClickhouse()));
  afterAll(() => server.stop());

  testStreamsInPieces(async (bytesMax) => {
    const memory = createMemoryBudget({ bytesMax, ownerShare: 1 });
    const { events } = await clickhouseEvents({
      resources: testResources({ memory }),
      client: server.connect(),
    });
    return { events, memory };
  });
});
