import { overloaded } from '../base/errors.ts';
import type {
  ControlChange,
  ControlDocument,
  ControlStore,
  DocumentPage,
  StoredDocument,
} from './control-store.ts';

/** How values of one type are kept as documents. */
export interface DocumentKind<T extends object> {
  /** The kind of the documents. */
  readonly kind: string;
  /** What a store has to know of a value; absent fields are empty. */
  readonly of: (value: T) => Pick<ControlDocument, 'id'> & Partial<Omit<ControlDocument, 'kind' | 'value'>>;
}

/**
 * A group of documents of which there may be so many. It is written with each that is added, so of two
 * servers that add some at once, one begins again and counts that of the other.
 */
export interface CountedGroup {
  readonly group: string;
  /** The tenant of the documents; null for those of several tenants. */
  readonly tenantId: string | null;
}

/** How groups of one kind of documents are kept. */
export const countedGroups = (kind: string): DocumentKind<CountedGroup> => ({
  kind,
  of: ({ group, tenantId }) => ({ id: group, tenantId }),
});

/** A value as it was read. */
export interface Kept<T> {
  readonly value: T;
  /** Its document. */
  readonly document: StoredDocument;
}

/** What follows from documents that were read: a change, if any, and the answer to who asked. */
export type Decision<T> = ControlChange & {
  readonly answer: T;
};

/** Reads values of one kind, as the control store reads their documents. */
export function readerOf<T extends object>(control: ControlStore, { kind }: DocumentKind<T>) {
  const kept = (document: StoredDocument): Kept<T> => ({ value: document.value as T, document });
  return {
    /** The one with this id; undefined if there is none. */
    get: async (id: string): Promise<Kept<T> | undefined> => {
      const document = await control.get(kind, id);
      return document && kept(document);
    },
    /** The one that has this name; undefined if there is none. */
    find: async (name: string): Promise<Kept<T> | undefined> => {
      const document = await control.find(kind, name);
      return document && kept(document);
    },
    /** Those of a group, or of a page of it, in their order. */
    list: async (group = '', page?: DocumentPage): Promise<readonly Kept<T>[]> =>
      (await control.list(kind, group, page)).map(kept),
  };
}

/** The document of a value, which replaces what was read before, or is added. */
export function put<T extends object>(
  { kind, of }: DocumentKind<T>,
  value: T,
  before?: Kept<T>,
): StoredDocument {
  const version = before?.document.version ?? 0;
  return { kind, tenantId: null, group: '', place: '', names: [], ...of(value), value, version };
}

/** Records that a value was used. A crash may lose this, and another change at the same moment. */
export async function touch<T extends { readonly lastUsedAt: number | null }>(
  control: ControlStore,
  kind: DocumentKind<T>,
  id: string,
  lastUsedAt: number,
): Promise<void> {
  const before = await readerOf(control, kind).get(id);
  if (before === undefined) return;
  await control.commit({ puts: [put(kind, { ...before.value, lastUsedAt }, before)], mayBeLost: true });
}

/** How often a change begins again. Each time another one was made, so all of them are made in the end. */
const ATTEMPTS_MAX = 1_000;

/**
 * Reads documents, decides by a pure function, and commits the decision, with the audit entry in the same
 * transaction. If another change came between, it begins again with what is there now. So a rule stands once,
 * in `decide`, and holds between all processes that share a store, provided that `decide` puts or removes a
 * document that every change under the rule does, and that `read` reads this one first. Throws what `decide`
 * throws.
 */
export async function change<Found, T>(
  control: ControlStore,
  read: () => Promise<Found>,
  decide: (found: Found) => Decision<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { answer, ...decided } = decide(await read());
    const { puts = [], removes = [], entry } = decided;
    if (puts.length + removes.length === 0 && entry === undefined) return answer;
    if (await control.commit(decided)) return answer;
  }
  throw overloaded();
}
