import type { AuditEntry, AuditPage } from './audit.ts';

/** A document of a control store: a tenant, a key, a credential, or anything else that is no event. */
export interface ControlDocument {
  /** What it is, such as `tenant` or `key`. */
  readonly kind: string;
  /** Unique within its kind. After its removal the id is not used again. */
  readonly id: string;
  /** The tenant that it belongs to, with which it is removed; null if it belongs to none. */
  readonly tenantId: string | null;
  /** What it is listed with; empty if all documents of its kind are listed together. */
  readonly group: string;
  /** Its place in lists, which are sorted by it, by code point. */
  readonly place: string;
  /** The texts by which it is found. No other document of its kind has one of them. */
  readonly names: readonly string[];
  /** The document itself, as JSON can express it. */
  readonly value: object;
}

/** A document as a store returns it. */
export interface StoredDocument extends ControlDocument {
  /** 1 when it was added, and one more with each change. */
  readonly version: number;
}

/** Selects documents of a list. */
export interface DocumentPage {
  /** Only these; absent or null for all. */
  readonly ids?: readonly string[] | null | undefined;
  /** Only those whose place follows this one. */
  readonly after?: string | undefined;
  /** The maximum number; the first ones are returned. */
  readonly size?: number | undefined;
}

/** A change of documents. */
export interface ControlChange {
  /** The documents to store, each with the version that it replaces; 0 for one that is added. */
  readonly puts?: readonly StoredDocument[];
  /** The documents to remove, as they were read. */
  readonly removes?: readonly StoredDocument[];
  /** The audit entry of the change. */
  readonly entry?: AuditEntry | undefined;
  /** Whether a power loss may undo it, because it is of little value. */
  readonly mayBeLost?: boolean;
  /** Whether it removes data that has to be gone, so that a store also empties its write-ahead log. */
  readonly erases?: boolean;
}

/**
 * Keeps documents and the audit log. A store knows no rule about what it keeps: the core reads documents,
 * decides what follows, and commits that, unless another process has changed them in between.
 */
export interface ControlStore {
  /** The document of this kind and id; undefined if there is none. */
  get(kind: string, id: string): Promise<StoredDocument | undefined>;
  /** The document of this kind that has this name; undefined if there is none. */
  find(kind: string, name: string): Promise<StoredDocument | undefined>;
  /** The documents of a kind and group, by place; those of one place as they were added, oldest first. */
  list(kind: string, group: string, page?: DocumentPage): Promise<readonly StoredDocument[]>;
  /**
   * Makes a change in one transaction, with its audit entry: first what is removed, then what is put. Nothing
   * is stored, and the result is false, if
   * - a document is not there at its version, or one that is to be added is there already,
   * - two documents of a kind would have one name after the change, or
   * - a document that is put belongs to a tenant without a document of the kind `tenant`.
   *
   * With the document of a tenant, all that belong to the tenant are removed. Of several concurrent changes
   * that replace the same version, also of several processes, one is made.
   */
  commit(change: ControlChange): Promise<boolean>;
  /** A page of audit entries, newest first; undefined if the entry named by `before` is no longer kept. */
  audit(page: AuditPage): Promise<readonly AuditEntry[] | undefined>;
  /**
   * Deletes all but the newest `notesMax` audit entries of each tenant, and of those that concern no tenant.
   */
  trimAudit(notesMax: number): Promise<void>;
}
