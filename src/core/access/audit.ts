import type { JsonObject } from '../event/event.ts';
import type { Identity } from './identity.ts';
import type { Runtime } from '../base/runtime.ts';
import type { TenantChanges } from './tenant.ts';

/** Who makes a change, and from where. */
export interface Actor {
  /** A name for people: of a key, of the person who signed in, or of the program itself. */
  readonly who: string;
  /** The client's address, or the origin if there is none: `command line`, `program`. */
  readonly from: string;
  /** The id of the credential that was used; absent if there was none. */
  readonly credentialId?: string | null;
  /** The actor's identity at the identity provider. `who` is then a name that this person may have chosen. */
  readonly person?: Pick<Identity, 'issuer' | 'subject'> | null;
}

/** The actions in the audit log. */
export const AUDIT_ACTIONS = [
  'tenant.create',
  'tenant.set',
  'tenant.delete',
  'key.create',
  'key.set',
  'key.rotate',
  'key.revoke',
  'credential.create',
  'credential.end',
  'config.set',
  'config.unset',
  'view.create',
  'view.set',
  'view.delete',
  'mark.create',
  'mark.delete',
  'limits.reset',
  'refusals.clear',
  'events.erase',
] as const;

/** An action in the audit log. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * An audit entry, written in the same transaction as its change. It contains no secret and no hash of one,
 * and only the fingerprint of a public key.
 */
export interface AuditEntry extends Required<Actor> {
  /** A UUID, which reveals nothing about the number of entries of other tenants. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The action. */
  readonly action: AuditAction;
  /** The changed tenant; null if there was none. Another tenant may have its alias by now. */
  readonly tenantId: string | null;
  /** The tenant's alias at that time. */
  readonly alias: string | null;
  /** The values that were set, as the Admin API names them. */
  readonly details: JsonObject;
}

/** Selects audit entries: those before a given one, newest first. */
export interface AuditPage {
  /** The id of an audit entry. Absent: starts at the newest. */
  readonly before?: string | undefined;
  /** The maximum number of entries. */
  readonly size: number;
  /** Only of these tenants; null for all. */
  readonly tenantIds: readonly string[] | null;
}

/** Creates the audit entry of an action that happens now. */
export function toAuditEntry(
  { who, from, credentialId = null, person = null }: Actor,
  runtime: Pick<Runtime, 'now' | 'uuid'>,
  what: Pick<AuditEntry, 'action' | 'tenantId' | 'alias' | 'details'>,
): AuditEntry {
  return { id: runtime.uuid(), at: runtime.now(), who, from, credentialId, person, ...what };
}

/**
 * The changes to a tenant as an audit entry records them: a public key as the SHA-256 of its SPKI PEM text.
 */
export async function toAuditedChanges(
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

/** Settings as JSON. */
export function toDetails(settings: object): JsonObject {
  return JSON.parse(JSON.stringify(settings)) as JsonObject;
}
