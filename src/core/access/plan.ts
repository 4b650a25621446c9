import { invalid } from '../errors.ts';

/**
 * How many requests a key may make. Each page, count and name listing is one request (SPEC, "Other limits").
 */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The spec's four plans, and `custom` for limits of one's own. */
export const PLAN_NAMES = ['free', 'builder', 'growth', 'scale', 'custom'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** A tenant's plan. `limits` is null for no limit at all, which only a custom plan can have. */
export interface Plan {
  readonly name: PlanName;
  /** Whether the plan includes the Query API. */
  readonly queryApi: boolean;
  readonly limits: Limits | null;
}

/** The largest limit of a custom plan; beyond it the bucket arithmetic would leave the exact integers. */
export const LIMIT_MAX = 100_000_000;

/** The plans of the spec ("Rate limits"). */
export const PLANS = {
  free: { name: 'free', queryApi: false, limits: { perMinute: 0, perDay: 0 } },
  builder: { name: 'builder', queryApi: true, limits: { perMinute: 2, perDay: 20 } },
  growth: { name: 'growth', queryApi: true, limits: { perMinute: 10, perDay: 200 } },
  scale: { name: 'scale', queryApi: true, limits: { perMinute: 100, perDay: 2000 } },
} as const satisfies Record<Exclude<PlanName, 'custom'>, Plan>;

/**
 * Makes a plan. A custom one takes both limits, each a whole number from 1 to 100,000,000, or null for no
 * limit; the others take none. Throws ApiError (400).
 */
export function createPlan(name: string, limits: Limits | null = null): Plan {
  const plan = PLAN_NAMES.find((known) => known === name);
  if (plan === undefined) throw invalid('plan', `use one of ${PLAN_NAMES.join(', ')}`);
  if (plan !== 'custom') {
    if (limits !== null) throw invalid('plan', 'only a custom plan takes its own limits');
    return PLANS[plan];
  }
  if (limits !== null) {
    for (const limit of [limits.perMinute, limits.perDay]) {
      if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
        throw invalid('plan', `a limit is a whole number from 1 to ${LIMIT_MAX}, and both are given or none`);
      }
    }
  }
  return { name: plan, queryApi: true, limits };
}
