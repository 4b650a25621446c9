import * as fc from 'fast-check';
import { DEFAULT_INGESTION } from '../../../../src/core/access/plan.ts';
import { compareCodePoints } from '../../../../src/core/event/text.ts';
import type { Tenant, TenantChanges } from '../../../../src/index.ts';
import type { TenantRecords } from '../../../../src/core/access/tenant-records.ts';
import type { ConfigChange } from '../../../../src/core/access/remote-config.ts';
import type { ConfigEntry, PlanChoice } from '../../../../src/store-kit.ts';
import { newTenantId, type TestRunner } from '../../../conformance/runner.ts';
import { describeRecords } from './fixtures.ts';

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
  | { readonly kind: 'config'; readonly slot: number; readonly change: ConfigChange }
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
  fc.record({
    kind: fc.constant('config' as const),
    slot: slots,
    change: fc.record({
      // `a-b`, `a0` and `a_b` order differently by locale than by code point.
      key: fc.constantFrom('a', 'a-b', 'a_b', 'a0', 'A', 'constructor', '0', '10'),
      value: fc.constantFrom(null, 'on', "O'Neil", '日本 😀', '"\\\n', '{"a":[1]}', 'é'.repeat(4096)),
    }),
  }),
  fc.record({ kind: fc.constant('delete' as const), slot: slots }),
);

describeRecords('records of tenants', ({ test, check, expect }) => {
  test('any steps leave what they would leave in a map', ({ store: { tenants: store } }) =>
    check(fc.array(steps, { maxLength: 30, size: 'max' }), async (todo) => {
      const model = new Map<string, Tenant>();
      const configs = new Map<string, ReadonlyMap<string, string>>();
      const ids = Array.from({ length: 6 }, newTenantId);
      for (const step of todo) {
        await takeStep(store, { tenants: model, configs }, ids, step, expect);
        // Asked after each step, because a store may remember what it has looked up.
        const id = ids[step.slot]!;
        expect(await store.findById(id)).toEqual(model.get(id));
        expect(await store.remoteConfig(id)).toEqual(toEntries(configs.get(id)));
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
        expect(await store.remoteConfig(tenant.id)).toEqual(toEntries(configs.get(tenant.id)));
        await store.delete(tenant.id);
        expect(await store.remoteConfig(tenant.id)).toEqual([]);
      }
      expect(await store.list()).toEqual([]);
    }));

  test('of two tenants that take an alias at once, one gets it', async ({ store: { tenants: store } }) => {
    const [first, second] = [newTenantId(), newTenantId()].map((id) => someTenant(id, 'wanted'));
    const created = await Promise.all([first, second].map((tenant) => store.create(tenant!)));
    expect(created.filter(Boolean).length).toEqual(1);
    expect((await store.list()).length).toEqual(1);
  });

  test('an alias is matched to the letter', async ({ store: { tenants: store } }) => {
    await store.create(someTenant(newTenantId(), 'shop'));
    for (const alias of ['Shop', 'SHOP', 'shop ', ' shop', 'sho_', 'sho%', '', "shop'"]) {
      expect(await store.findByAlias(alias)).toEqual(undefined);
    }
  });

  test('of changes to a remote config at once none is lost', async ({ store: { tenants: store } }) => {
    const { id } = await createdTenant(store, 'busy');
    const keys = Array.from({ length: 20 }, (_, i) => `key-${i + 10}`);
    await Promise.all(keys.map((key) => store.changeRemoteConfig(id, { key, value: key })));
    expect(await store.remoteConfig(id)).toEqual(keys.map((key) => ({ key, value: key })));
    expect(await store.findById(id)).toEqual(someTenant(id, 'busy'));
  });

  test('a remote config has room for 200 keys, however many ask for the last at once', async ({
    store: { tenants: store },
  }) => {
    const { id } = await createdTenant(store, 'many');
    const keys = Array.from({ length: 199 }, (_, i) => `key-${i + 100}`);
    for (const key of keys) await store.changeRemoteConfig(id, { key, value: 'x' });
    const last = ['l1', 'l2', 'l3'].map((key) => store.changeRemoteConfig(id, { key, value: 'x' }));
    expect((await Promise.all(last)).filter((each) => each === 'full').length).toEqual(2);
    expect((await store.remoteConfig(id)).length).toEqual(200);
    // What is there can still be changed and removed.
    expect((await store.changeRemoteConfig(id, { key: 'key-100', value: 'y' }))?.length).toEqual(200);
    expect((await store.changeRemoteConfig(id, { key: 'key-100', value: null }))?.length).toEqual(199);
  });

  test('a remote config has room for 64 KiB in UTF-8', async ({ store: { tenants: store } }) => {
    const { id } = await createdTenant(store, 'large');
    // Each key with its value has 8,192 bytes, so eight of them fill it.
    const value = `${'é'.repeat(4095)}a`;
    for (let i = 0; i < 8; i++) {
      const after = await store.changeRemoteConfig(id, { key: `${i}`, value });
      expect(after?.length).toEqual(i + 1);
    }
    expect(await store.changeRemoteConfig(id, { key: 'k', value: 'v' })).toEqual('full');
    expect(await store.changeRemoteConfig(id, { key: '0', value: `${value}a` })).toEqual('full');
    expect((await store.remoteConfig(id)).length).toEqual(8);
    expect((await store.changeRemoteConfig(id, { key: '0', value: 'short' }))?.length).toEqual(8);
    expect((await store.changeRemoteConfig(id, { key: 'k', value: 'v' }))?.length).toEqual(9);
  });

  test('a remote config is there after a restart', async ({ store: { tenants: store }, reopen }) => {
    if (reopen === undefined) return;
    const { id } = await createdTenant(store, 'kept');
    await store.changeRemoteConfig(id, { key: 'color', value: 'blue' });
    expect(await (await reopen()).tenants.remoteConfig(id)).toEqual([{ key: 'color', value: 'blue' }]);
  });

  test('tenants are there after a restart', async ({ store: { tenants: store }, reopen }) => {
    if (reopen === undefined) return;
    const tenant = someTenant(newTenantId(), 'kept');
    await store.create(tenant);
    const changed = await store.update(tenant.id, { plan: 'scale' });
    expect(changed).toEqual({ ...tenant, plan: 'scale' });
    expect(await (await reopen()).tenants.findByAlias('kept')).toEqual(changed);
  });
});

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

async function createdTenant(store: TenantRecords, alias: string): Promise<Tenant> {
  const tenant = someTenant(newTenantId(), alias);
  await store.create(tenant);
  return tenant;
}

/** What a remote config is expected to hold. */
function toEntries(config: ReadonlyMap<string, string> = new Map()): ConfigEntry[] {
  const keys = [...config.keys()].sort(compareCodePoints);
  return keys.map((key) => ({ key, value: config.get(key)! }));
}

interface Model {
  readonly tenants: Map<string, Tenant>;
  readonly configs: Map<string, ReadonlyMap<string, string>>;
}

async function takeStep(
  store: TenantRecords,
  { tenants: model, configs }: Model,
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
  } else if (step.kind === 'config') {
    const { key, value } = step.change;
    const after = new Map(configs.get(id));
    if (value === null) after.delete(key);
    else after.set(key, value);
    const expected = before === undefined ? undefined : toEntries(after);
    expect(await store.changeRemoteConfig(id, step.change)).toEqual(expected);
    if (before !== undefined) configs.set(id, after);
  } else {
    expect(await store.delete(id)).toEqual(model.delete(id));
    configs.delete(id);
  }
}
