/* eslint-disable @typescript-eslint/unbound-method -- nothing is called here */
import { expectTypeOf, it } from 'vitest';
import { allOf, anyOf, createClient, not, where, type Client } from '../../adapters/client/index.ts';
import type {
  AskOptions,
  Breakdown,
  BreakdownBody,
  CompareBody,
  CountBody,
  Event,
  EventPage,
  ExplainBody,
  Explanation,
  Filter,
  FilterEntry,
  Differences,
  JsonObject,
  Properties,
  QueryBody,
  Retention,
  RetentionBody,
  Sequence,
  SequenceBody,
  User,
  UserPage,
  UsersBody,
  Whole,
} from '../../src/index.ts';
import type { ExportBody, Scalar, TailBody } from '../../src/store-kit.ts';

type Asked = AskOptions<AbortSignal>;

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

it('every method takes its own body and gives its own answer', () => {
  const client = createClient({ url: 'http://127.0.0.1:1', tenant: 'shop', apiKey: 'eqk_0' });
  expectTypeOf<keyof Client>().toEqualTypeOf<
    | (
        | 'query'
        | 'count'
        | 'breakdown'
        | 'sequence'
        | 'retention'
        | 'userPage'
        | 'compare'
        | 'users'
        | 'top'
        | 'properties'
        | 'explain'
        | 'eventNames'
      )
    | ('pages' | 'events' | 'export' | 'since' | 'tail')
  >();
  expectTypeOf(client.query).parameter(0).toEqualTypeOf<QueryBody | undefined>();
  expectTypeOf(client.query).parameter(1).toEqualTypeOf<Asked | undefined>();
  expectTypeOf(client.query<JsonObject>).returns.toEqualTypeOf<Promise<EventPage>>();
  expectTypeOf(client.count).parameter(0).toEqualTypeOf<CountBody | undefined>();
  expectTypeOf(client.count).parameter(1).toEqualTypeOf<Asked | undefined>();
  expectTypeOf(client.count).returns.toEqualTypeOf<Promise<number>>();
  expectTypeOf(client.breakdown<BreakdownBody>)
    .parameter(0)
    .toEqualTypeOf<BreakdownBody>();
  expectTypeOf(client.breakdown<BreakdownBody>)
    .parameter(1)
    .toEqualTypeOf<Asked | undefined>();
  expectTypeOf(client.breakdown<BreakdownBody>).returns.toEqualTypeOf<Promise<Breakdown | Whole>>();
  expectTypeOf(() => client.breakdown({ by: 'day' })).returns.toEqualTypeOf<Promise<Breakdown>>();
  expectTypeOf(() => client.breakdown({ by: ['userId', 'day'] })).returns.toEqualTypeOf<Promise<Breakdown>>();
  expectTypeOf(client.users).parameter(0).toEqualTypeOf<UsersBody | undefined>();
  expectTypeOf(client.users).returns.toEqualTypeOf<AsyncGenerator<User, void>>();
  expectTypeOf(client.compare).parameter(0).toEqualTypeOf<CompareBody>();
  expectTypeOf(client.compare).returns.toEqualTypeOf<Promise<Differences>>();
  expectTypeOf(client.userPage).returns.toEqualTypeOf<Promise<UserPage>>();
  expectTypeOf(client.retention).parameter(0).toEqualTypeOf<RetentionBody>();
  expectTypeOf(client.retention).returns.toEqualTypeOf<Promise<Retention>>();
  expectTypeOf(client.sequence).parameter(0).toEqualTypeOf<SequenceBody>();
  expectTypeOf(client.sequence).returns.toEqualTypeOf<Promise<Sequence>>();
  expectTypeOf(client.properties)
    .parameter(0)
    .toEqualTypeOf<{ readonly event?: string | undefined } | undefined>();
  expectTypeOf(client.properties).returns.toEqualTypeOf<Promise<Properties>>();
  expectTypeOf(client.explain).parameter(0).toEqualTypeOf<ExplainBody | undefined>();
  expectTypeOf(client.explain).parameter(1).toEqualTypeOf<Asked | undefined>();
  expectTypeOf(client.explain).returns.toEqualTypeOf<Promise<Explanation>>();
  expectTypeOf(client.eventNames).returns.toEqualTypeOf<Promise<readonly string[]>>();
  expectTypeOf(client.pages<JsonObject>).returns.toEqualTypeOf<AsyncGenerator<readonly Event[], void>>();
  expectTypeOf(client.events).parameter(0).toEqualTypeOf<QueryBody | undefined>();
  expectTypeOf(client.export).parameter(0).toEqualTypeOf<ExportBody | undefined>();
  expectTypeOf(client.export<{ plan: string }>).returns.toEqualTypeOf<
    AsyncGenerator<Event<{ plan: string }>, void>
  >();
  expectTypeOf(client.tail).parameter(0).toEqualTypeOf<TailBody | undefined>();
  expectTypeOf(client.since).parameter(0).toEqualTypeOf<TailBody | undefined>();
  expectTypeOf(client.tail<JsonObject>).returns.toEqualTypeOf<AsyncGenerator<Event, void>>();
});

it('a body takes the filters of the builder, and an export no size', () => {
  const plan = where('properties.plan');
  const filterSet = [plan.equals('pro'), anyOf(not(plan.isNull()), allOf(plan.in(['a', 1])))];
  expectTypeOf(filterSet).items.toExtend<FilterEntry>();
  expectTypeOf<{ filterSet: typeof filterSet }>().toExtend<ExportBody>();
  expectTypeOf<{ pagination: { after: Event } }>().toExtend<ExportBody>();
});
