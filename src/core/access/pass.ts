import { invalid } from '../base/errors.ts';
import { describeValue } from '../event/text.ts';
import { DAY_MS } from '../event/time.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Identity } from './identity.ts';

/**
 * What opens the Admin API: a `link` is spent once for a session, a `session` is a browser's cookie, a `key`
 * is for programs.
 */
export type PassKind = 'link' | 'session' | 'key';

/** A viewer looks and asks; an admin changes too. */
export const ROLES = ['viewer', 'admin'] as const;
/** What a pass lets somebody do. */
export type Role = (typeof ROLES)[number];

/** A right to administer. Its secret is kept as a hash only. */
export interface Pass {
  /** A UUID. */
  readonly id: string;
  /** How it was got, which says how long it lives and what it opens. */
  readonly kind: PassKind;
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Whose it is, as the audit log says it. */
  readonly name: string;
  /** What it may do. */
  readonly role: Role;
  /** The ids of the tenants that it is for; null for all, those to come among them. */
  readonly tenantIds: readonly string[] | null;
  /** The ids of more tenants that an admin may look at; null for all. */
  readonly viewedIds: readonly string[] | null;
  /** Who it is at an identity provider; null for what did not come from one: a link, its session, a key. */
  readonly identity: Identity | null;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** Null for a key that does not expire. */
  readonly expiresAt: number | null;
  /** Null until it opens something. It is not noted at each use. */
  readonly lastUsedAt: number | null;
}

/** What asking an identity provider again changes of a session. */
export type Renewal = Pick<Pass, 'name' | 'role' | 'tenantIds' | 'viewedIds'> & {
  /** Who it is at the provider, as that has just said; its version is the next one. */
  readonly identity: Identity;
};

/** How long a link can be spent. */
export const LINK_MS = 600_000;
/** How long a session lives. */
export const SESSION_MS = DAY_MS / 2;
/** How long it may rest. */
const SESSION_IDLE_MS = DAY_MS / 3;

const PREFIXES: Readonly<Record<PassKind, string>> = { link: 'eql_', session: 'eqs_', key: 'eqa_' };
const SECRET_PATTERN = /^eq([asl])_[0-9a-f]{64}$/;
const SECRET_BYTES = 32;

/** Makes the secret of a pass: 256 random bits behind a prefix that says what it is. */
export function createPassSecret(kind: PassKind, runtime: Pick<Runtime, 'randomBytes'>): string {
  const bytes = runtime.randomBytes(SECRET_BYTES);
  return PREFIXES[kind] + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text has the form of the secret of a kind of pass; anything else need not be looked up. */
export function isPassSecret(kind: PassKind, text: string): boolean {
  return SECRET_PATTERN.test(text) && text.startsWith(PREFIXES[kind]);
}

/** Whether a pass of this kind opens anything now. A clock that stepped back gives a session no more time. */
export function isOpen(pass: Pass, kind: PassKind, now: number): boolean {
  if (pass.kind !== kind || (pass.expiresAt !== null && now >= pass.expiresAt)) return false;
  return kind !== 'session' || now - (pass.lastUsedAt ?? pass.createdAt) < SESSION_IDLE_MS;
}

/** Returns the role. Throws ApiError (400) when it is none. */
export function parseRole(value: unknown): Role {
  const role = ROLES.find((known) => known === value);
  if (role === undefined)
    throw invalid('role', `use one of ${ROLES.join(', ')}, got ${describeValue(value)}`);
  return role;
}
