import type { AdminStore, AuditEntry, SavedView, ViewStore } from '../../src/store-kit.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

/** A store of saved views, with the audit log that it writes to. */
export interface ViewsWithAudit {
  /** The store under test. */
  readonly views: ViewStore;
  /** Where it notes changes. */
  readonly admins: AdminStore;
}

const MAX = 1000;

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

/** Proves that saved views are kept by name, bounded, and noted with each change that was made. */
export function testViewStore(
  name: string,
  create: CreateFixture<ViewsWithAudit>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`view store: ${name}`, create, runner, options, ({ test, expect }) => {
    test('views of a tenant and of a person are listed by name, and nobody else’s', async ({ store }) => {
      const [tenantId, other, owner] = [newTenantId(), newTenantId(), newTenantId()];
      const kept = [
        newView(tenantId, { name: 'B' }),
        newView(tenantId, { name: 'a' }),
        newView(tenantId, { name: 'a', owner }),
        newView(tenantId, { name: '😀' }),
        newView(tenantId, { name: '\uffff', owner }),
      ];
      for (const view of kept.toReversed()) expect(await store.views.create(view, MAX)).toEqual('created');
      await store.views.create(newView(other, { owner }), MAX);
      await store.views.create(newView(tenantId, { owner: newTenantId() }), MAX);
      const [b, a, own, smile, last] = kept;
      expect(await store.views.list(tenantId, owner)).toEqual([b, a, own, last, smile]);
      expect(await store.views.list(tenantId, newTenantId())).toEqual([b, a, smile]);
      expect(await store.views.list(newTenantId(), owner)).toEqual([]);
    });

    test('a name is given once in its scope, however many ask at once', async ({ store: { views } }) => {
      const [tenantId, owner] = [newTenantId(), newTenantId()];
      const made = await Promise.all([1, 2, 3].map(() => views.create(newView(tenantId), MAX)));
      expect([...made].sort()).toEqual(['created', 'taken', 'taken']);
      expect(await views.create(newView(tenantId, { owner }), MAX)).toEqual('created');
      expect(await views.create(newView(newTenantId(), { owner }), MAX)).toEqual('created');
      const second = newView(tenantId, { name: 'second' });
      await views.create(second, MAX);
      expect(await views.change(second.id, { name: "it's 😀", changedAt: 9 })).toEqual('taken');
      expect(await views.change(second.id, { name: 'second', changedAt: 9 })).toEqual({
        ...second,
        changedAt: 9,
      });
    });

    test('of a tenant and of a person there are at most as many as said', async ({ store: { views } }) => {
      const [tenantId, owner] = [newTenantId(), newTenantId()];
      const names = ['a', 'b', 'c', 'd', 'e'];
      const shared = names.map((each) => views.create(newView(tenantId, { name: each }), 3));
      expect((await Promise.all(shared)).filter((each) => each === 'created').length).toEqual(3);
      // Views of a person count for all tenants together, and not for their tenant.
      const own = names.map((each, i) =>
        views.create(newView(i % 2 === 0 ? tenantId : newTenantId(), { name: each, owner }), 2),
      );
      expect((await Promise.all(own)).filter((each) => each === 'created').length).toEqual(2);
      const [first] = await views.list(tenantId, newTenantId());
      await views.remove(first!.id);
      expect(await views.create(newView(tenantId, { name: 'f' }), 3)).toEqual('created');
      expect(await views.create(newView(tenantId, { name: 'g' }), 3)).toEqual('full');
    });

    test('what changes is noted, and what changes nothing is not', async ({ store: { views, admins } }) => {
      const tenantId = newTenantId();
      const view = newView(tenantId);
      const notes = (['view.create', 'view.set', 'view.delete'] as const).map((each) =>
        newNote(tenantId, each),
      );
      const unmade = newNote(tenantId, 'view.set');
      await views.create(view, MAX, notes[0]);
      expect(await views.create(newView(tenantId), MAX, unmade)).toEqual('taken');
      expect(await views.create(newView(tenantId, { name: 'b' }), 1, unmade)).toEqual('full');
      const after = { ...view, question: 'event=b', changedAt: 9 };
      expect(await views.change(view.id, { question: 'event=b', changedAt: 9 }, notes[1])).toEqual(after);
      expect(await views.list(tenantId, '-')).toEqual([after]);
      expect(await views.remove(view.id, notes[2])).toEqual(true);
      expect(await views.remove(view.id, unmade)).toEqual(false);
      expect(await views.change(view.id, { changedAt: 10 }, unmade)).toEqual(undefined);
      expect(await admins.audit({ size: 10, tenantIds: [tenantId] })).toEqual(notes.toReversed());
    });

    test('a tenant’s views go with it, those of people too, and no others', async ({ store: { views } }) => {
      const [tenantId, other, owner] = [newTenantId(), newTenantId(), newTenantId()];
      for (const each of [tenantId, other]) {
        await views.create(newView(each), MAX);
        await views.create(newView(each, { owner }), MAX);
      }
      await views.erase(tenantId);
      expect(await views.list(tenantId, owner)).toEqual([]);
      expect((await views.list(other, owner)).length).toEqual(2);
    });

    test('all of it is there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const tenantId = newTenantId();
      const view = newView(tenantId);
      await store.views.create(view, MAX);
      expect(await (await reopen()).views.list(tenantId, '-')).toEqual([view]);
    });
  });
}
