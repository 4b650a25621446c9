import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStores, type LentClient, type PostgresPool } from '../../../adapters/postgres/index.ts';
import { testStepped, type Stepped } from '../sql/stepped.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';
import { testResources } from '../../support/resources.ts';

if (!HAS_POSTGRES) {
  it('POSTGRESQL WAS NOT STEPPED: install postgresql', () => undefined);
}

/** A pool that does something before each statement. */
function stepping(pool: PostgresPool, before: () => Promise<void>): PostgresPool {
  return {
    query: async (text, values) => {
      await before();
      return pool.query(text, values);
    },
    connect: async (): Promise<LentClient> => {
      const client = await pool.connect();
      return {
        query: async (text, values) => {
          await before();
          return client.query(text, values);
        },
        release: (broken) => client.release(broken),
      };
    },
  };
}

describe.runIf(HAS_POSTGRES)('between two statements of a question of PostgreSQL', () => {
  let server: PostgresServer;
  let opened: Stepped;

  beforeAll(async () => {
    server = await startPostgres();
    let step = () => Promise.resolve();
    const clock = { now: () => Date.now() };
    const stepped = await postgresStores({
      pool: stepping(await server.pool('stepped'), () => step()),
      resources: testResources({ runtime: clock }),
    });
    const beside = await postgresStores({
      pool: await server.pool('stepped'),
      resources: testResources({ runtime: clock }),
    });
    opened = { stepped: stepped.events, beside: beside.events, before: (next) => void (step = next) };
  });
  afterAll(() => server.stop());

  testStepped('PostgreSQL', () => opened);
});
