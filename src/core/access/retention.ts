import { isAborted } from '../base/errors.ts';
import { NO_LABELS, type Meter } from '../base/metrics.ts';
import { DAY_MS, parseDay, startOfDay, toIsoDay, toIsoInstant } from '../event/time.ts';
import type { Signal } from '../base/signal.ts';
import type { StoresWithRecords } from './records.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { createLastLook, isFar } from './last-look.ts';
import type { Tenant } from './tenant.ts';

/** A century; a longer retention is expressed as none. */
export const RETENTION_DAYS_MAX = 36_500;

/** Options of one run of the erasure. */
export interface EraseExpiredOptions {
  /** The actual date, `YYYY-MM-DD`: the clock is accepted if its UTC date is within a day of it. */
  readonly acceptDate?: string | undefined;
}

/**
 * Erases the events that tenants no longer keep: those before the last `retentionDays` whole days, so that
 * there is work once a day. Tenants are independent: a failure of one is logged. If the clock is more than
 * two days away from the last look, it erases nothing and logs an error until the clock is right again or an
 * operator confirms the date: one wrong clock must not erase everything.
 */
export type EraseExpired = (signal?: Signal, options?: EraseExpiredOptions) => Promise<void>;

export interface RetentionOptions {
  readonly stores: Pick<StoresWithRecords, 'tenants' | 'events' | 'limits'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly log: Logger;
  readonly meter: Meter;
}

/** A bucket with one token per hour: of all processes that share the limits, one takes it. */
const TURN_ID = 'retention';
const TURN = [{ limit: 1, windowMs: 3_600_000 }] as const;

/** Creates the function that erases expired events. However many processes call it, it looks once an hour. */
export function createRetention({ stores, runtime, log, meter }: RetentionOptions): EraseExpired {
  const { tenants, events, limits } = stores;
  const lastLook = createLastLook(limits, runtime);
  let isTold = false;
  let succeededAt: number | undefined;
  meter.gauge('event_query_retention_last_success_timestamp_seconds', NO_LABELS, () =>
    succeededAt === undefined ? undefined : succeededAt / 1000,
  );

  /** Erases what a tenant no longer keeps; returns whether that worked. */
  async function eraseOf(tenant: Tenant, now: number, signal: Signal | undefined): Promise<boolean> {
    const { id, alias } = tenant;
    try {
      // The tenants before it took time, in which this tenant's owner may have changed the setting.
      const days = daysOf(await tenants.findById(id));
      if (days === undefined) return true;
      const query = olderThan(startOfDay(now) - days * DAY_MS);
      // A count is cheap, and leaves columns as they are.
      if ((await events.count(id, query, signal)) === 0) return true;
      const erased = await events.erase(id, query, signal);
      meter.count('event_query_events_erased_total', { cause: 'retention' }, erased);
      log.info({ tenant: alias, retentionDays: days, erased }, 'events that are no longer kept were erased');
      return true;
    } catch (err) {
      if (!isAborted(err))
        log.error({ tenant: alias, err }, 'events that are no longer kept were not erased');
      return false;
    }
  }

  /** Logs once that nothing is erased until the clock is trusted again. */
  function tellOfClock(now: number, distanceMs: number): void {
    if (isTold) return;
    isTold = true;
    const date = toIsoDay(now);
    const days = Math.round(Math.abs(distanceMs) / DAY_MS);
    log.error(
      { now: toIsoInstant(now), lastLook: toIsoInstant(now - distanceMs) },
      `no events are erased that are no longer kept: the clock stands ${days} days ` +
        `${distanceMs > 0 ? 'after' : 'before'} the last look; set it right, or if today is ${date} ` +
        `say so: serve --accept-clock ${date}`,
    );
  }

  return async (signal, { acceptDate } = {}) => {
    const limited = (await tenants.list()).filter((tenant) => daysOf(tenant) !== undefined);
    const now = runtime.now();
    const { everLooked, distanceMs } = await lastLook.findDistance();
    // A server whose tenants keep everything writes nothing and need not know when it last looked.
    if (limited.length === 0) return everLooked ? lastLook.forget() : undefined;
    if (isFar(distanceMs)) {
      if (!isNear(acceptDate, now)) return tellOfClock(now, distanceMs);
      // A token taken by a wrong clock would block other processes.
      await limits.erase([TURN_ID]);
    }
    isTold = false;
    if (!(await limits.take(TURN_ID, TURN, [1])).allowed) return;
    await lastLook.note();
    let isDone = true;
    for (const tenant of limited) {
      if (signal?.aborted === true) return;
      isDone = (await eraseOf(tenant, now, signal)) && isDone;
    }
    if (isDone) succeededAt = runtime.now();
  };
}

/** How many days a tenant keeps events; undefined for no limit. */
function daysOf(tenant: Tenant | undefined): number | undefined {
  return tenant?.retentionDays ?? undefined;
}

/** A difference of one day comes from a time zone, or from a start around midnight. */
function isNear(date: string | undefined, now: number): boolean {
  const day = date === undefined ? undefined : parseDay(date);
  return day !== undefined && Math.abs(startOfDay(now) - day) <= DAY_MS;
}

function olderThan(until: number): EventQuery {
  return { from: -Infinity, until, condition: { kind: 'all', of: [] } };
}
