import type { AuditNote, AuditPage } from './audit.ts';
import type { Pass, Renewal } from './pass.ts';

/**
 * Where it is kept who may administer, and what was changed. A note is kept with the change that it is of, as
 * a `TenantStore` does it.
 */
export interface AdminStore {
  /** Adds a pass; links and sessions that had expired when it was made may go. */
  create(pass: Pass, note?: AuditNote): Promise<void>;
  /** The pass whose secret has this hash; the caller judges its expiry. Undefined when there is none. */
  findByHash(hash: string): Promise<Pass | undefined>;
  /** All passes, oldest first. */
  list(): Promise<readonly Pass[]>;
  /** Notes that a pass was used. Losing one on a crash is allowed. */
  touch(id: string, usedAt: number): Promise<void>;
  /**
   * Changes a session whose identity has this version, in one step: of several who have read the same one,
   * one alone does. The session as it is now, or undefined where it has another version or has ended.
   */
  renew(id: string, version: number, renewal: Renewal): Promise<Pass | undefined>;
  /** Ends a pass: of all who ask for the same one, one alone gets it; undefined when there is none. */
  remove(id: string, note?: AuditNote): Promise<Pass | undefined>;
  /** The notes of a page, newest first; undefined where the note that they came before is not kept. */
  audit(page: AuditPage): Promise<readonly AuditNote[] | undefined>;
  /** Forgets all notes but so many of each tenant, and of what concerns none: the newest stay. */
  trimAudit(notesMax: number): Promise<void>;
  /**
   * Notes that what is good once was used: of all who say so of one id, one alone is told true. From `until`
   * (epoch milliseconds) on it may be forgotten, once somebody notes another at such a time, `now`.
   */
  spend(id: string, until: number, now: number): Promise<boolean>;
}
