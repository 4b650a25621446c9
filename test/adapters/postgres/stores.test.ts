import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStores } from '../../../adapters/postgres/index.ts';
import type { Stores } from '../../../src/index.ts';
import {
  testEventStore,
  testKeyStore,
  testRateLimiter,
  testTenantStore,
  type Fixture,
  type SteerableClock,
} from '../../conformance/index.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from './postgres-server.ts';

if (!HAS_POSTGRES) {
  it('THE STORES IN POSTGRESQL WERE NOT TESTED: install postgresql', () => undefined);
}

const runner = { describe, it, expect };

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  let server: PostgresServer;
  let databases = 0;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** One kind of store in a database of its own. */
  async function fixture<K extends keyof Stores>(
    kind: K,
    clock: SteerableClock = { now: () => Date.now() },
  ): Promise<Fixture<Stores[K]>> {
    const database = `conformance_${(databases += 1)}`;
    const open = async () => postgresStores({ pool: await server.pool(database), clock });
    let stores = await open();
    const reopen = async () => {
      await stores.close();
      stores = await open();
      return stores[kind];
    };
    return { store: stores[kind], reopen, close: () => stores.close() };
  }

  testEventStore('postgres', () => fixture('events'), runner);
  testTenantStore('postgres', () => fixture('tenants'), runner);
  testKeyStore('postgres', () => fixture('keys'), runner);
  testRateLimiter('postgres', (clock) => fixture('limits', clock), runner, { numRuns: 8 });
});
