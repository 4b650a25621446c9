import type { AdminStore, AuditNote, Pass, Stores, Tenant } from '../../src/index.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

/** The stores that keep notes with what they change. */
export type Noting = Pick<Stores, 'tenants' | 'keys'> & {
  /** The store that keeps the notes of changes to the others. */
  readonly admins: AdminStore;
};

function newPass(changes: Partial<Pass> = {}): Pass {
  const id = newTenantId();
  return {
    ...{ id, kind: 'key', hash: id.replaceAll('-', '').padStart(64, '0'), name: "O'Neil 😀", role: 'viewer' },
    ...{
      tenantIds: null,
      viewedIds: [],
      identity: null,
      createdAt: 5,
      expiresAt: null,
      lastUsedAt: null,
      ...changes,
    },
  };
}

function newNote(tenantId: string | null, changes: Partial<AuditNote> = {}): AuditNote {
  const details = { name: '"; --', list: [1, null, { a: 'b' }] };
  return { who: 'ada', from: '::1', at: 7, action: 'tenant.set', tenantId, alias: null, details, ...changes };
}

function newTenant(alias = newTenantId()): Tenant {
  return {
    ...{ id: newTenantId(), alias, name: alias, plan: 'scale', limits: null, ingestion: 'default' },
    ...{ authStrategy: 'NONE', jwt: null, createdAt: 5, retentionDays: null },
  };
}

/** Proves that passes are kept, and a note with each change that was made, and with none that was not. */
export function testAdminStore(
  name: string,
  create: CreateFixture<Noting>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`admin store: ${name}`, create, runner, options, ({ test, expect }) => {
    const all = ({ admins }: Noting, tenantIds: readonly string[] | null) =>
      admins.audit({ size: 1000, tenantIds });

    test('a pass is found by its hash, noted as used, and taken once', async ({ store: { admins } }) => {
      const pass = newPass({ tenantIds: ['a', 'b'], expiresAt: 900 });
      await admins.create(pass);
      expect(await admins.findByHash(pass.hash)).toEqual(pass);
      await admins.touch(pass.id, 77);
      const used = { ...pass, lastUsedAt: 77 };
      expect(await admins.findByHash(pass.hash)).toEqual(used);
      expect((await admins.list()).filter(({ id }) => id === pass.id)).toEqual([used]);
      const taken = await Promise.all([1, 2, 3].map(() => admins.remove(pass.id)));
      expect(taken.filter((each) => each !== undefined)).toEqual([used]);
      expect(await admins.findByHash(pass.hash)).toEqual(undefined);
      await admins.touch(pass.id, 78);
    });

    test('a session is renewed by one of those who have read the same version', async ({
      store: { admins },
    }) => {
      const identity = {
        ...{ issuer: 'https://id.test', subject: "it's 😀", providerSession: null, refreshToken: 'sealed' },
        ...{ idToken: 'sealed too', refreshAt: 20, holdsUntil: 30, version: 1 },
      };
      const pass = newPass({ kind: 'session', expiresAt: 900, identity, viewedIds: null, tenantIds: ['a'] });
      const other = newPass({ kind: 'session', expiresAt: 900, identity });
      for (const each of [pass, other]) await admins.create(each);
      expect(await admins.findByHash(pass.hash)).toEqual(pass);
      const changes = { name: 'new', role: 'admin' as const, tenantIds: null, viewedIds: ['b'] };
      const renewals = [2, 3, 4].map((refreshAt) => ({
        ...changes,
        identity: { ...identity, refreshAt, version: 2 },
      }));
      const renewed = await Promise.all(renewals.map((renewal) => admins.renew(pass.id, 1, renewal)));
      const done = renewed.filter((each) => each !== undefined);
      expect(done.length).toEqual(1);
      const won = renewals[renewed.findIndex((each) => each !== undefined)]!;
      expect(done).toEqual([{ ...pass, ...won }]);
      expect(await admins.findByHash(pass.hash)).toEqual(done[0]);
      expect(await admins.findByHash(other.hash)).toEqual(other);
      expect(await admins.renew(pass.id, 1, renewals[0]!)).toEqual(undefined);
      const plain = newPass();
      await admins.create(plain);
      expect(await admins.renew(plain.id, 1, renewals[0]!)).toEqual(undefined);
      await admins.remove(other.id);
      expect(await admins.renew(other.id, 1, renewals[0]!)).toEqual(undefined);
      // A renewal passed on whole changes what can be renewed only.
      const whole = { ...done[0]!, hash: 'f'.repeat(64), identity: { ...won.identity, version: 3 } };
      expect((await admins.renew(pass.id, 2, whole))?.hash).toEqual(pass.hash);
    });

    test('links and sessions go when they have expired; keys stay', async ({ store: { admins } }) => {
      const old = (['link', 'session', 'key'] as const).map((kind) => newPass({ kind, expiresAt: 50 }));
      for (const pass of old) await admins.create(pass);
      await admins.create(newPass({ kind: 'link', createdAt: 49, expiresAt: 60 }));
      for (const pass of old) expect(await admins.findByHash(pass.hash)).toEqual(pass);
      await admins.create(newPass({ createdAt: 50 }));
      const found = await Promise.all(old.map(({ hash }) => admins.findByHash(hash)));
      expect(found.map((pass) => pass?.kind)).toEqual([undefined, undefined, 'key']);
    });

    test('each change keeps its note, and what changes nothing keeps none', async ({ store }) => {
      const tenant = newTenant();
      const { id } = tenant;
      const notes = [1, 2, 3, 4, 5, 6].map((at) => newNote(id, { at, alias: tenant.alias }));
      const unmade = newNote(id, { at: 99 });
      const secret = (hash: string) => ({ hash: hash.padStart(64, '0'), createdAt: 5, expiresAt: null });
      const key = {
        ...{ id: newTenantId(), tenantId: id, name: 'k', permissions: ['query' as const], createdAt: 5 },
        ...{ expiresAt: null, revokedAt: null, lastUsedAt: null, secrets: [secret(newTenantId())] },
      };
      expect(await store.tenants.create(tenant, notes[0])).toEqual(true);
      expect(await store.tenants.create({ ...tenant, id: newTenantId() }, unmade)).toEqual(false);
      await store.tenants.update(id, { name: 'other' }, notes[1]);
      expect(await store.tenants.update(newTenantId(), { name: 'other' }, unmade)).toEqual(undefined);
      await store.keys.create(key, notes[2]);
      await store.keys.addSecret(key.id, secret(newTenantId()), 50, notes[3]);
      await store.keys.revoke(key.id, 60, notes[4]);
      expect((await store.keys.revoke(key.id, 61, unmade))?.revokedAt).toEqual(60);
      expect(await store.keys.addSecret(key.id, secret(newTenantId()), 50, unmade)).toEqual(undefined);
      expect(await store.keys.revoke(newTenantId(), 61, unmade)).toEqual(undefined);
      expect(await store.tenants.delete(id, notes[5])).toEqual(true);
      expect(await store.tenants.delete(id, unmade)).toEqual(false);
      expect(await store.admins.remove(newTenantId(), unmade)).toEqual(undefined);
      const kept = await all(store, [id]);
      const numbers = kept.map(({ number }) => number);
      expect(kept).toEqual(notes.toReversed().map((note, i) => ({ ...note, number: numbers[i] })));
    });

    test('notes come newest first, page by page, and for some tenants only theirs', async ({ store }) => {
      const mine = newTenantId();
      for (let at = 0; at < 7; at++) {
        const tenantId = at % 2 === 0 ? mine : null;
        await store.admins.create(newPass(), newNote(tenantId, { at, action: 'pass.create' }));
      }
      const pages: number[] = [];
      let before: number | undefined;
      for (;;) {
        const page = await store.admins.audit({ before, size: 3, tenantIds: [mine] });
        pages.push(...page.map(({ at }) => at));
        if (page.length < 3) break;
        before = page.at(-1)!.number;
      }
      expect(pages).toEqual([6, 4, 2, 0]);
      expect(await all(store, [])).toEqual([]);
      expect((await all(store, null)).slice(0, 7).map(({ at }) => at)).toEqual([6, 5, 4, 3, 2, 1, 0]);
    });

    test('all of it is there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const pass = newPass();
      const tenantId = newTenantId();
      await store.admins.create(pass, newNote(tenantId));
      const reopened = await reopen();
      expect(await reopened.admins.findByHash(pass.hash)).toEqual(pass);
      expect((await all(reopened, [tenantId])).length).toEqual(1);
    });
  });
}
