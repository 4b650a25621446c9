import { compareViews, type SavedView, type ViewStore } from '../../src/store-kit.ts';
import { memoryAdminStore, type MemoryAdminStore } from './admins.ts';

/** Saved views in memory; changes are written to the audit log of the given store. */
export function memoryViewStore({ note }: Pick<MemoryAdminStore, 'note'> = memoryAdminStore()): ViewStore {
  const views = new Map<string, SavedView>();
  const isTaken = ({ id, tenantId, owner, name }: SavedView) =>
    [...views.values()].some(
      (each) => each.id !== id && each.tenantId === tenantId && each.owner === owner && each.name === name,
    );
  const countOf = ({ tenantId, owner }: SavedView) =>
    [...views.values()].filter(
      (each) => each.owner === owner && (owner !== null || each.tenantId === tenantId),
    ).length;
  return {
    list: (tenantId, owner) => {
      const found = [...views.values()].filter(
        (each) => each.tenantId === tenantId && (each.owner === null || each.owner === owner),
      );
      return Promise.resolve(found.sort(compareViews));
    },
    create: (view, max, noted) => {
      if (isTaken(view)) return Promise.resolve('taken');
      if (countOf(view) >= max) return Promise.resolve('full');
      views.set(view.id, view);
      note(noted);
      return Promise.resolve('created');
    },
    change: (id, changes, noted) => {
      const before = views.get(id);
      if (before === undefined) return Promise.resolve(undefined);
      const after = { ...before, ...changes };
      if (isTaken(after)) return Promise.resolve('taken');
      views.set(id, after);
      note(noted);
      return Promise.resolve(after);
    },
    remove: (id, noted) => {
      const removed = views.delete(id);
      if (removed) note(noted);
      return Promise.resolve(removed);
    },
    erase: (tenantId) => {
      for (const { id, tenantId: of } of views.values()) if (of === tenantId) views.delete(id);
      return Promise.resolve();
    },
  };
}
