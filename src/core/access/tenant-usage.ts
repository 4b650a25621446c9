import { isLive, type ApiKey } from './key.ts';
import { writeWindows } from './key-restrictions.ts';
import { ingestionWindows, planOf, requestWindows } from './plan.ts';
import type { StoresWithRecords } from './records.ts';
import { ingestionOf, type Tenant } from './tenant.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Window, WindowState } from '../base/token-bucket.ts';

/** The present state of a token bucket. */
export type BucketUsage = Omit<WindowState, 'reserve'>;

/** The tokens that a key has left. */
export interface KeyUsage extends Pick<ApiKey, 'id' | 'name' | 'permissions' | 'createdAt' | 'lastUsedAt'> {
  /** The buckets of its requests, or of the events of a public write key; null for no limit. */
  readonly windows: readonly BucketUsage[] | null;
}

/** The tokens that a tenant and its keys have left. */
export interface TenantUsage {
  /** Whether its plan includes the Query API. */
  readonly queryApi: boolean;
  /** The buckets for events and bytes of all senders together; null for no limit. */
  readonly ingestion: readonly BucketUsage[] | null;
  /** The live keys. */
  readonly keys: readonly KeyUsage[];
}

/** The tokens that a tenant and its live keys have left; looking takes none. */
export async function usageOf(
  { keys, limits }: Pick<StoresWithRecords, 'keys' | 'limits'>,
  tenant: Tenant,
  runtime: Pick<Runtime, 'now'>,
): Promise<TenantUsage> {
  const look = async (id: string, windows: readonly Window[]): Promise<readonly BucketUsage[]> =>
    (await limits.take(id, windows, 0)).windows.map(({ limit, windowMs, remaining, fullInMs }) => ({
      ...{ limit, windowMs, fullInMs },
      // The tokens that leases keep in reserve are unused, so they count as remaining.
      remaining: fullInMs === 0 ? limit : remaining,
    }));
  const allowed = ingestionOf(tenant);
  const plan = planOf(tenant);
  const requests = plan.queryApi && plan.limits !== null ? requestWindows(plan.limits) : null;
  const used: KeyUsage[] = [];
  for (const key of await keys.list(tenant.id)) {
    if (!isLive(key, runtime.now())) continue;
    const { id, name, permissions, createdAt, lastUsedAt, restrictions } = key;
    const counted = restrictions === null ? requests : writeWindows(restrictions);
    const windows = counted === null ? null : await look(id, counted);
    used.push({ id, name, permissions, createdAt, lastUsedAt, windows });
  }
  return {
    queryApi: plan.queryApi,
    ingestion: allowed === null ? null : await look(tenant.id, ingestionWindows(allowed)),
    keys: used,
  };
}
