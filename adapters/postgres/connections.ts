import { performance } from 'node:perf_hooks';
import type { Signal } from '../../src/index.ts';
import { createQueuedLimit } from '../../src/store-kit.ts';
import { guarded, lend, type Loan, type PostgresPool } from './database.ts';

/** The connections for tenants' queries and appends. */
export interface TenantConnections {
  /**
   * Runs a tenant's work on one of them. Throws `aborted()` and stops the work soon after the signal aborts;
   * throws `overloaded()` if other work of the tenant kept it waiting for too long.
   */
  use<T>(tenantId: string, signal: Signal | undefined, work: (loan: Loan) => Promise<T>): Promise<T>;
}

/** The pool size of `pg` if none is configured. */
const POOL_MAX = 10;
/** The share of a pool that is reserved for keys, tenants, limits, and for cancelling statements. */
const SPARED_SHARE = 1 / 4;
/** How long a request waits for a connection before it fails, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/**
 * Shares a pool: a tenant gets at most half of the connections for events. Authentication never waits for
 * queries, because some connections are not lent to them.
 */
export function shareConnections(pool: PostgresPool): TenantConnections {
  const max = pool.options?.max ?? POOL_MAX;
  const spared = Math.max(1, Math.floor(max * SPARED_SHARE));
  const lentMax = Math.max(1, max - spared);
  const limit = createQueuedLimit(lentMax, { waitMsMax: WAIT_MS_MAX, now: () => performance.now() });
  return {
    use: (tenantId, signal, work) =>
      limit.run(tenantId, signal, () => guarded(() => lend(pool, signal, work))),
  };
}
