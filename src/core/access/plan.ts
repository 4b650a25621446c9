import { invalid } from '../base/errors.ts';
import { DAY_MS } from '../event/time.ts';
import { MINUTE_MS, type Window } from '../base/token-bucket.ts';

/**
 * How many requests a key may make. Each page, count and name listing is one request.
 */
export interface Limits {
  /** Requests of one key in a minute. */
  readonly perMinute: number;
  /** Requests of one key in a day. */
  readonly perDay: number;
}

/** How much the senders of a tenant's events may send, all together. */
export interface IngestionLimits {
  /** Events of all senders together. */
  readonly eventsPerMinute: number;
  /** Bytes of the events' own JSON, decompressed: what stands between them in a body counts nothing. */
  readonly bytesPerMinute: number;
}

/** The name of a plan, which a tenant keeps. */
export type PlanName = keyof typeof PLANS | 'custom';

/** What a tenant keeps of its plan. `limits` is of a custom plan: null for none, and for any other plan. */
export interface PlanChoice {
  /** The name alone, so that a change to the plan reaches the tenant. */
  readonly plan: PlanName;
  /** Limits of one's own, on `custom` only. */
  readonly limits: Limits | null;
}

/** A plan. `limits` is null for no limit at all, which only a custom plan can have. */
export interface Plan {
  /** What it is called. */
  readonly name: PlanName;
  /** Whether the plan includes the Query API. */
  readonly queryApi: boolean;
  /** How much a key may ask; null for no limit. */
  readonly limits: Limits | null;
}

/** The largest limit of a custom plan; beyond it the bucket arithmetic would leave the exact integers. */
export const LIMIT_MAX = 100_000_000;
/** The largest limit of events or bytes a minute; as `LIMIT_MAX`, in the shorter window. */
export const INGESTION_LIMIT_MAX = 100_000_000_000;

/** The plans that are sold. */
export const PLANS = {
  free: { name: 'free', queryApi: false, limits: { perMinute: 0, perDay: 0 } },
  builder: { name: 'builder', queryApi: true, limits: { perMinute: 2, perDay: 20 } },
  growth: { name: 'growth', queryApi: true, limits: { perMinute: 10, perDay: 200 } },
  scale: { name: 'scale', queryApi: true, limits: { perMinute: 100, perDay: 2000 } },
} as const;

/** The names of the plans that are sold, and `custom` for limits of one's own. */
export const PLAN_NAMES: readonly PlanName[] = [...(Object.keys(PLANS) as (keyof typeof PLANS)[]), 'custom'];

/** What a tenant may send where nothing else was set: 600,000 events and 512 MiB a minute. */
export const DEFAULT_INGESTION: IngestionLimits = { eventsPerMinute: 600_000, bytesPerMinute: 536_870_912 };

/** What one request of the Query API takes from the windows of its key. */
export const REQUEST_COST = [1, 1] as const;

/** The plan of a tenant as it is now: a change to a plan reaches every tenant that has it. */
export function planOf({ plan, limits }: PlanChoice): Plan {
  if (plan === 'custom') return { name: plan, queryApi: true, limits };
  const found: Plan | undefined = Object.hasOwn(PLANS, plan) ? PLANS[plan] : undefined;
  if (found === undefined) throw new Error(`The tenant is on a plan that is not known: ${plan}`);
  return found;
}

/** The windows that a key's requests are counted in. */
export function requestWindows({ perMinute, perDay }: Limits): readonly Window[] {
  return [
    { limit: perMinute, windowMs: MINUTE_MS },
    { limit: perDay, windowMs: DAY_MS },
  ];
}

/** The windows that a tenant's events are counted in: events, then bytes. */
export function ingestionWindows({ eventsPerMinute, bytesPerMinute }: IngestionLimits): readonly Window[] {
  return [
    { limit: eventsPerMinute, windowMs: MINUTE_MS },
    { limit: bytesPerMinute, windowMs: MINUTE_MS },
  ];
}

/**
 * Checks a choice of a plan. A custom one takes both limits, each a whole number from 1 to 100,000,000, or
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
 * Checks limits of ingestion: both, each a whole number from 1 to 100,000,000,000, or null for none, or
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

/** The two limits of an object that holds nothing else, or undefined. */
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
