import { describe, expect, it } from 'vitest';
import { createPlan, LIMIT_MAX, PLANS } from '../../../src/index.ts';

describe('plans', () => {
  it('are the spec’s', () => {
    expect(PLANS.free.queryApi).toBe(false);
    expect(PLANS.builder).toEqual({ name: 'builder', queryApi: true, limits: { perMinute: 2, perDay: 20 } });
    expect(PLANS.growth).toEqual({ name: 'growth', queryApi: true, limits: { perMinute: 10, perDay: 200 } });
    expect(PLANS.scale).toEqual({ name: 'scale', queryApi: true, limits: { perMinute: 100, perDay: 2000 } });
  });

  it('are found by name; a custom one has its own limits or none', () => {
    expect(createPlan('growth')).toBe(PLANS.growth);
    expect(createPlan('custom')).toEqual({ name: 'custom', queryApi: true, limits: null });
    const limits = { perMinute: 1, perDay: LIMIT_MAX };
    expect(createPlan('custom', limits)).toEqual({ name: 'custom', queryApi: true, limits });
  });

  it.each([0, -1, 1.5, NaN, Infinity, LIMIT_MAX + 1])('a custom limit of %s is refused', (limit) => {
    const message = 'plan: a limit is a whole number from 1 to 100000000, and both are given or none';
    expect(() => createPlan('custom', { perMinute: limit, perDay: 5 })).toThrow(message);
    expect(() => createPlan('custom', { perMinute: 5, perDay: limit })).toThrow(message);
  });

  it.each(['', 'Builder', 'enterprise', '__proto__', 'toString'])('%j is no plan', (name) => {
    expect(() => createPlan(name)).toThrow('plan: use one of free, builder, growth, scale, custom');
  });

  it('only a custom plan takes limits', () => {
    expect(() => createPlan('scale', { perMinute: 1, perDay: 1 })).toThrow(
      'plan: only a custom plan takes its own limits',
    );
  });
});
