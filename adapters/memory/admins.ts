import type { AdminStore, AuditEntry, AuditNote, Pass } from '../../src/index.ts';

/** Passes and notes in memory, and how the stores beside it leave a note. */
export interface MemoryAdminStore extends AdminStore {
  /** Keeps a note of a change in a store beside it; undefined keeps nothing. */
  readonly note: (note: AuditNote | undefined) => void;
}

/** Who may administer, in memory. */
export function memoryAdminStore(): MemoryAdminStore {
  const passes = new Map<string, Pass>();
  const entries: AuditEntry[] = [];

  function note(noted: AuditNote | undefined): void {
    if (noted !== undefined) entries.push({ ...structuredClone(noted), number: entries.length + 1 });
  }

  return {
    note,
    create: (pass, noted) => {
      for (const { id, kind, expiresAt } of passes.values()) {
        if (kind !== 'key' && expiresAt !== null && expiresAt <= pass.createdAt) passes.delete(id);
      }
      passes.set(pass.id, pass);
      note(noted);
      return Promise.resolve();
    },
    findByHash: (hash) => Promise.resolve([...passes.values()].find((pass) => pass.hash === hash)),
    list: () => Promise.resolve([...passes.values()]),
    touch: (id, usedAt) => {
      const pass = passes.get(id);
      if (pass !== undefined) passes.set(id, { ...pass, lastUsedAt: usedAt });
      return Promise.resolve();
    },
    renew: (id, version, renewal) => {
      const pass = passes.get(id);
      if (pass?.identity?.version !== version) return Promise.resolve(undefined);
      const { name, role, tenantIds, viewedIds, identity } = renewal;
      const renewed = { ...pass, name, role, tenantIds, viewedIds, identity };
      passes.set(id, renewed);
      return Promise.resolve(renewed);
    },
    remove: (id, noted) => {
      const pass = passes.get(id);
      if (passes.delete(id)) note(noted);
      return Promise.resolve(pass);
    },
    audit: ({ before = Infinity, size, tenantIds }) => {
      const isAsked = ({ number, tenantId }: AuditEntry) =>
        number < before && (tenantIds === null || (tenantId !== null && tenantIds.includes(tenantId)));
      return Promise.resolve(entries.filter(isAsked).reverse().slice(0, size));
    },
  };
}
