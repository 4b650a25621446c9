import { invalid } from '../base/errors.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Identity } from './identity.ts';

/**
 * The kind of a credential for the Admin API: a `link` is exchanged once for a session, a `session` is a
 * browser's cookie, a `key` is for programs.
 */
export type CredentialKind = 'link' | 'session' | 'key';

/** A viewer reads and queries; an admin can also make changes. */
export const ROLES = ['viewer', 'admin'] as const;
/** The role of a credential. */
export type Role = (typeof ROLES)[number];

/** Who made the link from which a session came, where it was made for somebody. */
export interface Invitation {
  /** The name of who made it. */
  readonly by: string;
  /** The id of the credential that made it; null for the command line and for an embedding program. */
  readonly credentialId: string | null;
  /** When the session ends at the latest: with the credential that made the link. Null for no such end. */
  readonly until: number | null;
}

/** A credential for administration. Only the hash of its secret is stored. */
export interface AdminCredential {
  /** A UUID. */
  readonly id: string;
  /** Its kind, which determines its lifetime and what it grants. */
  readonly kind: CredentialKind;
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** The name of its owner in the audit log. */
  readonly name: string;
  /** Its role. */
  readonly role: Role;
  /** The ids of the tenants that it covers; null for all, including future ones. */
  readonly tenantIds: readonly string[] | null;
  /** The ids of further tenants that an admin may only view; null for all. */
  readonly viewedIds: readonly string[] | null;
  /** The identity at an identity provider; null for a link, a session from a link, or a key. */
  readonly identity: Identity | null;
  /** The invitation that a link is, or that a session came from; null for any other credential. */
  readonly invitation: Invitation | null;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
  /** Null for a key that does not expire. */
  readonly expiresAt: number | null;
  /** Null until it is first used. Not every use is recorded. */
  readonly lastUsedAt: number | null;
}

/** What a refresh at the identity provider changes in a session. */
export type Renewal = Pick<AdminCredential, 'name' | 'role' | 'tenantIds' | 'viewedIds'> & {
  /** The refreshed identity; its version is the next one. */
  readonly identity: Identity;
};

/** How long a link can be used. */
export const LINK_MS = 600_000;
/** The longest lifetime of a session. */
export const SESSION_MS = DAY_MS / 2;
/** How long a session may be idle. */
const SESSION_IDLE_MS = DAY_MS / 3;

const PREFIXES: Readonly<Record<CredentialKind, string>> = { link: 'eql_', session: 'eqs_', key: 'eqa_' };
const SECRET_PATTERN = /^eq([asl])_[0-9a-f]{64}$/;
const SECRET_BYTES = 32;

/** Creates the secret of a credential: a prefix that names its kind, then 256 random bits. */
export function createCredentialSecret(kind: CredentialKind, runtime: Pick<Runtime, 'randomBytes'>): string {
  const bytes = runtime.randomBytes(SECRET_BYTES);
  return PREFIXES[kind] + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text has the form of a secret of this kind; other texts need no lookup. */
export function isCredentialSecret(kind: CredentialKind, text: string): boolean {
  return SECRET_PATTERN.test(text) && text.startsWith(PREFIXES[kind]);
}

/** Whether a credential is of this kind and valid now. A clock that stepped back extends no session. */
export function isOpen(credential: AdminCredential, kind: CredentialKind, now: number): boolean {
  if (credential.kind !== kind || (credential.expiresAt !== null && now >= credential.expiresAt))
    return false;
  return kind !== 'session' || now - (credential.lastUsedAt ?? credential.createdAt) < SESSION_IDLE_MS;
}

/** Returns the role. Throws ApiError (400) for any other value. */
export function parseRole(value: unknown): Role {
  const role = ROLES.find((known) => known === value);
  if (role === undefined)
    throw invalid('role', `use one of ${ROLES.join(', ')}, got ${describeValue(value)}`);
  return role;
}
