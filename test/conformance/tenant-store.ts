import * as fc from 'fast-check';
import { DEFAULT_INGESTION } from '../../src/core/access/plan.ts';
import { compareCodePoints } from '../../src/core/event/text.ts';
import type { Tenant, TenantChanges } from '../../src/index.ts';
import type { PlanChoice, TenantStore } from '../../src/store-kit.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

const plans = fc.constantFrom<PlanChoice>(
  { plan: 'free', limits: null },
  { plan: 'scale', limits: null },
  { plan: 'custom', limits: null },
  { plan: 'custom', limits: { perMinute: 1, perDay: 100_000_000 } },
);
const ingestions = fc.constantFrom<Tenant['ingestion']>('default', null, DEFAULT_INGESTION, {
  eventsPerMinute: 1,
  bytesPerMinute: 100_000_000_000,
});
const retentions = fc.constantFrom(null, 1, 36_500);
const jwts = fc.constantFrom(
  null,
  { issuer: 'https://id.example', audience: 'events', jwksUrl: 'https://id.example/keys?a=%20' },
  {
    issuer: "o'neil",
    audience: '日本',
    publicKeyPem: '-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n',
  },
);
const names = fc.constantFrom('Shop', "O'Neil & co", '日本 😀', '"', '%', '\\');
const strategies = fc.constantFrom('NONE' as const, 'SERVER_SIDE' as const, 'JWT' as const);
const times = fc.integer({ min: 0, max: 4_102_444_799_999 });

/** One thing done to a tenant store. Tenants are told apart by a slot, so that steps meet each other's. */
type Step =
  | {
      readonly kind: 'create';
      readonly slot: number;
      readonly alias: string;
      readonly fields: Omit<Tenant, 'id' | 'alias'>;
    }
  | { readonly kind: 'update'; readonly slot: number; readonly changes: TenantChanges }
  | { readonly kind: 'delete'; readonly slot: number };

const slots = fc.nat({ max: 5 });
/** `a-b`, `a0` and `a_b` order differently by locale than by code point. */
const aliases = fc.constantFrom('a', 'b', 'a-b', 'a_b', 'a0', 'ab', '0', 'z');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    slot: slots,
    alias: aliases,
    fields: fc
      .record({
        name: names,
        plan: plans,
        ingestion: ingestions,
        retentionDays: retentions,
        authStrategy: strategies,
        jwt: jwts,
        createdAt: times,
      })
      .map(({ plan, ...fields }) => ({ ...fields, ...plan })),
  }),
  fc.record({
    kind: fc.constant('update' as const),
    slot: slots,
    changes: fc
      .record(
        {
          name: names,
          plan: plans,
          ingestion: ingestions,
          retentionDays: retentions,
          authStrategy: strategies,
          jwt: jwts,
        },
        { requiredKeys: [] },
      )
      .map(({ plan, ...fields }) => ({ ...fields, ...plan })),
  }),
  fc.record({ kind: fc.constant('delete' as const), slot: slots }),
);

/** Proves that a tenant store does what a plain map of tenants would do. */
export function testTenantStore(
  name: string,
  create: CreateFixture<TenantStore>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`tenant store: ${name}`, create, runner, options, ({ test, check, expect }) => {
    test('any steps leave what they would leave in a map', ({ store }) =>
      check(fc.array(steps, { maxLength: 30, size: 'max' }), async (todo) => {
        const model = new Map<string, Tenant>();
        const ids = Array.from({ length: 6 }, newTenantId);
        for (const step of todo) {
          await takeStep(store, model, ids, step, expect);
          // Asked after each step, because a store may remember what it has looked up.
          const id = ids[step.slot]!;
          expect(await store.findById(id)).toEqual(model.get(id));
          const alias = model.get(id)?.alias ?? 'a';
          expect(await store.findByAlias(alias)).toEqual(
            [...model.values()].find((tenant) => tenant.alias === alias),
          );
        }
        const sorted = [...model.values()].sort((a, b) => compareCodePoints(a.alias, b.alias));
        expect(await store.list()).toEqual(sorted);
        const some = [ids[0]!, ids[3]!, newTenantId()];
        const asked = sorted.filter(({ id }) => some.includes(id));
        expect(await store.list({ ids: some })).toEqual(asked);
        expect(await store.list({ ids: [] })).toEqual([]);
        const behind = sorted.filter(({ alias }) => compareCodePoints(alias, 'a-b') > 0);
        expect(await store.list({ ids: null, after: 'a-b', size: 2 })).toEqual(behind.slice(0, 2));
        expect(await store.list({ ids: some, after: 'a-b', size: 1 })).toEqual(
          asked.filter((tenant) => behind.includes(tenant)).slice(0, 1),
        );
        for (const tenant of sorted) {
          expect(await store.findById(tenant.id)).toEqual(tenant);
          expect(await store.findByAlias(tenant.alias)).toEqual(tenant);
          expect(await store.findByAlias(tenant.id)).toEqual(undefined);
          expect(await store.findById(tenant.alias)).toEqual(undefined);
          await store.delete(tenant.id);
        }
        expect(await store.list()).toEqual([]);
      }));

    test('of two tenants that take an alias at once, one gets it', async ({ store }) => {
      const [first, second] = [newTenantId(), newTenantId()].map((id) => someTenant(id, 'wanted'));
      const created = await Promise.all([first, second].map((tenant) => store.create(tenant!)));
      expect(created.filter(Boolean).length).toEqual(1);
      expect((await store.list()).length).toEqual(1);
    });

    test('an alias is matched to the letter', async ({ store }) => {
      await store.create(someTenant(newTenantId(), 'shop'));
      for (const alias of ['Shop', 'SHOP', 'shop ', ' shop', 'sho_', 'sho%', '', "shop'"]) {
        expect(await store.findByAlias(alias)).toEqual(undefined);
      }
    });

    test('tenants are there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const tenant = someTenant(newTenantId(), 'kept');
      await store.create(tenant);
      const changed = await store.update(tenant.id, { plan: 'scale' });
      expect(changed).toEqual({ ...tenant, plan: 'scale' });
      expect(await (await reopen()).findByAlias('kept')).toEqual(changed);
    });
  });
}

function someTenant(id: string, alias: string): Tenant {
  return {
    id,
    alias,
    name: alias,
    plan: 'builder',
    limits: null,
    ingestion: 'default',
    retentionDays: null,
    authStrategy: 'NONE',
    jwt: null,
    createdAt: 5,
  };
}

async function takeStep(
  store: TenantStore,
  model: Map<string, Tenant>,
  ids: readonly string[],
  step: Step,
  expect: TestRunner['expect'],
): Promise<void> {
  const id = ids[step.slot]!;
  const before = model.get(id);
  if (step.kind === 'create') {
    // An id is made once in a lifetime, so it is never created twice.
    if (before !== undefined) return;
    const tenant: Tenant = { id, alias: step.alias, ...step.fields };
    const free = ![...model.values()].some(({ alias }) => alias === step.alias);
    expect(await store.create(tenant)).toEqual(free);
    if (free) model.set(id, tenant);
  } else if (step.kind === 'update') {
    const after = before && { ...before, ...step.changes };
    expect(await store.update(id, step.changes)).toEqual(after);
    if (after !== undefined) model.set(id, after);
  } else {
    expect(await store.delete(id)).toEqual(model.delete(id));
  }
}
