import { invalid } from '../errors.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import type { Signal, Stores } from '../ports.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { Logger, Runtime } from '../runtime.ts';
import type { Tenant } from './tenant.ts';

/** A century: whoever wants more says that nothing ends. */
const RETENTION_DAYS_MAX = 36_500;

/** Returns the days. Throws ApiError (400) for what is neither a number of days nor null. */
export function parseRetention(days: unknown): number | null {
  if (days === null) return null;
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX)
    return days;
  const got = typeof days === 'number' ? String(days) : describeValue(days);
  throw invalid(
    'retention',
    `takes whole days from 1 to ${RETENTION_DAYS_MAX}, or null for ever, got ${got}`,
  );
}

/**
 * Erases what tenants no longer keep: events of the days before the last `retentionDays` whole ones, so that
 * it has something to do once a day. Each tenant by itself: what fails for one is logged.
 */
export type EraseExpired = (signal?: Signal) => Promise<void>;

export interface RetentionOptions {
  readonly stores: Pick<Stores, 'tenants' | 'events' | 'limits'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly log: Logger;
}

/** A bucket with one token an hour: of all processes that share the limits, one takes it. */
const TURN_ID = 'retention';
const TURN = [{ limit: 1, windowMs: 3_600_000 }] as const;

/** Makes what erases expired events; however often it is asked, by however many, it looks once an hour. */
export function createRetention({ stores, runtime, log }: RetentionOptions): EraseExpired {
  const { tenants, events, limits } = stores;

  async function eraseOf({ id, alias, retentionDays: days }: LimitedTenant): Promise<void> {
    const query = olderThan(startOfDay(runtime.now()) - days * DAY_MS);
    try {
      // To count is cheap, and leaves columns as they are.
      if ((await events.count(id, query)) === 0) return;
      const erased = await events.erase(id, query);
      log.info({ tenant: alias, retentionDays: days, erased }, 'events that are no longer kept were erased');
    } catch (err) {
      log.error({ tenant: alias, err }, 'events that are no longer kept were not erased');
    }
  }

  return async (signal) => {
    const limited = (await tenants.list()).filter(keepsForDays);
    // A server whose tenants keep everything writes nothing.
    if (limited.length === 0 || !(await limits.take(TURN_ID, TURN, [1])).allowed) return;
    for (const tenant of limited) {
      if (signal?.aborted === true) return;
      await eraseOf(tenant);
    }
  };
}

type LimitedTenant = Tenant & { readonly retentionDays: number };

/** A store of one's own may know tenants of before, who keep everything. */
function keepsForDays(tenant: Tenant): tenant is LimitedTenant {
  return typeof tenant.retentionDays === 'number';
}

function startOfDay(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

function olderThan(until: number): EventQuery {
  return { from: -Infinity, until, condition: { kind: 'all', of: [] } };
}
