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

/**
 * Parses the choice of a plan. A custom one takes both limits, each a whole number from 1 to 100,000,000, or
 * null for no limit; the others take none. Throws ApiError (400).
 */
export function parsePlan(name: unknown, limits: unknown = null): PlanChoice {
  const plan = PLAN_NAMES.find((known) => known === name);
  if (plan === undefined) throw invalid('plan', `use one of ${PLAN_NAMES.join(', ')}`);
  if (limits === null) return { plan, limits };
  if (plan !== 'custom') throw invalid('plan', 'only a custom plan takes its own limits');
  const found = readLimits(limits, ['perMinute', 'perDay'], LIMIT_MAX);
  if (found === undefined) {
    throw invalid('plan', `a limit is a whole number from 1 to ${LIMIT_MAX}, and both are given or none`);
  }
  return { plan, limits: { perMinute: found[0], perDay: found[1] } };
}

/**
 * Parses ingestion limits: both, each a whole number from 1 to 100,000,000,000, or null for none, or
 * `default`. Throws ApiError (400).
 */
export function parseIngestion(value: unknown): IngestionLimits | 'default' | null {
  if (value === null || value === 'default') return value;
  const found = readLimits(value, ['eventsPerMinute', 'bytesPerMinute'], INGESTION_LIMIT_MAX);
  if (found === undefined) {
    const rule = `eventsPerMinute and bytesPerMinute, whole numbers from 1 to ${INGESTION_LIMIT_MAX}`;
    throw invalid('ingestion', `takes "default", null for no limit, or ${rule}`);
  }
  return { eventsPerMinute: found[0], bytesPerMinute: found[1] };
}

/** The two limits of an object that has exactly these fields, or undefined. */
function readLimits(
  value: unknown,
  keys: readonly [string, string],
  limitMax: number,
): readonly [number, number] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const isLimit = (limit: unknown): limit is number =>
    typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= limitMax;
  const [first, second] = keys.map((key) => fields[key]);
  const whole = Object.keys(fields).every((key) => keys.includes(key));
  return whole && isLimit(first) && isLimit(second) ? [first, second] : undefined;
}
