import { invalid, isAborted } from '../base/errors.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS, parseDay, toIsoDay, toIsoInstant } from '../event/time.ts';
import type { Signal } from '../base/signal.ts';
import type { Stores } from './stores.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { createLastLook, isFar } from './last-look.ts';
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

/** What is said to an erasure of what is no longer kept. */
export interface EraseExpiredOptions {
  /** The date as it really is, `YYYY-MM-DD`: a clock is believed whose UTC date is at most a day from it. */
  readonly acceptDate?: string | undefined;
}

/**
 * Erases what tenants no longer keep: events of the days before the last `retentionDays` whole ones, so that
 * it has something to do once a day. Each tenant by itself: what fails for one is logged. Where the clock
 * stands more than two days from the last look, it erases nothing and logs an error, until the clock is right
 * again or somebody confirms the date: a clock that is wrong once must not erase everything.
 */
export type EraseExpired = (signal?: Signal, options?: EraseExpiredOptions) => Promise<void>;

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
  const lastLook = createLastLook(limits, runtime);
  let isTold = false;

  async function eraseOf(tenant: Tenant, now: number, signal: Signal | undefined): Promise<void> {
    const { id, alias } = tenant;
    try {
      // Those before it took their time, in which its owner may have said otherwise.
      const days = daysOf(await tenants.findById(id));
      if (days === undefined) return;
      const query = olderThan(startOfDay(now) - days * DAY_MS);
      // To count is cheap, and leaves columns as they are.
      if ((await events.count(id, query, signal)) === 0) return;
      const erased = await events.erase(id, query, signal);
      log.info({ tenant: alias, retentionDays: days, erased }, 'events that are no longer kept were erased');
    } catch (err) {
      if (isAborted(err)) return;
      log.error({ tenant: alias, err }, 'events that are no longer kept were not erased');
    }
  }

  /** Says once that nothing is erased until the clock is believed again. */
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
    // A server whose tenants keep everything writes nothing, and has no reason to know when it looked.
    if (limited.length === 0) return everLooked ? lastLook.forget() : undefined;
    if (isFar(distanceMs)) {
      if (!isNear(acceptDate, now)) return tellOfClock(now, distanceMs);
      // What was taken by another clock would keep others from their turn.
      await limits.erase([TURN_ID]);
    }
    isTold = false;
    if (!(await limits.take(TURN_ID, TURN, [1])).allowed) return;
    await lastLook.note();
    for (const tenant of limited) {
      if (signal?.aborted === true) return;
      await eraseOf(tenant, now, signal);
    }
  };
}

/** For how long a tenant keeps events; undefined for ever, as tenants of before, whom a store may know. */
function daysOf(tenant: Tenant | undefined): number | undefined {
  return tenant?.retentionDays ?? undefined;
}

/** A day more or less is that of another zone, or of a start across midnight. */
function isNear(date: string | undefined, now: number): boolean {
  const day = date === undefined ? undefined : parseDay(date);
  return day !== undefined && Math.abs(startOfDay(now) - day) <= DAY_MS;
}

function startOfDay(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

function olderThan(until: number): EventQuery {
  return { from: -Infinity, until, condition: { kind: 'all', of: [] } };
}
