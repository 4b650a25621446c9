import { OWN_VIEWS_MAX, TENANT_VIEWS_MAX, type SavedView } from '../../../../src/core/access/saved-view.ts';
import type { AuditEntry } from '../../../../src/store-kit.ts';
import { newTenantId } from '../../../conformance/runner.ts';
import { addTenant, describeRecords } from './fixtures.ts';

function newView(tenantId: string, changes: Partial<SavedView> = {}): SavedView {
  return {
    ...{ id: newTenantId(), tenantId, owner: null, name: "it's 😀", question: 'filter=%5B%5D&by=a' },
    ...{ by: '"; --', createdAt: 5, changedAt: 5, ...changes },
  };
}

function newNote(tenantId: string, action: AuditEntry['action']): AuditEntry {
  return {
    ...{ id: newTenantId(), who: 'ada', from: '::1', credentialId: null, person: null, at: 7 },
    ...{ action, tenantId, alias: 'a', details: {} },
  };
}

describeRecords('records of saved views', ({ test, expect }) => {
  test('views of a tenant and of a person are listed by name, and nobody else’s', async ({
    store: records,
  }) => {
    const [tenantId, other] = [await addTenant(records), await addTenant(records)];
    const owner = newTenantId();
    const kept = [
      newView(tenantId, { name: 'B' }),
      newView(tenantId, { name: 'a' }),
      newView(tenantId, { name: 'a', owner }),
      newView(tenantId, { name: '😀' }),
      newView(tenantId, { name: '\uffff', owner }),
    ];
    for (const view of kept.toReversed()) expect(await records.views.create(view)).toEqual('created');
    await records.views.create(newView(other, { owner }));
    await records.views.create(newView(tenantId, { owner: newTenantId() }));
    const [b, a, own, smile, last] = kept;
    expect(await records.views.list(tenantId, owner)).toEqual([b, a, own, last, smile]);
    expect(await records.views.list(tenantId, newTenantId())).toEqual([b, a, smile]);
    expect(await records.views.list(newTenantId(), owner)).toEqual([]);
  });

  test('a name is given once in its scope, however many ask at once', async ({ store: records }) => {
    const [tenantId, owner] = [await addTenant(records), newTenantId()];
    const made = await Promise.all([1, 2, 3].map(() => records.views.create(newView(tenantId))));
    expect([...made].sort()).toEqual(['created', 'taken', 'taken']);
    expect(await records.views.create(newView(tenantId, { owner }))).toEqual('created');
    expect(await records.views.create(newView(await addTenant(records), { owner }))).toEqual('created');
    expect(await records.views.create(newView(newTenantId(), { owner }))).toEqual('noTenant');
    const second = newView(tenantId, { name: 'second' });
    await records.views.create(second);
    expect(await records.views.change(second.id, { name: "it's 😀", changedAt: 9 })).toEqual('taken');
    expect(await records.views.change(second.id, { name: 'second', changedAt: 9 })).toEqual({
      ...second,
      changedAt: 9,
    });
  });

  test('of a tenant and of a person there are at most as many as said', async ({ store: records }) => {
    const [tenantId, owner] = [await addTenant(records), newTenantId()];
    const other = await addTenant(records);
    // All but two of those that there may be, then five at once.
    for (let i = 2; i < TENANT_VIEWS_MAX; i++)
      await records.views.create(newView(tenantId, { name: `${i}` }));
    for (let i = 2; i < OWN_VIEWS_MAX; i++)
      await records.views.create(newView(other, { name: `${i}`, owner }));
    const names = ['a', 'b', 'c', 'd', 'e'];
    const shared = names.map((name) => records.views.create(newView(tenantId, { name })));
    expect((await Promise.all(shared)).filter((each) => each === 'created').length).toEqual(2);
    // Views of a person count for all tenants together, and not for their tenant.
    const own = names.map((name, i) =>
      records.views.create(newView(i % 2 === 0 ? tenantId : other, { name, owner })),
    );
    expect((await Promise.all(own)).filter((each) => each === 'created').length).toEqual(2);
    const [first] = await records.views.list(tenantId, newTenantId());
    await records.views.remove(first!.id);
    expect(await records.views.create(newView(tenantId, { name: 'f' }))).toEqual('created');
    expect(await records.views.create(newView(tenantId, { name: 'g' }))).toEqual('full');
  });

  test('what changes is noted, and what changes nothing is not', async ({ store: records }) => {
    const tenantId = await addTenant(records);
    const view = newView(tenantId);
    const notes = (['view.create', 'view.set', 'view.delete'] as const).map((each) =>
      newNote(tenantId, each),
    );
    const unmade = newNote(tenantId, 'view.set');
    await records.views.create(view, notes[0]);
    expect(await records.views.create(newView(tenantId), unmade)).toEqual('taken');
    const after = { ...view, question: 'event=b', changedAt: 9 };
    expect(await records.views.change(view.id, { question: 'event=b', changedAt: 9 }, notes[1])).toEqual(
      after,
    );
    expect(await records.views.list(tenantId, '-')).toEqual([after]);
    expect(await records.views.remove(view.id, notes[2])).toEqual(true);
    expect(await records.views.remove(view.id, unmade)).toEqual(false);
    expect(await records.views.change(view.id, { changedAt: 10 }, unmade)).toEqual(undefined);
    expect(await records.admins.audit({ size: 10, tenantIds: [tenantId] })).toEqual(notes.toReversed());
  });

  test('a tenant’s views go with it, those of people too, and no others', async ({ store: records }) => {
    const [tenantId, other] = [await addTenant(records), await addTenant(records)];
    const owner = newTenantId();
    for (const each of [tenantId, other]) {
      await records.views.create(newView(each));
      await records.views.create(newView(each, { owner }));
    }
    await records.tenants.delete(tenantId);
    await addTenant(records, tenantId);
    expect(await records.views.list(tenantId, owner)).toEqual([]);
    expect((await records.views.list(other, owner)).length).toEqual(2);
  });

  test('all of it is there after a restart', async ({ store: records, reopen }) => {
    if (reopen === undefined) return;
    const tenantId = await addTenant(records);
    const view = newView(tenantId);
    await records.views.create(view);
    expect(await (await reopen()).views.list(tenantId, '-')).toEqual([view]);
  });
});
