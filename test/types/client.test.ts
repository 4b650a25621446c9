import { expectTypeOf, it } from 'vitest';
import { where, type Client } from '../../adapters/client/index.ts';
import type { Event, Filter, Scalar } from '../../src/index.ts';

it('the operand of a filter follows its comparison', () => {
  const plan = where('properties.plan');
  expectTypeOf(plan.equals).parameters.toEqualTypeOf<[value: Scalar]>();
  expectTypeOf(plan.notIn).parameters.toEqualTypeOf<[value: readonly Scalar[]]>();
  expectTypeOf(plan.greaterThanOrEquals).parameters.toEqualTypeOf<[value: number | string]>();
  expectTypeOf(plan.startsWith).parameters.toEqualTypeOf<[value: string]>();
  expectTypeOf(plan.isNotNull).parameters.toEqualTypeOf<[]>();
  expectTypeOf(plan.isNull()).toEqualTypeOf<Filter>();
  expectTypeOf(plan).not.toHaveProperty('like');
});

it('an event has the properties that its reader says', () => {
  const query = null as unknown as Client['events'];
  expectTypeOf(query<{ plan: string }>).returns.toEqualTypeOf<
    AsyncGenerator<Event<{ plan: string }>, void>
  >();
});
