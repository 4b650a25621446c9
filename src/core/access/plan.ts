import { invalid } from '../base/errors.ts';
import { DAY_MS } from '../event/time.ts';
import { MINUTE_MS, type Window } from '../base/token-bucket.ts';

/** How many requests a key may make. Each page, count and name listing is one request. */
export interface Limits {
  /** Requests of one key in a minute. */
  readonly perMinute: number;
  /** Requests of one key in a day. */
  readonly perDay: number;
}

/** How much all senders of a tenant's events together may send. */
export interface IngestionLimits {
  /** Events per minute. */
  readonly eventsPerMinute: number;
  /** Bytes of the events' own JSON, decompressed; separators in a body do not count. */
  readonly bytesPerMinute: number;
}

/** The name of a plan, as a tenant stores it. */
export type PlanName = keyof typeof PLANS | 'custom';

/**
 * The plan settings of a tenant. `limits` applies to the custom plan only: null for no limit, and for any
 * other plan.
 */
export interface PlanChoice {
  /** Only the name, so that a change to the plan applies to the tenant. */
  readonly plan: PlanName;
  /** Individual limits, on `custom` only. */
  readonly limits: Limits | null;
}

/** A plan. `limits` is null for no limit, which only the custom plan can have. */
export interface Plan {
  /** The name of the plan. */
  readonly name: PlanName;
  /** Whether the plan includes the Query API. */
  readonly queryApi: boolean;
  /** The limits of each key; null for no limit. */
  readonly limits: Limits | null;
}

/** The largest limit of a custom plan; beyond it the bucket arithmetic would leave the exact integers. */
export const LIMIT_MAX = 100_000_000;
/** The largest limit of events or bytes per minute, for the same reason with the shorter window. */
export const INGESTION_LIMIT_MAX = 100_000_000_000;

/** The plans on sale. */
export const PLANS = {
  free: { name: 'free', queryApi: false, limits: { perMinute: 0, perDay: 0 } },
  builder: { name: 'builder', queryApi: true, limits: { perMinute: 2, perDay: 20 } },
  growth: { name: 'growth', queryApi: true, limits: { perMinute: 10, perDay: 200 } },
  scale: { name: 'scale', queryApi: true, limits: { perMinute: 100, perDay: 2000 } },
} as const;

/** The names of the plans on sale, and `custom` for individual limits. */
export const PLAN_NAMES: readonly PlanName[] = [...(Object.keys(PLANS) as (keyof typeof PLANS)[]), 'custom'];

/** The default of what a tenant may send: 600,000 events and 512 MiB per minute. */
export const DEFAULT_INGESTION: IngestionLimits = { eventsPerMinute: 600_000, bytesPerMinute: 536_870_912 };

/** The cost of one Query API request in the windows of its key. */
export const REQUEST_COST = [1, 1] as const;

/** The current plan of a tenant: a change to a plan applies to every tenant that has it. */
export function planOf({ plan, limits }: PlanChoice): Plan {
  if (plan === 'custom') return { name: plan, queryApi: true, limits };
  const found: Plan | undefined = Object.hasOwn(PLANS, plan) ? PLANS[plan] : undefined;
  if (found === undefined) throw new Error(`The tenant is on a plan that is not known: ${plan}`);
  return found;
}

/** The windows that count a key's requests. */
export function requestWindows({ perMinute, perDay }: Limits): readonly Window[] {
  return [
    { limit: perMinute, windowMs: MINUTE_MS },
    { limit: perDay, windowMs: DAY_MS },
  ];
}

/** The name of one of these windows. */
export function windowName({ windowMs }: Pick<Window, 'windowMs'>): 'minute' | 'day' {
  return windowMs === MINUTE_MS ? 'minute' : 'day';
}

/** The windows that count a tenant's ingestion: events, then bytes. */
export function ingestionWindows({ eventsPerMinute, bytesPerMinute }: IngestionLimits): readonly Window[] {
  return [
    { limit: eventsPerMinute, windowMs: MINUTE_MS },
    { limit: bytesPerMinute, windowMs: MINUTE_MS },
  ];
}

/** Refuses limits of a plan that has its own. Throws ApiError (400). */
export function checkPlan({ plan, limits }: PlanChoice): PlanChoice {
  if (limits !== null && plan !== 'custom') throw invalid('plan', 'only a custom plan takes its own limits');
  return { plan, limits };
}
