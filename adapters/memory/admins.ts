import type { AdminStore, AuditEntry, AdminCredential } from '../../src/store-kit.ts';

/** Credentials and audit entries in memory, and how the other memory stores write audit entries. */
export interface MemoryAdminStore extends AdminStore {
  /** Appends an audit entry for a change in another memory store; does nothing for undefined. */
  readonly note: (entry: AuditEntry | undefined) => void;
}

/** An admin store in memory: credentials, audit log and one-time ids. */
export function memoryAdminStore(): MemoryAdminStore {
  const credentials = new Map<string, AdminCredential>();
  /** Oldest first. */
  let notes: AuditEntry[] = [];
  /** The one-time ids that were used, each with the time until which it must be remembered. */
  const spent = new Map<string, number>();

  function note(noted: AuditEntry | undefined): void {
    if (noted !== undefined) notes.push(structuredClone(noted));
  }

  return {
    note,
    create: (credential, noted) => {
      for (const { id, kind, expiresAt } of credentials.values()) {
        if (kind !== 'key' && expiresAt !== null && expiresAt <= credential.createdAt) credentials.delete(id);
      }
      credentials.set(credential.id, credential);
      note(noted);
      return Promise.resolve();
    },
    findByHash: (hash) =>
      Promise.resolve([...credentials.values()].find((credential) => credential.hash === hash)),
    list: () => Promise.resolve([...credentials.values()]),
    touch: (id, usedAt) => {
      const credential = credentials.get(id);
      if (credential !== undefined) credentials.set(id, { ...credential, lastUsedAt: usedAt });
      return Promise.resolve();
    },
    renew: (id, version, renewal) => {
      const credential = credentials.get(id);
      if (credential?.identity?.version !== version) return Promise.resolve(undefined);
      const { name, role, tenantIds, viewedIds, identity } = renewal;
      const renewed = { ...credential, name, role, tenantIds, viewedIds, identity };
      credentials.set(id, renewed);
      return Promise.resolve(renewed);
    },
    remove: (id, noted) => {
      const credential = credentials.get(id);
      if (credentials.delete(id)) note(noted);
      return Promise.resolve(credential);
    },
    audit: ({ before, size, tenantIds }) => {
      const end = before === undefined ? notes.length : notes.findIndex(({ id }) => id === before);
      if (end < 0) return Promise.resolve(undefined);
      const isAsked = ({ tenantId }: AuditEntry) =>
        tenantIds === null || (tenantId !== null && tenantIds.includes(tenantId));
      return Promise.resolve(notes.slice(0, end).filter(isAsked).reverse().slice(0, size));
    },
    trimAudit: (notesMax) => {
      const kept = new Map<string | null, number>();
      const isKept = ({ tenantId }: AuditEntry) => {
        const count = (kept.get(tenantId) ?? 0) + 1;
        kept.set(tenantId, count);
        return count <= notesMax;
      };
      notes = notes.reverse().filter(isKept).reverse();
      return Promise.resolve();
    },
    spend: (id, until, now) => {
      for (const [old, ends] of spent) if (ends <= now) spent.delete(old);
      if (spent.has(id)) return Promise.resolve(false);
      spent.set(id, until);
      return Promise.resolve(true);
    },
  };
}
