import { describe, expect, it } from 'vitest';
import { parseTenantOptions } from '../../../src/core/access/admin-options.ts';
import {
  DEFAULT_INGESTION,
  INGESTION_LIMIT_MAX,
  LIMIT_MAX,
  PLAN_NAMES,
  PLANS,
} from '../../../src/core/access/plan.ts';
import { ingestionOf, parsePlan, planOf } from '../../../src/internal.ts';
import type { PlanName } from '../../../src/store-kit.ts';

describe('plans', () => {
  it('are the spec’s', () => {
    expect(PLANS.free.queryApi).toBe(false);
    expect(PLANS.builder).toEqual({ name: 'builder', queryApi: true, limits: { perMinute: 2, perDay: 20 } });
    expect(PLANS.growth).toEqual({ name: 'growth', queryApi: true, limits: { perMinute: 10, perDay: 200 } });
    expect(PLANS.scale).toEqual({ name: 'scale', queryApi: true, limits: { perMinute: 100, perDay: 2000 } });
  });

  it('are looked up by name when asked; a custom one has its own limits or none', () => {
    expect(planOf(parsePlan('growth'))).toBe(PLANS.growth);
    // What a tenant was given under another table is not what counts.
    expect(planOf({ plan: 'growth', limits: { perMinute: 1, perDay: 1 } })).toBe(PLANS.growth);
    expect(planOf(parsePlan('custom'))).toEqual({ name: 'custom', queryApi: true, limits: null });
    const limits = { perMinute: 1, perDay: LIMIT_MAX };
    expect(planOf(parsePlan('custom', limits))).toEqual({ name: 'custom', queryApi: true, limits });
  });

  it.each(['', 'Growth', 'toString', '__proto__', undefined])('a stored plan %j is an error', (plan) => {
    expect(() => planOf({ plan: plan as PlanName, limits: null })).toThrow('a plan that is not known');
  });

  it.each([0, -1, 1.5, NaN, Infinity, LIMIT_MAX + 1, '5', null, undefined, 5n, [5]])(
    'a custom limit of %s is refused',
    (limit) => {
      const takes = 'takes a whole number from 1 to 100000000, got';
      for (const name of ['perMinute', 'perDay'])
        expect(() => parsePlan('custom', { perMinute: 5, perDay: 5, [name]: limit })).toThrow(
          `limits.${name}: ${takes}`,
        );
    },
  );

  it.each([5, 'none', true, [], {}, { perMinute: 1 }, { perMinute: 1, perDay: 1, perHour: 1 }])(
    'limits of %j are refused',
    (limits) => {
      expect(() => parsePlan('custom', limits)).toThrow(/^limits/);
    },
  );

  it.each([
    '',
    'Builder',
    'enterprise',
    '__proto__',
    'toString',
    null,
    undefined,
    7,
    ['builder'],
    PLANS.scale,
  ])('%j is no plan', (name) => {
    expect(() => parsePlan(name)).toThrow(`plan: use one of ${PLAN_NAMES.join(', ')}`);
  });

  it('only a custom plan takes limits', () => {
    expect(() => parsePlan('scale', { perMinute: 1, perDay: 1 })).toThrow(
      'plan: only a custom plan takes its own limits',
    );
  });
});

describe('limits of ingestion', () => {
  const parseIngestion = (ingestion: unknown) =>
    parseTenantOptions({ alias: 'a', plan: 'free', ingestion }).ingestion;

  it('are the default, none, or their own', () => {
    expect(ingestionOf({ ingestion: parseIngestion('default') })).toBe(DEFAULT_INGESTION);
    expect(ingestionOf({ ingestion: parseIngestion(null) })).toBeNull();
    const own = { eventsPerMinute: 1, bytesPerMinute: INGESTION_LIMIT_MAX };
    expect(ingestionOf({ ingestion: parseIngestion(own) })).toEqual(own);
  });

  it.each([
    ...['none', 5, [], {}, { eventsPerMinute: 5 }, { eventsPerMinute: 5, bytesPerMinute: null }],
    ...[0, -1, 1.5, NaN, INGESTION_LIMIT_MAX + 1].map((n) => ({ eventsPerMinute: n, bytesPerMinute: 5 })),
    ...[0, '5', INGESTION_LIMIT_MAX + 1].map((n) => ({ eventsPerMinute: 5, bytesPerMinute: n })),
    { eventsPerMinute: 5, bytesPerMinute: 5, bytesPerDay: 5 },
  ])('%j is refused', (value) => {
    const takes = 'takes "default", null for no limit, or eventsPerMinute and bytesPerMinute';
    const each = `takes a whole number from 1 to ${INGESTION_LIMIT_MAX}`;
    const message = new RegExp(`^ingestion(: ${takes}|\\.\\w+: ${each}|: unknown field "bytesPerDay")`);
    expect(() => parseIngestion(value)).toThrow(message);
  });
});
