import { describe, expectTypeOf, it } from 'vitest';
import type {
  CountBody,
  Event,
  EventInput,
  Filter,
  FilterEntry,
  JsonObject,
  QueryBody,
} from '../../src/index.ts';
import type { FilterTaking, Pagination } from '../../src/store-kit.ts';

// What is held here is held by the compiler, in `npm run types`: a test that compiles has passed.

/** Takes a body as `query` does. */
function query(body: QueryBody): QueryBody {
  return body;
}

/** Takes a body as `count` does. */
function count(body: CountBody): CountBody {
  return body;
}

/** Takes an event as `append` does. */
function send(event: EventInput): EventInput {
  return event;
}

describe('the body of a query', () => {
  it('is written in a call as it is, every operator with its operand', () => {
    query({});
    query({ event: 'a', after: '2024-01-01', before: '2024-12-31', pagination: { size: 10, offset: 0 } });
    query({
      filterSet: [
        { property: 'properties.plan', comparison: 'EQUALS', value: 'pro' },
        { property: 'properties.n', comparison: 'NOT_EQUALS', value: true },
        { property: 'properties.n', comparison: 'LESS_THAN_OR_EQUALS', value: 5 },
        { property: 'properties.tags', comparison: 'NOT_CONTAINS', value: 'sale' },
        { property: 'userId', comparison: 'STARTS_WITH', value: 'a' },
        { property: 'userId', comparison: 'NOT_IN', value: ['ada', 'bob'] },
        { property: 'properties.n', comparison: 'IS_NULL', value: null },
        { anyOf: [{ property: 'eventName', comparison: 'IN', value: [] }, { not: { allOf: [] } }] },
      ],
    });
  });

  it('may be built apart with satisfies, or as const', () => {
    const filterSet = [
      { property: 'properties.plan', comparison: 'EQUALS', value: 'pro' },
    ] satisfies FilterEntry[];
    query({ filterSet });
    const body = { filterSet, pagination: { size: 5 } } satisfies QueryBody;
    query(body);
    const constant = {
      filterSet: [{ property: 'userId', comparison: 'IN', value: ['ada'] }],
      pagination: { size: 5 },
    } as const;
    query(constant);
  });

  it('may be of readonly parts', () => {
    const users: readonly string[] = ['ada'];
    const filters: readonly Filter[] = [{ property: 'userId', comparison: 'IN', value: users }];
    query({ filterSet: filters });
    const frozen: Readonly<QueryBody> = Object.freeze({ filterSet: filters });
    query(frozen);
  });

  it('may say undefined for what it leaves out', () => {
    const event: string | undefined = undefined;
    query({ event, pagination: { cursor: event } });
  });

  it('takes no comparison that is only some text: a misspelt one is seen by the compiler', () => {
    const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }];
    // @ts-expect-error: `comparison` became a string when it was put into a variable; say `satisfies`.
    query({ filterSet });
    // @ts-expect-error: no such operator
    query({ filterSet: [{ property: 'properties.plan', comparison: 'EQUAL', value: 'pro' }] });
  });

  it('takes no operand of another operator', () => {
    const property = 'properties.a';
    // @ts-expect-error: IN takes an array
    query({ filterSet: [{ property, comparison: 'IN', value: 'a' }] });
    // @ts-expect-error: EQUALS takes a scalar
    query({ filterSet: [{ property, comparison: 'EQUALS', value: ['a'] }] });
    // @ts-expect-error: STARTS_WITH takes a text
    query({ filterSet: [{ property, comparison: 'STARTS_WITH', value: 5 }] });
    // @ts-expect-error: GREATER_THAN takes what has an order
    query({ filterSet: [{ property, comparison: 'GREATER_THAN', value: true }] });
    // @ts-expect-error: IS_NULL takes null
    query({ filterSet: [{ property, comparison: 'IS_NULL', value: 'a' }] });
    // @ts-expect-error: value must be there, null for the null operators
    query({ filterSet: [{ property, comparison: 'IS_NULL' }] });
    // @ts-expect-error: a list has no lists in it
    query({ filterSet: [{ property, comparison: 'IN', value: [['a']] }] });
  });

  it('takes no key that it does not know', () => {
    // @ts-expect-error: misspelt
    query({ filterset: [] });
    // @ts-expect-error: misspelt
    query({ pagination: { limit: 5 } });
    // @ts-expect-error: a count has no pages
    count({ pagination: { size: 5 } });
  });

  it('is what its parts are', () => {
    expectTypeOf<QueryBody['pagination']>().toEqualTypeOf<Pagination | undefined>();
    expectTypeOf<QueryBody['filterSet']>().toEqualTypeOf<readonly FilterEntry[] | undefined>();
    expectTypeOf<CountBody>().toExtend<QueryBody>();
    expectTypeOf<FilterTaking<'list'>['value']>().toEqualTypeOf<readonly (string | number | boolean)[]>();
  });
});

describe('events', () => {
  interface Signup {
    readonly plan: 'free' | 'pro';
  }

  it('have the properties that their reader knows of', () => {
    expectTypeOf<Event<Signup>['properties']['plan']>().toEqualTypeOf<'free' | 'pro'>();
    expectTypeOf<Event['properties']>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Event<Signup>>().toExtend<Event<object>>();
  });

  it('may be sent as they were answered, with properties of an interface', () => {
    expectTypeOf<Event<Signup>>().toExtend<EventInput>();
    const signup: Signup = { plan: 'pro' };
    send({ eventName: 'signed_up', userId: 'ada', properties: signup });
    // @ts-expect-error: properties are an object
    send({ eventName: 'signed_up', userId: 'ada', properties: 'pro' });
  });
});
