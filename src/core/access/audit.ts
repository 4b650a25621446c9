import type { JsonObject } from '../event/event.ts';

/** Who changes something, and where from. */
export interface Actor {
  /** A name for people: of a key, of who signed in, or of the program itself. */
  readonly who: string;
  /** The client's address, or the way that is none: `command line`, `program`. */
  readonly from: string;
}

/** What can be noted. */
export type AuditAction =
  | `tenant.${'create' | 'set' | 'delete'}`
  | `key.${'create' | 'rotate' | 'revoke'}`
  | `pass.${'create' | 'end'}`;

/** What is noted of a change, in the transaction that makes it. It holds no secret, nor the hash of one. */
export interface AuditNote extends Actor {
  /** Epoch milliseconds. */
  readonly at: number;
  /** What was done. */
  readonly action: AuditAction;
  /** The tenant that was changed; null where it was none. An alias may be another tenant's by now. */
  readonly tenantId: string | null;
  /** How the tenant was called then. */
  readonly alias: string | null;
  /** What was set, in words of the Admin API. */
  readonly details: JsonObject;
}

/** A note that was kept. Its number is larger than those of all that were kept before. */
export interface AuditEntry extends AuditNote {
  /** Its place among all notes. */
  readonly number: number;
}

/** Which notes are asked for: those before a number, newest first. */
export interface AuditPage {
  /** Absent: from the newest on. */
  readonly before?: number | undefined;
  readonly size: number;
  /** Only of these tenants; null for all. */
  readonly tenantIds: readonly string[] | null;
}
