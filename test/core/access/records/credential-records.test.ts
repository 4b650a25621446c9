import type { Records } from '../../../../src/core/access/records.ts';
import type { Tenant } from '../../../../src/index.ts';
import type { AuditEntry, AdminCredential } from '../../../../src/store-kit.ts';
import { newTenantId } from '../../../conformance/runner.ts';
import { describeRecords } from './fixtures.ts';
import { apiKey } from '../../../support/api-key.ts';

function newPass(changes: Partial<AdminCredential> = {}): AdminCredential {
  const id = newTenantId();
  return {
    ...{ id, kind: 'key', hash: id.replaceAll('-', '').padStart(64, '0'), name: "O'Neil 😀", role: 'viewer' },
    ...{
      tenantIds: null,
      viewedIds: [],
      identity: null,
      invitation: null,
      createdAt: 5,
      expiresAt: null,
      lastUsedAt: null,
      ...changes,
    },
  };
}

function newNote(
  tenantId: string | null,
  changes: Partial<Pick<AuditEntry, 'at' | 'alias' | 'action' | 'credentialId' | 'person'>> = {},
): AuditEntry {
  const details = { name: '"; --', list: [1, null, { a: 'b' }] };
  return {
    ...{ id: newTenantId(), who: 'ada', from: '::1', credentialId: null, person: null, at: 7 },
    ...{ action: 'tenant.set', tenantId, alias: null, details, ...changes },
  };
}

function newTenant(alias = newTenantId()): Tenant {
  return {
    ...{ id: newTenantId(), alias, name: alias, plan: 'scale', limits: null, ingestion: 'default' },
    ...{ authStrategy: 'NONE', jwt: null, createdAt: 5, retentionDays: null },
  };
}

describeRecords('records of credentials', ({ test, expect }) => {
  const all = async ({ admins }: Records, tenantIds: readonly string[] | null) =>
    (await admins.audit({ size: 1000, tenantIds })) ?? [];

  test('a credential is found by its hash, noted as used, and taken once', async ({ store: { admins } }) => {
    const invitation = { by: "O'Hara 😀", credentialId: newTenantId(), until: 800 };
    const credential = newPass({ tenantIds: ['a', 'b'], expiresAt: 900, invitation });
    await admins.create(credential);
    expect(await admins.findByHash(credential.hash)).toEqual(credential);
    await admins.touch(credential.id, 77);
    const used = { ...credential, lastUsedAt: 77 };
    expect(await admins.findByHash(credential.hash)).toEqual(used);
    expect((await admins.list()).filter(({ id }) => id === credential.id)).toEqual([used]);
    const taken = await Promise.all([1, 2, 3].map(() => admins.remove(credential.id)));
    expect(taken.filter((each) => each !== undefined)).toEqual([used]);
    expect(await admins.findByHash(credential.hash)).toEqual(undefined);
    await admins.touch(credential.id, 78);
  });

  test('a session is renewed by one of those who have read the same version', async ({
    store: { admins },
  }) => {
    const identity = {
      ...{ issuer: 'https://id.test', subject: "it's 😀", providerSession: null, refreshToken: 'sealed' },
      ...{ idToken: 'sealed too', refreshAt: 20, holdsUntil: 30, version: 1 },
    };
    const credential = newPass({
      kind: 'session',
      expiresAt: 900,
      identity,
      viewedIds: null,
      tenantIds: ['a'],
    });
    const other = newPass({ kind: 'session', expiresAt: 900, identity });
    for (const each of [credential, other]) await admins.create(each);
    expect(await admins.findByHash(credential.hash)).toEqual(credential);
    const changes = { name: 'new', role: 'admin' as const, tenantIds: null, viewedIds: ['b'] };
    const renewals = [2, 3, 4].map((refreshAt) => ({
      ...changes,
      identity: { ...identity, refreshAt, version: 2 },
    }));
    const renewed = await Promise.all(renewals.map((renewal) => admins.renew(credential.id, 1, renewal)));
    const done = renewed.filter((each) => each !== undefined);
    expect(done.length).toEqual(1);
    const won = renewals[renewed.findIndex((each) => each !== undefined)]!;
    expect(done).toEqual([{ ...credential, ...won }]);
    expect(await admins.findByHash(credential.hash)).toEqual(done[0]);
    expect(await admins.findByHash(other.hash)).toEqual(other);
    expect(await admins.renew(credential.id, 1, renewals[0]!)).toEqual(undefined);
    const plain = newPass();
    await admins.create(plain);
    expect(await admins.renew(plain.id, 1, renewals[0]!)).toEqual(undefined);
    await admins.remove(other.id);
    expect(await admins.renew(other.id, 1, renewals[0]!)).toEqual(undefined);
    // A renewal passed on whole changes what can be renewed only.
    const whole = { ...done[0]!, hash: 'f'.repeat(64), identity: { ...won.identity, version: 3 } };
    expect((await admins.renew(credential.id, 2, whole))?.hash).toEqual(credential.hash);
  });

  test('links and sessions go when they have expired; keys stay', async ({ store: { admins } }) => {
    const old = (['link', 'session', 'key'] as const).map((kind) => newPass({ kind, expiresAt: 50 }));
    for (const credential of old) await admins.create(credential);
    await admins.create(newPass({ kind: 'link', createdAt: 49, expiresAt: 60 }));
    for (const credential of old) expect(await admins.findByHash(credential.hash)).toEqual(credential);
    await admins.create(newPass({ createdAt: 50 }));
    const found = await Promise.all(old.map(({ hash }) => admins.findByHash(hash)));
    expect(found.map((credential) => credential?.kind)).toEqual([undefined, undefined, 'key']);
  });

  test('each change keeps its note, and what changes nothing keeps none', async ({ store }) => {
    const tenant = newTenant();
    const { id } = tenant;
    const by = { credentialId: newTenantId(), person: { issuer: 'https://id.test', subject: "it's 😀" } };
    const notes = [1, 2, 3, 4, 5, 6].map((at) => newNote(id, { at, alias: tenant.alias, ...by }));
    const unmade = newNote(id, { at: 99 });
    const secret = (hash: string) => ({ hash: hash.padStart(64, '0'), createdAt: 5, expiresAt: null });
    const secrets = [secret(newTenantId())];
    const key = apiKey({ id: newTenantId(), tenantId: id, createdAt: 5, secrets });
    expect(await store.tenants.create(tenant, notes[0])).toEqual(true);
    expect(await store.tenants.create({ ...tenant, id: newTenantId() }, unmade)).toEqual(false);
    await store.tenants.update(id, {}, notes[1]);
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
    expect(await all(store, [id])).toEqual(notes.toReversed());
  });

  test('what is good once is used by one, until that matters no more', async ({ store: { admins } }) => {
    const [one, other] = [newTenantId(), newTenantId()];
    const used = await Promise.all([1, 2, 3].map(() => admins.spend(one, 50, 10)));
    expect(used.filter(Boolean).length).toEqual(1);
    expect(await admins.spend(other, 60, 49)).toEqual(true);
    expect(await admins.spend(one, 99, 49)).toEqual(false);
    // The other one is forgotten at the end of its own time only.
    expect(await admins.spend(one, 99, 50)).toEqual(true);
    expect(await admins.spend(other, 99, 59)).toEqual(false);
  });

  test('all of it is there after a restart', async ({ store, reopen }) => {
    if (reopen === undefined) return;
    const credential = newPass();
    const tenantId = newTenantId();
    await store.admins.create(credential, newNote(tenantId));
    await store.admins.spend(credential.id, 50, 10);
    const reopened = await reopen();
    expect(await reopened.admins.findByHash(credential.hash)).toEqual(credential);
    expect(await reopened.admins.spend(credential.id, 50, 10)).toEqual(false);
    expect((await all(reopened, [tenantId])).length).toEqual(1);
  });
});
