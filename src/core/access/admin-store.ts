import type { AuditEntry, AuditPage } from './audit.ts';
import type { AdminCredential, Renewal } from './admin-credential.ts';

/**
 * Stores who may administer, and the audit log. An audit entry is stored together with its change, as in a
 * `TenantStore`.
 */
export interface AdminStore {
  /** Adds a credential. Links and sessions that had expired when it was created may be deleted. */
  create(credential: AdminCredential, entry?: AuditEntry): Promise<void>;
  /** The credential whose secret has this hash; the caller checks its expiry. Undefined if there is none. */
  findByHash(hash: string): Promise<AdminCredential | undefined>;
  /** All credentials, oldest first. */
  list(): Promise<readonly AdminCredential[]>;
  /** Records that a credential was used. A crash may lose this. */
  touch(id: string, usedAt: number): Promise<void>;
  /**
   * Updates a session whose identity has this version, atomically: if several callers have read the same
   * version, only one succeeds. Returns the updated session, or undefined if it has another version or has
   * ended.
   */
  renew(id: string, version: number, renewal: Renewal): Promise<AdminCredential | undefined>;
  /**
   * Removes a credential and returns it. If several callers remove the same one, only one gets it; undefined
   * if there is none.
   */
  remove(id: string, entry?: AuditEntry): Promise<AdminCredential | undefined>;
  /** A page of audit entries, newest first; undefined if the entry named by `before` is no longer kept. */
  audit(page: AuditPage): Promise<readonly AuditEntry[] | undefined>;
  /**
   * Deletes all but the newest `notesMax` audit entries of each tenant, and of those that concern no tenant.
   */
  trimAudit(notesMax: number): Promise<void>;
  /**
   * Records that a single-use id was used: of all callers with the same id, only one gets true. From `until`
   * (epoch milliseconds) on, the id may be forgotten once another id is recorded with a `now` at or after it.
   */
  spend(id: string, until: number, now: number): Promise<boolean>;
}
