import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStores } from '../../../adapters/postgres/index.ts';
import { createMemoryBudget } from '../../../src/transport-kit.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import { testResources } from '../../support/resources.ts';
import { testStreamsInPieces } from '../sql/streams-in-pieces.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';

if (!HAS_POSTGRES) {
  it('THE STREAMS OF POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    // A connection that is idle for long is kept, so that only those are removed that are not in order.
    pool = await server.pool('streams', { max: 4, idleTimeoutMillis: 0 });
  });
  afterAll(() => server.stop());

  testStreamsInPieces(async (bytesMax) => {
    const memory = createMemoryBudget({ bytesMax, ownerShare: 1 });
    const { events } = await postgresStores({ pool, resources: testResources({ memory }) });
    return { events, memory };
  });

  it('lends the connection again of which nobody reads on', async () => {
    let removed = 0;
    pool.on('remove', () => void (removed += 1));
    const { events } = await postgresStores({ pool, resources: testResources() });
    const { query, streams } = parseSequenceBody({ steps: [{ event: 'A' }] });
    for (let i = 0; i < 10; i++)
      for await (const piece of events.streams!('pieces', query, streams)) {
        expect([...piece.streams].length).toBe(1);
        break;
      }
    expect(removed).toBe(0);
  });
});
