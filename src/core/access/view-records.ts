import type { AuditEntry } from './audit.ts';
import type { ControlStore } from './control-store.ts';
import {
  change,
  countedGroups,
  put,
  readerOf,
  type CountedGroup,
  type Decision,
  type DocumentKind,
  type Kept,
} from './decide.ts';
import {
  compareViews,
  OWN_VIEWS_MAX,
  TENANT_VIEWS_MAX,
  type SavedView,
  type ViewChanges,
} from './saved-view.ts';
import { TENANT } from './tenant-records.ts';

/** What a view is counted with: the views of its tenant, or those of its owner for all tenants. */
const groupOf = ({ tenantId, owner }: Pick<SavedView, 'tenantId' | 'owner'>) => owner ?? tenantId;

/** How saved views are kept. No two of a scope have one name. */
export const VIEW: DocumentKind<SavedView> = {
  kind: 'view',
  of: (view) => ({
    ...{ id: view.id, tenantId: view.tenantId, group: groupOf(view) },
    names: [JSON.stringify([view.tenantId, view.owner, view.name])],
  }),
};

/** The groups: the shared views of a tenant, or the views of a person, who has some of several tenants. */
export const VIEW_GROUP = countedGroups('view-group');

const isNamesake = (one: SavedView, other: SavedView) =>
  one.id !== other.id &&
  one.tenantId === other.tenantId &&
  one.owner === other.owner &&
  one.name === other.name;

/** Adds a view, if its name is free and its group has room. */
function decideView(
  view: SavedView,
  group: Kept<CountedGroup> | undefined,
  others: readonly SavedView[],
  entry: AuditEntry | undefined,
): Decision<'created' | 'taken' | 'full'> {
  if (others.some((other) => isNamesake(other, view))) return { answer: 'taken' };
  const max = view.owner === null ? TENANT_VIEWS_MAX : OWN_VIEWS_MAX;
  if (others.length >= max) return { answer: 'full' };
  const tenantId = view.owner === null ? view.tenantId : null;
  const puts = [put(VIEW_GROUP, { group: groupOf(view), tenantId }, group), put(VIEW, view)];
  return { puts, entry, answer: 'created' };
}

/** The saved views of a control store. Each change has its audit entry, if one is given. */
export type ViewRecords = ReturnType<typeof viewsIn>;

/** Keeps saved views in a control store. */
export function viewsIn(control: ControlStore) {
  const { get, list } = readerOf(control, VIEW);
  const { get: getGroup } = readerOf(control, VIEW_GROUP);
  const listGroup = async (group: string) => (await list(group)).map(({ value }) => value);
  return {
    /** The views of a tenant and those of an owner for it, by `compareViews`. */
    list: async (tenantId: string, owner: string): Promise<readonly SavedView[]> => {
      const own = (await listGroup(owner)).filter((view) => view.tenantId === tenantId);
      return [...(await listGroup(tenantId)), ...own].sort(compareViews);
    },
    /**
     * Adds a view: `taken` if another one of its scope has its name, `full` if there is no room, and
     * `noTenant` if there is no such tenant.
     */
    create: (view: SavedView, entry?: AuditEntry): Promise<'created' | 'taken' | 'full' | 'noTenant'> =>
      change(
        control,
        async () => ({
          tenant: await control.get(TENANT.kind, view.tenantId),
          // The group is read before its views: a view that is added after that has changed it.
          group: await getGroup(groupOf(view)),
          others: await listGroup(groupOf(view)),
        }),
        ({ tenant, group, others }): Decision<'created' | 'taken' | 'full' | 'noTenant'> =>
          tenant === undefined ? { answer: 'noTenant' } : decideView(view, group, others, entry),
      ),
    /** Changes a view and returns it; `taken` as for `create`, and undefined if there is none. */
    change: (
      id: string,
      changes: ViewChanges,
      entry?: AuditEntry,
    ): Promise<SavedView | 'taken' | undefined> =>
      change(
        control,
        async () => {
          const view = await get(id);
          return view && { view, others: await listGroup(groupOf(view.value)) };
        },
        (found): Decision<SavedView | 'taken' | undefined> => {
          if (found === undefined) return { answer: undefined };
          const answer = { ...found.view.value, ...changes };
          if (found.others.some((other) => isNamesake(other, answer))) return { answer: 'taken' };
          return { puts: [put(VIEW, answer, found.view)], entry, answer };
        },
      ),
    /** Removes a view; false if there was none. */
    remove: (id: string, entry?: AuditEntry): Promise<boolean> =>
      change(
        control,
        () => get(id),
        (before): Decision<boolean> =>
          before === undefined ? { answer: false } : { removes: [before.document], entry, answer: true },
      ),
  };
}
