import * as fc from 'fast-check';
import {
  compareCodePoints,
  type AuditEntry,
  type ControlChange,
  type ControlStore,
  type StoredDocument,
} from '../../src/store-kit.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

/** What one document of a random change is; tenants, ids and names are told apart by small numbers. */
interface Part {
  readonly isPut: boolean;
  readonly kind: 'tenant' | 'key' | 'view';
  readonly slot: number;
  readonly tenant: number | null;
  readonly group: string;
  readonly place: string;
  readonly names: readonly number[];
  readonly text: string;
  /** How far the version is from the one that is stored: most changes know it. */
  readonly off: number;
}

const texts = fc.constantFrom('', 'a', 'Z', "O'Neil", '日本', '\uffff', '😀', '%', '"; --', 'a b');
const parts: fc.Arbitrary<Part> = fc.record({
  isPut: fc.constantFrom(true, true, false),
  kind: fc.constantFrom('tenant', 'key', 'view'),
  slot: fc.nat({ max: 3 }),
  tenant: fc.option(fc.nat({ max: 3 })),
  group: fc.constantFrom('', 'g', 'G'),
  place: texts,
  names: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 3 }),
  text: texts,
  off: fc.constantFrom(0, 0, 0, 0, 0, 1, -1),
});
const partOf = ({ kind, slot }: Part) => `${kind} ${slot}`;
const changes = fc.uniqueArray(parts, { minLength: 1, maxLength: 4, selector: partOf });

const keyOf = ({ kind, id }: Pick<StoredDocument, 'kind' | 'id'>) => `${kind} ${id}`;

/** The documents after a change; undefined where it must not be made. */
function expectedAfter(
  before: ReadonlyMap<string, StoredDocument>,
  { puts = [], removes = [] }: ControlChange,
): Map<string, StoredDocument> | undefined {
  const after = new Map(before);
  if (removes.some((each) => before.get(keyOf(each))?.version !== each.version)) return undefined;
  for (const document of removes) {
    after.delete(keyOf(document));
    if (document.kind === 'tenant')
      for (const [key, { tenantId }] of after) if (tenantId === document.id) after.delete(key);
  }
  for (const document of puts) {
    if ((after.get(keyOf(document))?.version ?? 0) !== document.version) return undefined;
    after.set(keyOf(document), { ...document, version: document.version + 1 });
  }
  const names = [...after.values()].flatMap((each) => each.names.map((name) => `${each.kind} ${name}`));
  if (new Set(names).size < names.length) return undefined;
  const isOwned = ({ tenantId }: StoredDocument) => tenantId === null || after.has(`tenant ${tenantId}`);
  return puts.every(isOwned) ? after : undefined;
}

function newEntry(tenantId: string | null, at = 7): AuditEntry {
  const details = { name: '"; --', list: [1, null, { a: '😀' }] };
  return {
    ...{ id: newTenantId(), who: "O'Neil", from: '::1', credentialId: null, person: null, at },
    ...{ action: 'tenant.set', tenantId, alias: null, details },
  };
}

function newDocument(changed: Partial<StoredDocument> = {}): StoredDocument {
  const id = changed.id ?? newTenantId();
  const plain = { kind: 'key', id, tenantId: null, group: '', place: '', names: [id], version: 0 };
  return { ...plain, value: { id, text: "it's 😀", list: [1.5, null, { a: [] }] }, ...changed };
}

const stored = (document: StoredDocument, version = 1) => ({ ...document, version });

/** Proves that a control store keeps documents as a map would, and makes each change as a whole or not. */
export function testControlStore(
  name: string,
  create: CreateFixture<ControlStore>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`control store: ${name}`, create, runner, options, ({ test, check, expect }) => {
    const entriesOf = async (store: ControlStore, tenantIds: readonly string[] | null) =>
      (await store.audit({ size: 1000, tenantIds })) ?? [];

    test('any changes leave what they would leave in a map', ({ store }) =>
      check(fc.array(changes, { maxLength: 20, size: 'max' }), async (todo) => {
        const scope = newTenantId();
        const slots = Array.from({ length: 4 }, newTenantId);
        const nameOf = (i: number) => `${scope} ${i} "😀"`;
        const groupOf = (group: string) => (group === '' ? scope : `${scope} ${group}`);
        let model: ReadonlyMap<string, StoredDocument> = new Map();
        const made: string[] = [];
        for (const asked of todo) {
          const documents = asked.map((part): [boolean, StoredDocument] => {
            const { kind, slot, tenant, names, text } = part;
            const id = slots[slot]!;
            const version = Math.max(0, (model.get(keyOf({ kind, id }))?.version ?? 0) + part.off);
            const owner = kind === 'tenant' || tenant === null ? null : slots[tenant]!;
            const document = { kind, id, tenantId: owner, group: groupOf(part.group), place: part.place };
            return [part.isPut, { ...document, names: names.map(nameOf), value: { text }, version }];
          });
          const puts = documents.filter(([isPut]) => isPut).map(([, document]) => document);
          const removes = documents.filter(([isPut]) => !isPut).map(([, document]) => document);
          const entry = newEntry(scope);
          // Tenants come first, so that a change may add one with its documents.
          const isTenant = ({ kind }: StoredDocument) => Number(kind === 'tenant');
          const change = { puts: puts.sort((a, b) => isTenant(b) - isTenant(a)), removes, entry };
          const after = expectedAfter(model, change);
          expect(await store.commit(change)).toEqual(after !== undefined);
          if (after === undefined) continue;
          model = after;
          made.unshift(entry.id);
          // Asked after each change, because a store may remember what it has looked up.
          for (const kind of ['tenant', 'key', 'view']) {
            for (const id of slots) expect(await store.get(kind, id)).toEqual(model.get(keyOf({ kind, id })));
            for (let i = 0; i < 6; i++) {
              const holder = [...model.values()].find(
                (each) => each.kind === kind && each.names.includes(nameOf(i)),
              );
              expect(await store.find(kind, nameOf(i))).toEqual(holder);
            }
          }
        }
        for (const group of ['', 'g', 'G']) {
          // Documents that were put again keep their place among those that are older.
          const all = [...model.values()].filter(
            (each) => each.kind === 'key' && each.group === groupOf(group),
          );
          const sorted = all.sort((a, b) => compareCodePoints(a.place, b.place));
          expect(await store.list('key', groupOf(group))).toEqual(sorted);
          const after = sorted.filter(({ place }) => compareCodePoints(place, 'a') > 0);
          expect(await store.list('key', groupOf(group), { after: 'a', size: 2 })).toEqual(after.slice(0, 2));
          const ids = [slots[0]!, slots[2]!, newTenantId()];
          const some = sorted.filter(({ id }) => ids.includes(id));
          expect(await store.list('key', groupOf(group), { ids })).toEqual(some);
        }
        expect((await entriesOf(store, [scope])).map(({ id }) => id)).toEqual(made);
      }));

    test('of changes that replace one version at once, one is made, with its entry', async ({ store }) => {
      const document = newDocument();
      expect(await store.commit({ puts: [document] })).toEqual(true);
      const tenantId = newTenantId();
      const changed = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          store.commit({
            puts: [{ ...stored(document), value: { i } }, newDocument({ group: document.id })],
            entry: newEntry(tenantId, i),
          }),
        ),
      );
      expect(changed.filter(Boolean).length).toEqual(1);
      const i = changed.indexOf(true);
      expect(await store.get('key', document.id)).toEqual({ ...stored(document, 2), value: { i } });
      expect((await store.list('key', document.id)).length).toEqual(1);
      expect((await entriesOf(store, [tenantId])).map(({ at }) => at)).toEqual([i]);
    });

    test('of documents that take a name at once, one gets it', async ({ store }) => {
      const name = newTenantId();
      const all = Array.from({ length: 6 }, () => newDocument({ names: [name] }));
      const added = await Promise.all(all.map((each) => store.commit({ puts: [each] })));
      expect(added.filter(Boolean).length).toEqual(1);
      expect(await store.find('key', name)).toEqual(stored(all[added.indexOf(true)]!));
      // Another kind has names of its own.
      expect(await store.commit({ puts: [newDocument({ kind: 'view', names: [name] })] })).toEqual(true);
    });

    test('names go from one document to another in one change, in whichever order they are put', async ({
      store,
    }) => {
      const scope = newTenantId();
      const [a, b] = [newDocument({ names: [`${scope} a`] }), newDocument({ names: [`${scope} b`] })];
      expect(await store.commit({ puts: [a, b] })).toEqual(true);
      for (const [version, isTurned] of [true, false].entries()) {
        const swapped = [
          stored({ ...a, names: isTurned ? b.names : a.names }, version + 1),
          stored({ ...b, names: isTurned ? a.names : b.names }, version + 1),
        ];
        const puts = isTurned ? swapped : swapped.toReversed();
        expect(await store.commit({ puts })).toEqual(true);
        expect((await store.find('key', `${scope} a`))?.id).toEqual(isTurned ? b.id : a.id);
        expect((await store.find('key', `${scope} b`))?.id).toEqual(isTurned ? a.id : b.id);
      }
      // Both of them cannot have one name, whichever had it before.
      for (const puts of [
        [stored({ ...a, names: b.names }, 3), stored(b, 3)],
        [stored(b, 3), stored({ ...a, names: b.names }, 3)],
      ])
        expect(await store.commit({ puts })).toEqual(false);
    });

    test('one change removes a tenant and names some of its documents too, in any order', async ({
      store,
    }) => {
      for (const isTurned of [true, false]) {
        const tenant = newDocument({ kind: 'tenant' });
        const [named, other] = [newDocument({ tenantId: tenant.id }), newDocument({ tenantId: tenant.id })];
        expect(await store.commit({ puts: [tenant, named, other] })).toEqual(true);
        const removes = [stored(tenant), stored(named)];
        expect(await store.commit({ removes: isTurned ? removes.reverse() : removes })).toEqual(true);
        for (const { kind, id } of [tenant, named, other])
          expect(await store.get(kind, id)).toEqual(undefined);
      }
    });

    test('nothing is added to a tenant that is removed at the same time', async ({ store }) => {
      for (let i = 0; i < 10; i++) {
        const tenant = newDocument({ kind: 'tenant' });
        await store.commit({ puts: [tenant] });
        const own = Array.from({ length: 4 }, () => newDocument({ tenantId: tenant.id, group: tenant.id }));
        const adding = own.map((document) => store.commit({ puts: [document] }));
        expect(await store.commit({ removes: [stored(tenant)] })).toEqual(true);
        await Promise.all(adding);
        expect(await store.list('key', tenant.id)).toEqual([]);
        for (const { id } of own) expect(await store.find('key', id)).toEqual(undefined);
      }
    });

    test('audit entries come newest first, page by page, and for some tenants only theirs', async ({
      store,
    }) => {
      const mine = newTenantId();
      for (let at = 0; at < 7; at++) await store.commit({ entry: newEntry(at % 2 === 0 ? mine : null, at) });
      const pages: number[] = [];
      let before: string | undefined;
      for (;;) {
        const page = (await store.audit({ before, size: 3, tenantIds: [mine] }))!;
        pages.push(...page.map(({ at }) => at));
        if (page.length < 3) break;
        before = page.at(-1)!.id;
      }
      expect(pages).toEqual([6, 4, 2, 0]);
      expect(await store.audit({ before: newTenantId(), size: 3, tenantIds: null })).toEqual(undefined);
      expect(await entriesOf(store, [])).toEqual([]);
      expect((await entriesOf(store, null)).slice(0, 7).map(({ at }) => at)).toEqual([6, 5, 4, 3, 2, 1, 0]);
    });

    test('of each tenant, and of what concerns none, the newest entries stay', async ({ store }) => {
      const [many, few] = [newTenantId(), newTenantId()];
      for (let at = 0; at < 5; at++) {
        for (const tenantId of at < 2 ? [many, few, null] : [many, null])
          await store.commit({ entry: newEntry(tenantId, at) });
      }
      const timesOf = async (tenantId: string) => (await entriesOf(store, [tenantId])).map(({ at }) => at);
      await store.trimAudit(3);
      expect(await timesOf(many)).toEqual([4, 3, 2]);
      expect(await timesOf(few)).toEqual([1, 0]);
      const ofNone = (await entriesOf(store, null)).filter(({ tenantId }) => tenantId === null);
      expect(ofNone.map(({ at }) => at)).toEqual([4, 3, 2]);
      await store.commit({ entry: newEntry(many, 5) });
      expect(await timesOf(many)).toEqual([5, 4, 3, 2]);
    });

    test('all of it is there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const [document, light] = [newDocument(), newDocument()];
      const entry = newEntry(newTenantId());
      await store.commit({ puts: [document], entry });
      await store.commit({ puts: [light], mayBeLost: true });
      await store.commit({ puts: [{ ...stored(document), place: 'p' }], erases: true });
      const again = await reopen();
      expect(await again.find('key', document.id)).toEqual({ ...stored(document, 2), place: 'p' });
      expect(await again.get('key', light.id)).toEqual(stored(light));
      expect(await entriesOf(again, [entry.tenantId!])).toEqual([entry]);
    });
  });
}
