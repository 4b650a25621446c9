import { performance } from 'node:perf_hooks';
import type { Signal } from '../../src/index.ts';
import { createSemaphore } from '../../src/store-kit.ts';
import { guarded, lend, type Loan, type PostgresPool } from './database.ts';

/** The connections on which tenants ask for events and store them. */
export interface TenantConnections {
  /**
   * Does some work of a tenant on one of them. Ends it soon after nobody waits for it any more, and throws
   * `aborted()`; throws `overloaded()` where other work of the tenant kept it waiting for too long.
   */
  use<T>(tenantId: string, signal: Signal | undefined, work: (loan: Loan) => Promise<T>): Promise<T>;
}

/** How many connections a pool of `pg` has that does not say. */
const POOL_MAX = 10;
/** The share of a pool that is left to keys, tenants, limits, and to what ends statements. */
const SPARED_SHARE = 1 / 4;
/** How long somebody waits for a connection before a turn comes too late, in milliseconds. */
const WAIT_MS_MAX = 30_000;

/**
 * Shares a pool: a tenant has at most half of the connections for events, and what is asked before somebody
 * is known waits for no events, since some connections are never lent to them.
 */
export function shareConnections(pool: PostgresPool): TenantConnections {
  const max = pool.options?.max ?? POOL_MAX;
  const spared = Math.max(1, Math.floor(max * SPARED_SHARE));
  const permits = Math.max(1, max - spared);
  const semaphore = createSemaphore({ permits, waitMsMax: WAIT_MS_MAX, now: () => performance.now() });
  return {
    use: (tenantId, signal, work) =>
      semaphore.run(tenantId, signal, () => guarded(() => lend(pool, signal, work))),
  };
}
