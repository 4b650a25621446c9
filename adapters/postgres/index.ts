import { requireOptions, type Resources, type Stores } from '../../src/index.ts';
import { shareConnections } from './connections.ts';
import { postgresControlStore } from './control.ts';
import { guarded, type PostgresPool } from './database.ts';
import { postgresEventStore } from './events.ts';
import { postgresRateLimiter } from './limits.ts';
import { createPartitions } from './partitions.ts';
import { migrate } from './schema.ts';

export type { LentClient, PostgresClient, PostgresPool, PostgresResult } from './database.ts';

/** Options of the stores in PostgreSQL. */
export interface PostgresOptions {
  /**
   * A pool of `pg` with limits of its own: `new Pool({ connectionString, statement_timeout: 30_000,
   * query_timeout: 31_000, connectionTimeoutMillis: 2_000 })`. Only the second and third take effect if the
   * server hangs. The pool needs a listener for `error`, which the loss of an idle connection raises.
   */
  readonly pool: PostgresPool;
  /**
   * The resources that the API uses too: `nodeResources()`. Their clock determines limits and partitions, and
   * their memory budget covers large results.
   */
  readonly resources: Resources;
  /**
   * A pool on a replica that answers queries. It may lag: an event that was just stored may be missing from
   * the next answer. Default: `pool`.
   */
  readonly reader?: PostgresPool;
}

/**
 * All stores in one PostgreSQL database (13 or later, encoding UTF8), in the schema `event_query`, which this
 * call creates or migrates. Several servers may share it. Throws `unavailable` if the database cannot be
 * reached, and an Error that explains the reason for one of a newer version.
 *
 * @throws {TypeError} If the pool or the resources are missing.
 * @throws {Error} For a database of a newer version.
 * @throws {ApiError} 503 if the database cannot be reached.
 * @example
 * ```ts
 * import pg from 'pg';
 * import type { Resources, Stores } from 'event-query';
 * import { postgresStores } from 'event-query/postgres';
 *
 * function openStores(connectionString: string, resources: Resources): Promise<Stores> {
 *   const pool = new pg.Pool({ connectionString, statement_timeout: 30_000, query_timeout: 32_000 });
 *   return postgresStores({ pool, resources });
 * }
 * console.log(typeof openStores);
 * // prints: function
 * ```
 */
export async function postgresStores(options: PostgresOptions): Promise<Stores> {
  requireOptions('postgresStores', options, ['resources'], {
    pool: { such: 'new Pool({ connectionString })', fields: ['connect', 'query'] },
  });
  const { pool, resources, reader = pool } = options;
  const { runtime, memory } = resources;
  await migrate(pool);
  const writer = shareConnections(pool);
  return {
    events: postgresEventStore({
      ...{ writer, reader: reader === pool ? writer : shareConnections(reader), memory },
      partitions: createPartitions(() => runtime.now()),
    }),
    control: postgresControlStore(pool),
    limits: postgresRateLimiter(pool, runtime),
    ready: async () => {
      const pools = reader === pool ? [pool] : [pool, reader];
      await guarded(() => Promise.all(pools.map((each) => each.query('select 1'))));
    },
    // The caller created the pools and ends them: other parts of the program may still use them.
    close: () => Promise.resolve(),
  };
}
