import Database from 'better-sqlite3';
import { sqliteStores, type SqliteDatabase } from '../../../adapters/sqlite/index.ts';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import type { BucketState } from '../../../src/store-kit.ts';
import { testResources } from '../../support/resources.ts';

/** A quota that does not refill: the clock stands still. */
export const QUOTA = 5000;

const NOW = 1_716_000_000_000;

/** The limiter of a SQLite file, for one key. */
export function openLimiter(file: string) {
  const connect = () => new Database(file) as unknown as SqliteDatabase;
  const stores = sqliteStores({ connect, resources: testResources({ runtime: { now: () => NOW } }) });
  const windows = requestWindows({ perMinute: QUOTA, perDay: QUOTA });
  return {
    take: (cost: 0 | 1 = 1): Promise<BucketState> =>
      stores.limits.take('the key', windows, cost && REQUEST_COST),
    close: () => stores.close(),
  };
}
