import type { JsonObject } from '../event/event.ts';
import type { Identity } from './identity.ts';
import type { Runtime } from '../base/runtime.ts';
import type { TenantChanges } from './tenant.ts';

/** Who changes something, and where from. */
export interface Actor {
  /** A name for people: of a key, of who signed in, or of the program itself. */
  readonly who: string;
  /** The client's address, or the way that is none: `command line`, `program`. */
  readonly from: string;
  /** The id of the pass that it was done by; absent where there was none. */
  readonly passId?: string | null;
  /** Whom an identity provider knows it was: `who` is then a name that this person may have chosen. */
  readonly person?: Pick<Identity, 'issuer' | 'subject'> | null;
}

/** What can be noted. */
export type AuditAction =
  | `tenant.${'create' | 'set' | 'delete'}`
  | `key.${'create' | 'rotate' | 'revoke'}`
  | `pass.${'create' | 'end'}`
  | 'limits.reset';

/**
 * What is noted of a change, in the transaction that makes it. It holds no secret, nor the hash of one, and
 * of a public key its fingerprint only.
 */
export interface AuditNote extends Required<Actor> {
  /** A UUID, so that it tells nobody how much is noted of other tenants. */
  readonly id: string;
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

/** Which notes are asked for: those that came before one of them, newest first. */
export interface AuditPage {
  /** The id of a note. Absent: from the newest on. */
  readonly before?: string | undefined;
  /** How many at most. */
  readonly size: number;
  /** Only of these tenants; null for all. */
  readonly tenantIds: readonly string[] | null;
}

/** Makes the note of what somebody does now. */
export function toNote(
  { who, from, passId = null, person = null }: Actor,
  runtime: Pick<Runtime, 'now' | 'uuid'>,
  what: Pick<AuditNote, 'action' | 'tenantId' | 'alias' | 'details'>,
): AuditNote {
  return { id: runtime.uuid(), at: runtime.now(), who, from, passId, person, ...what };
}

/** What was changed of a tenant, as a note says it: of a public key the SHA-256 of its SPKI PEM text. */
export async function toNotedChanges(
  changes: TenantChanges,
  runtime: Pick<Runtime, 'sha256'>,
): Promise<JsonObject> {
  const { jwt, ...others } = changes;
  if (jwt === undefined || jwt === null) return toDetails(changes);
  const { publicKeyPem, ...settings } = jwt;
  const key =
    publicKeyPem === undefined ? {} : { publicKey: `SHA-256 ${await runtime.sha256(publicKeyPem)}` };
  return toDetails({ ...others, jwt: { ...settings, ...key } });
}

/** What was set, as JSON says it. */
export function toDetails(settings: object): JsonObject {
  return JSON.parse(JSON.stringify(settings)) as JsonObject;
}
