import { expect, it } from 'vitest';
import { toKept, toPlan } from '../../../../adapters/cli/options/tenant-options.ts';

it('limits are for a custom plan, and go together', () => {
  expect(toPlan({ plan: 'custom', perMinute: 5, perDay: 50 })).toMatchObject({
    limits: { perMinute: 5, perDay: 50 },
  });
  expect(toPlan({ plan: 'growth' })).toMatchObject({ plan: 'growth' });
  for (const one of [{ perMinute: 5 }, { perDay: 5 }]) {
    expect(() => toPlan({ plan: 'custom', ...one })).toThrow(
      '--per-minute and --per-day must be given together',
    );
    expect(() => toPlan({ plan: 'growth', ...one })).toThrow('need --plan custom');
    expect(() => toPlan(one)).toThrow('need --plan custom');
  }
});

it('limits of ingestion are left alone, set, or removed', () => {
  expect(toKept({})).toEqual({});
  expect(toKept({ ingestion: 'none' })).toEqual({ ingestion: null });
  expect(toKept({ ingestion: 'default' })).toEqual({ ingestion: 'default' });
});
