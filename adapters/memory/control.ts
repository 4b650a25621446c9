import {
  compareCodePoints,
  type AuditEntry,
  type ControlChange,
  type ControlStore,
  type StoredDocument,
} from '../../src/store-kit.ts';

const keyOf = ({ kind, id }: Pick<StoredDocument, 'kind' | 'id'>) => `${kind} ${id}`;
const nameOf = (kind: string, name: string) => `${kind} ${name}`;
const groupOf = ({ kind, group }: Pick<StoredDocument, 'kind' | 'group'>) => `${kind} ${group}`;

/** Documents and audit log in the memory of this process. */
export function memoryControlStore(): ControlStore {
  /** In the order in which they were added. */
  const documents = new Map<string, StoredDocument>();
  /** The keys of what is listed together, in the same order. */
  const groups = new Map<string, Set<string>>();
  /** The key of the document that has a name. */
  const names = new Map<string, string>();
  /** Oldest first. */
  let entries: AuditEntry[] = [];

  /** The keys of the documents that go; undefined if one of them is not there any more. */
  function goneBy({ removes = [] }: ControlChange): ReadonlySet<string> | undefined {
    const gone = new Set<string>();
    for (const document of removes) {
      if (documents.get(keyOf(document))?.version !== document.version) return undefined;
      gone.add(keyOf(document));
      if (document.kind !== 'tenant') continue;
      for (const [key, { tenantId }] of documents) if (tenantId === document.id) gone.add(key);
    }
    return gone;
  }

  /** Whether documents can be put when others are gone. */
  function canPut({ puts = [] }: ControlChange, gone: ReadonlySet<string>): boolean {
    const there = new Set<string>();
    const taken = new Set<string>();
    const replaced = new Set(puts.map(keyOf));
    return puts.every((document) => {
      const { kind, tenantId, version } = document;
      const key = keyOf(document);
      if ((gone.has(key) ? 0 : (documents.get(key)?.version ?? 0)) !== version) return false;
      const owner = tenantId === null ? undefined : keyOf({ kind: 'tenant', id: tenantId });
      if (owner !== undefined && !there.has(owner) && (gone.has(owner) || !documents.has(owner)))
        return false;
      there.add(key);
      return document.names.every((each) => {
        const name = nameOf(kind, each);
        const holder = names.get(name);
        const isFree = holder === undefined || replaced.has(holder) || gone.has(holder);
        return isFree && !taken.has(name) && taken.add(name);
      });
    });
  }

  function forgetNames(key: string): void {
    const before = documents.get(key);
    for (const name of before?.names ?? []) names.delete(nameOf(before!.kind, name));
  }

  function leaveGroup(key: string): void {
    const group = groupOf(documents.get(key)!);
    const together = groups.get(group)!;
    together.delete(key);
    if (together.size === 0) groups.delete(group);
  }

  function keep(document: StoredDocument): void {
    const key = keyOf(document);
    const before = documents.get(key);
    if (before !== undefined && groupOf(before) !== groupOf(document)) leaveGroup(key);
    documents.set(key, structuredClone({ ...document, version: document.version + 1 }));
    for (const name of document.names) names.set(nameOf(document.kind, name), key);
    const together = groups.get(groupOf(document)) ?? new Set();
    // A document that stays in its group keeps its place among those that are older.
    groups.set(groupOf(document), together.add(key));
  }

  return {
    get: (kind, id) => Promise.resolve(documents.get(keyOf({ kind, id }))),
    find: (kind, name) => {
      const key = names.get(nameOf(kind, name));
      return Promise.resolve(key === undefined ? undefined : documents.get(key));
    },
    list: (kind, group, { ids = null, after, size } = {}) => {
      const isAsked = (each: StoredDocument) =>
        ids?.includes(each.id) !== false && (after === undefined || compareCodePoints(each.place, after) > 0);
      const together = [...(groups.get(groupOf({ kind, group })) ?? [])].map((key) => documents.get(key)!);
      const found = together.filter(isAsked);
      return Promise.resolve(found.sort((a, b) => compareCodePoints(a.place, b.place)).slice(0, size));
    },
    commit: (change) => {
      const gone = goneBy(change);
      if (gone === undefined || !canPut(change, gone)) return Promise.resolve(false);
      for (const key of gone) {
        forgetNames(key);
        leaveGroup(key);
        documents.delete(key);
      }
      const { puts = [] } = change;
      // A name may go from one document to another.
      for (const document of puts) forgetNames(keyOf(document));
      for (const document of puts) keep(document);
      if (change.entry !== undefined) entries.push(structuredClone(change.entry));
      return Promise.resolve(true);
    },
    audit: ({ before, size, tenantIds }) => {
      const end = before === undefined ? entries.length : entries.findIndex(({ id }) => id === before);
      if (end < 0) return Promise.resolve(undefined);
      const isAsked = ({ tenantId }: AuditEntry) =>
        tenantIds === null || (tenantId !== null && tenantIds.includes(tenantId));
      return Promise.resolve(entries.slice(0, end).filter(isAsked).reverse().slice(0, size));
    },
    trimAudit: (notesMax) => {
      const counts = new Map<string | null, number>();
      const isKept = ({ tenantId }: AuditEntry) => {
        const count = (counts.get(tenantId) ?? 0) + 1;
        counts.set(tenantId, count);
        return count <= notesMax;
      };
      entries = entries.reverse().filter(isKept).reverse();
      return Promise.resolve();
    },
  };
}
