import * as fc from 'fast-check';
import type { ApiKey, FilterEntry } from '../../../../src/index.ts';
import { LIVE_KEYS_MAX } from '../../../../src/core/access/key.ts';
import type { Records } from '../../../../src/core/access/records.ts';
import type { KeyRestrictions, KeySecret, Permission } from '../../../../src/store-kit.ts';
import { newTenantId, type TestRunner } from '../../../conformance/runner.ts';
import { addTenant, describeRecords } from './fixtures.ts';

const times = fc.integer({ min: 0, max: 4_102_444_799_999 });
const slots = fc.nat({ max: 4 });
const names = fc.constantFrom('backend', "O'Neil", '日本 😀', '%', '"');
const restrictions = fc.record({
  origins: fc.constantFrom<readonly string[]>(['*'], ['https://shop.example', 'http://[::1]:8080']),
  eventNames: fc.option(fc.array(names, { minLength: 1 })),
  eventsPerMinute: fc.integer({ min: 1, max: 100_000_000 }),
  eventsPerDay: fc.integer({ min: 1, max: 100_000_000 }),
});
const secretKinds = fc.record({
  permissions: fc.constantFrom<readonly Permission[]>(['query'], ['ingest'], ['query', 'ingest']),
  restrictions: fc.constant(null),
  filterSet: fc.constantFrom(null, [
    { property: 'eventName', comparison: 'EQUALS', value: 'a' } as const satisfies FilterEntry,
  ]),
});
const publicKinds = fc.record({
  permissions: fc.constant<readonly Permission[]>(['write']),
  restrictions,
  filterSet: fc.constant(null),
});
const fields: fc.Arbitrary<Fields> = fc
  .record({ name: names, kind: fc.oneof(secretKinds, publicKinds), expiresAt: fc.option(times) })
  .map(({ kind, ...others }) => ({ ...kind, ...others }));

/** One thing done to a key store. Keys are told apart by a slot; two tenants share them. */
type Step =
  | { readonly kind: 'create'; readonly slot: number; readonly tenant: number; readonly fields: Fields }
  | {
      readonly kind: 'addSecret';
      readonly slot: number;
      readonly at: number;
      readonly othersExpireAt: number;
    }
  | { readonly kind: 'restrict'; readonly slot: number; readonly changes: Partial<KeyRestrictions> }
  | { readonly kind: 'revoke'; readonly slot: number; readonly at: number }
  | { readonly kind: 'touch'; readonly slot: number; readonly at: number }
  | { readonly kind: 'erase'; readonly tenant: number };
type Fields = Pick<ApiKey, 'name' | 'permissions' | 'restrictions' | 'filterSet' | 'expiresAt'>;

const restrictionChanges = fc.record(
  {
    origins: fc.constantFrom(['*'], ['https://a.example', 'https://b.example']),
    eventNames: fc.constantFrom(null, ['a'], ['b', 'ü']),
    ...{ eventsPerMinute: fc.nat(), eventsPerDay: fc.nat() },
  },
  { requiredKeys: [] },
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    slot: slots,
    tenant: fc.nat({ max: 1 }),
    fields,
  }),
  fc.record({ kind: fc.constant('addSecret' as const), slot: slots, at: times, othersExpireAt: times }),
  fc.record({ kind: fc.constant('restrict' as const), slot: slots, changes: restrictionChanges }),
  fc.record({ kind: fc.constant('revoke' as const), slot: slots, at: times }),
  fc.record({ kind: fc.constant('touch' as const), slot: slots, at: times }),
  fc.record({ kind: fc.constant('erase' as const), tenant: fc.nat({ max: 1 }) }),
);

/** What a run of steps knows: the keys as they should be, in the order of their creation. */
interface Model {
  readonly keys: Map<string, ApiKey>;
  readonly ids: string[];
  readonly tenants: readonly string[];
  secrets: number;
}

describeRecords('records of keys', ({ test, check, expect }) => {
  test('any steps leave what they would leave in a map', ({ store: records }) =>
    check(fc.array(steps, { maxLength: 30, size: 'max' }), async (todo) => {
      const { keys: store } = records;
      const ids = Array.from({ length: 5 }, newTenantId);
      const tenants = [await addTenant(records), await addTenant(records)];
      const model: Model = { keys: new Map(), ids, tenants, secrets: 0 };
      for (const step of todo) {
        await takeStep(records, model, step, expect);
        // Asked after each step, because a store may remember what it has looked up.
        for (const key of model.keys.values()) {
          expect(await store.findBySecretHash(key.secrets[0]!.hash)).toEqual(key);
        }
      }
      for (const tenantId of tenants) {
        const own = [...model.keys.values()].filter((key) => key.tenantId === tenantId);
        expect(await store.list(tenantId)).toEqual(own);
        // Just before a key expires, when it does, and at other times.
        const moments = [
          0,
          2_000_000_000_000,
          ...own.flatMap(({ expiresAt: at }) => (at ? [at - 1, at] : [])),
        ];
        for (const now of moments) {
          const isLive = ({ permissions, revokedAt, expiresAt }: ApiKey) =>
            permissions.includes('write') && revokedAt === null && (expiresAt ?? Infinity) > now;
          expect(await store.hasLiveWriteKey(tenantId, now)).toEqual(own.some(isLive));
        }
        for (const key of own) {
          for (const { hash } of key.secrets) expect(await store.findBySecretHash(hash)).toEqual(key);
        }
      }
    }));

  test('a tenant has at most 200 live keys, however many are made at once', async ({ store: records }) => {
    const { keys } = records;
    const [tenant, other] = [await addTenant(records), await addTenant(records)];
    const fields = {
      name: 'k',
      permissions: ['query' as const],
      restrictions: null,
      filterSet: null,
      expiresAt: null,
    };
    const make = async (changes: Partial<ApiKey> = {}, of = tenant) => {
      const made = await keys.create({ ...newKey(newTenantId(), of, 50, fields), ...changes });
      return typeof made === 'string' ? made : 'made';
    };
    // Neither what has expired nor what is revoked opens anything.
    await keys.create({ ...newKey(newTenantId(), tenant, 5, fields), expiresAt: 50 });
    for (let i = 3; i < LIVE_KEYS_MAX; i++) await make();
    const made = await Promise.all(Array.from({ length: 6 }, () => make()));
    expect(made.filter((each) => each === 'made').length).toEqual(3);
    expect((await keys.list(tenant)).length).toEqual(LIVE_KEYS_MAX + 1);
    expect(await make({ expiresAt: 90 })).toEqual('full');
    expect(await make({}, other)).toEqual('made');
    expect(await make({}, newTenantId())).toEqual('noTenant');
    const [, live] = await keys.list(tenant);
    await keys.revoke(live!.id, 60);
    expect(await make({ expiresAt: 90 })).toEqual('made');
    expect(await make()).toEqual('full');
  });

  test('of many secrets of a key the newest ten are kept', async ({ store: records }) => {
    const { keys: store } = records;
    const key = newKey(newTenantId(), await addTenant(records), 5, {
      name: 'k',
      permissions: ['query'],
      restrictions: null,
      filterSet: null,
      expiresAt: null,
    });
    await store.create(key);
    const secrets = Array.from({ length: 12 }, (_, i) => newSecret(i, key));
    for (const secret of secrets) await store.addSecret(key.id, secret, 1000);
    const [kept] = await store.list(key.tenantId);
    const hashes = secrets.map(({ hash }) => hash);
    expect(kept!.secrets.map(({ hash }) => hash)).toEqual(hashes.slice(2));
    expect(await store.findBySecretHash(hashes[1]!)).toEqual(undefined);
    expect(await store.findBySecretHash(hashes[2]!)).toEqual(kept);
  });

  test('of changes to one key at once, each field has that of the last', async ({ store: records }) => {
    const restrictions = { origins: ['*'], eventNames: null, eventsPerMinute: 1, eventsPerDay: 2 };
    const fields = {
      name: 'k',
      permissions: ['write' as const],
      restrictions,
      filterSet: null,
      expiresAt: null,
    };
    const { keys: store } = records;
    const key = newKey(newTenantId(), await addTenant(records), 5, fields);
    await store.create(key);
    await Promise.all([
      store.restrict(key.id, { eventsPerMinute: 7 }),
      store.restrict(key.id, { eventNames: ['a'] }),
      store.restrict(key.id, { origins: ['https://a.example'] }),
    ]);
    const [kept] = await store.list(key.tenantId);
    const changed = {
      origins: ['https://a.example'],
      eventNames: ['a'],
      eventsPerMinute: 7,
      eventsPerDay: 2,
    };
    expect(kept!.restrictions).toEqual(changed);
  });

  test('an unknown hash, key or tenant finds nothing', async ({ store: { keys: store } }) => {
    expect(await store.findBySecretHash('f'.repeat(64))).toEqual(undefined);
    expect(await store.findBySecretHash('')).toEqual(undefined);
    expect(await store.revoke(newTenantId(), 5)).toEqual(undefined);
    expect(await store.addSecret(newTenantId(), newSecret(5, undefined), 5)).toEqual(undefined);
    await store.touch(newTenantId(), 5);
    expect(await store.list(newTenantId())).toEqual([]);
  });

  test('keys are there after a restart', async ({ store: records, reopen }) => {
    if (reopen === undefined) return;
    const { keys: store } = records;
    const key = newKey(newTenantId(), await addTenant(records), 5, {
      name: 'k',
      permissions: ['query'],
      restrictions: null,
      filterSet: null,
      expiresAt: 9,
    });
    await store.create(key);
    const revoked = await store.revoke(key.id, 7);
    const reopened = (await reopen()).keys;
    expect(await reopened.list(key.tenantId)).toEqual([{ ...key, revokedAt: 7 }]);
    expect(await reopened.findBySecretHash(key.secrets[0]!.hash)).toEqual(revoked);
  });
});

let hashes = 0;

/** Only the text of a public write key is stored beside its hash. */
function newSecret(createdAt: number, of: Pick<ApiKey, 'restrictions'> | undefined): KeySecret {
  hashes += 1;
  const secret = { hash: hashes.toString(16).padStart(64, '0'), createdAt, expiresAt: null };
  return of?.restrictions ? { ...secret, text: `text ${hashes}` } : secret;
}

function newKey(id: string, tenantId: string, createdAt: number, fields: Fields): ApiKey {
  return {
    id,
    tenantId,
    createdAt,
    revokedAt: null,
    lastUsedAt: null,
    secrets: [newSecret(createdAt, fields)],
    ...fields,
  };
}

async function takeStep(
  records: Records,
  model: Model,
  step: Step,
  expect: TestRunner['expect'],
): Promise<void> {
  const { keys: store } = records;
  if (step.kind === 'erase') {
    const tenantId = model.tenants[step.tenant]!;
    for (const key of [...model.keys.values()]) if (key.tenantId === tenantId) model.keys.delete(key.id);
    return store.erase(tenantId);
  }
  const id = model.ids[step.slot]!;
  const before = model.keys.get(id);
  if (step.kind === 'create') {
    // An id is made once in a lifetime; keys are created one after the other.
    if (before !== undefined) return;
    model.ids[step.slot] = newTenantId();
    const key = newKey(model.ids[step.slot]!, model.tenants[step.tenant]!, (model.secrets += 1), step.fields);
    model.keys.set(key.id, key);
    expect(typeof (await store.create(key))).toEqual('object');
    return;
  }
  if (step.kind === 'touch') {
    if (before !== undefined) model.keys.set(id, { ...before, lastUsedAt: step.at });
    return store.touch(id, step.at);
  }
  if (step.kind === 'restrict') {
    const { restrictions = null, revokedAt = null } = before ?? {};
    const isOpen = before !== undefined && restrictions !== null && revokedAt === null;
    const after = isOpen ? { ...before, restrictions: { ...restrictions, ...step.changes } } : undefined;
    expect(await store.restrict(id, step.changes)).toEqual(after);
    if (after !== undefined) model.keys.set(id, after);
    return;
  }
  if (step.kind === 'revoke') {
    const after = before && { ...before, revokedAt: before.revokedAt ?? step.at };
    expect(await store.revoke(id, step.at)).toEqual(after);
    if (after !== undefined) model.keys.set(id, after);
    return;
  }
  const secret = newSecret(step.at, before);
  const after = before?.revokedAt === null ? withSecret(before, secret, step.othersExpireAt) : undefined;
  expect(await store.addSecret(id, secret, step.othersExpireAt)).toEqual(after);
  if (after !== undefined) model.keys.set(id, after);
}

function withSecret(key: ApiKey, secret: KeySecret, othersExpireAt: number): ApiKey {
  const others = key.secrets.map((other) => ({
    ...other,
    expiresAt: other.expiresAt === null ? othersExpireAt : Math.min(other.expiresAt, othersExpireAt),
  }));
  return { ...key, secrets: [...others, secret].slice(-10) };
}
