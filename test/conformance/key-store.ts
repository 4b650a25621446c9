import * as fc from 'fast-check';
import type { ApiKey } from '../../src/index.ts';
import type { KeyRestrictions, KeySecret, KeyStore, Permission } from '../../src/store-kit.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

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
});
const publicKinds = fc.record({
  permissions: fc.constant<readonly Permission[]>(['write']),
  restrictions,
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
  | { readonly kind: 'erase'; readonly tenant: number; readonly slots: readonly number[] | undefined };
type Fields = Pick<ApiKey, 'name' | 'permissions' | 'restrictions' | 'expiresAt'>;

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
  fc.record({
    kind: fc.constant('erase' as const),
    tenant: fc.nat({ max: 1 }),
    slots: fc.option(fc.array(slots, { maxLength: 3 }), { nil: undefined }),
  }),
);

/** What a run of steps knows: the keys as they should be, in the order of their creation. */
interface Model {
  readonly keys: Map<string, ApiKey>;
  readonly ids: string[];
  readonly tenants: readonly string[];
  secrets: number;
}

/** Proves that a key store does what a plain map of keys would do. */
export function testKeyStore(
  name: string,
  create: CreateFixture<KeyStore>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`key store: ${name}`, create, runner, options, ({ test, check, expect }) => {
    test('any steps leave what they would leave in a map', ({ store }) =>
      check(fc.array(steps, { maxLength: 30, size: 'max' }), async (todo) => {
        const ids = Array.from({ length: 5 }, newTenantId);
        const tenants = [newTenantId(), newTenantId()];
        const model: Model = { keys: new Map(), ids, tenants, secrets: 0 };
        for (const step of todo) {
          await takeStep(store, model, step, expect);
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
            for (const asked of ['query', 'ingest', 'write'] as const) {
              const isLive = ({ permissions, revokedAt, expiresAt }: ApiKey) =>
                permissions.includes(asked) && revokedAt === null && (expiresAt ?? Infinity) > now;
              expect(await store.hasLive(tenantId, asked, now)).toEqual(own.some(isLive));
            }
          }
          for (const key of own) {
            for (const { hash } of key.secrets) expect(await store.findBySecretHash(hash)).toEqual(key);
          }
        }
      }));

    test('a tenant has no more live keys than may be, however many are made at once', async ({ store }) => {
      const [tenant, other] = [newTenantId(), newTenantId()];
      const fields = { name: 'k', permissions: ['query' as const], restrictions: null, expiresAt: null };
      const make = (changes: Partial<ApiKey> = {}, of = tenant) =>
        store.create({ ...newKey(newTenantId(), of, 50, fields), ...changes }, undefined, 3);
      // Neither what has expired nor what is revoked opens anything.
      await store.create({ ...newKey(newTenantId(), tenant, 5, fields), expiresAt: 50 });
      const [first] = await store.list(tenant);
      const made = await Promise.all(Array.from({ length: 6 }, () => make()));
      expect(made.filter(Boolean).length).toEqual(3);
      expect((await store.list(tenant)).length).toEqual(4);
      expect(await make({ expiresAt: 90 })).toEqual(false);
      expect(await make({}, other)).toEqual(true);
      const live = (await store.list(tenant)).find(({ id }) => id !== first!.id);
      await store.revoke(live!.id, 60);
      expect(await make({ expiresAt: 90 })).toEqual(true);
      expect(await make()).toEqual(false);
    });

    test('of many secrets of a key the newest ten are kept', async ({ store }) => {
      const key = newKey(newTenantId(), newTenantId(), 5, {
        name: 'k',
        permissions: ['query'],
        restrictions: null,
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

    test('of changes to one key at once, each field has that of the last', async ({ store }) => {
      const restrictions = { origins: ['*'], eventNames: null, eventsPerMinute: 1, eventsPerDay: 2 };
      const fields = { name: 'k', permissions: ['write' as const], restrictions, expiresAt: null };
      const key = newKey(newTenantId(), newTenantId(), 5, fields);
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

    test('an unknown hash, key or tenant finds nothing', async ({ store }) => {
      expect(await store.findBySecretHash('f'.repeat(64))).toEqual(undefined);
      expect(await store.findBySecretHash('')).toEqual(undefined);
      expect(await store.revoke(newTenantId(), 5)).toEqual(undefined);
      expect(await store.addSecret(newTenantId(), newSecret(5, undefined), 5)).toEqual(undefined);
      await store.touch(newTenantId(), 5);
      expect(await store.list(newTenantId())).toEqual([]);
    });

    test('keys are there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const key = newKey(newTenantId(), newTenantId(), 5, {
        name: 'k',
        permissions: ['query'],
        restrictions: null,
        expiresAt: 9,
      });
      await store.create(key);
      const revoked = await store.revoke(key.id, 7);
      const reopened = await reopen();
      expect(await reopened.list(key.tenantId)).toEqual([{ ...key, revokedAt: 7 }]);
      expect(await reopened.findBySecretHash(key.secrets[0]!.hash)).toEqual(revoked);
    });
  });
}

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
  store: KeyStore,
  model: Model,
  step: Step,
  expect: TestRunner['expect'],
): Promise<void> {
  if (step.kind === 'erase') {
    const tenantId = model.tenants[step.tenant]!;
    const ids = step.slots?.map((slot) => model.ids[slot]!);
    for (const key of [...model.keys.values()]) {
      if (key.tenantId === tenantId && ids?.includes(key.id) !== false) model.keys.delete(key.id);
    }
    return store.erase(tenantId, ids);
  }
  const id = model.ids[step.slot]!;
  const before = model.keys.get(id);
  if (step.kind === 'create') {
    // An id is made once in a lifetime; keys are created one after the other.
    if (before !== undefined) return;
    model.ids[step.slot] = newTenantId();
    const key = newKey(model.ids[step.slot]!, model.tenants[step.tenant]!, (model.secrets += 1), step.fields);
    model.keys.set(key.id, key);
    expect(await store.create(key)).toEqual(true);
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
