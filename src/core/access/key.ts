import { invalid } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';

/** `query` opens the Query API; `ingest` is the secret key of `SERVER_SIDE`. */
export const PERMISSIONS = ['query', 'ingest'] as const;
/** What a key opens. */
export type Permission = (typeof PERMISSIONS)[number];

/** One secret of a key. Rotation gives a key a second one, so that both work for a while. */
export interface KeySecret {
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds, or null for as long as the key lives. */
  readonly expiresAt: number | null;
}

/** An API key. It belongs to a tenant, not to a person. */
export interface ApiKey {
  /** A UUID; rate limits count by it, so that rotation hands out no second quota. */
  readonly id: string;
  /** Whose events it opens. */
  readonly tenantId: string;
  /** What its owner calls it. */
  readonly name: string;
  /** What it opens: questions, ingestion, or both. */
  readonly permissions: readonly Permission[];
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** From when on it opens nothing; null for a key that does not expire. */
  readonly expiresAt: number | null;
  /** Null while nobody has revoked it. */
  readonly revokedAt: number | null;
  /** Null until it is used. It is not noted at each use. */
  readonly lastUsedAt: number | null;
  /** The hashes of what opens it: two while a rotation overlaps. */
  readonly secrets: readonly KeySecret[];
}

const SECRET_PREFIX = 'eqk_';
const SECRET_BYTES = 32;
const SECRET_PATTERN = /^eqk_[0-9a-f]{64}$/;

/**
 * Makes a secret of 256 random bits: `eqk_` and 64 hexadecimal digits, so that scanners can recognise a
 * leaked one.
 */
export function createSecret(runtime: Pick<Runtime, 'randomBytes'>): string {
  const bytes = runtime.randomBytes(SECRET_BYTES);
  return SECRET_PREFIX + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text has the form of a secret; anything else need not be looked up. */
export function isSecret(text: string): boolean {
  return SECRET_PATTERN.test(text);
}

/** Whether a secret of a key opens what needs `permission` now: in time, not revoked, permitted. */
export function isUsable(key: ApiKey, hash: string, permission: Permission, now: number): boolean {
  const secret = key.secrets.find((candidate) => candidate.hash === hash);
  if (secret === undefined || key.revokedAt !== null) return false;
  const inTime = (expiresAt: number | null) => expiresAt === null || now < expiresAt;
  return inTime(key.expiresAt) && inTime(secret.expiresAt) && key.permissions.includes(permission);
}

/** Whether a key still opens something, or will when it is given to somebody. */
export function isLive({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

/** How many live keys a tenant may have. */
export const LIVE_KEYS_MAX = 200;
/** How many of its keys that open nothing any more are kept, the newest. */
export const DEAD_KEYS_MAX = 200;
/** How many secrets a key has at most: of more the oldest open nothing any more. */
export const SECRETS_MAX = 10;

/**
 * The key with one more secret, its others ending at `othersExpireAt` where they would live longer, at most
 * ten in all, the newest; undefined for a key that is revoked.
 */
export function withSecret(key: ApiKey, secret: KeySecret, othersExpireAt: number): ApiKey | undefined {
  if (key.revokedAt !== null) return undefined;
  const others = key.secrets.map((other) => ({
    ...other,
    expiresAt: Math.min(other.expiresAt ?? Infinity, othersExpireAt),
  }));
  return { ...key, secrets: [...others, secret].slice(-SECRETS_MAX) };
}

/** Returns the permissions without repeats. Throws ApiError (400) for none or an unknown one. */
export function parsePermissions(names: unknown): Permission[] {
  const asked: readonly unknown[] = Array.isArray(names) ? names : [];
  const permissions = PERMISSIONS.filter((permission) => asked.includes(permission));
  const unknown = asked.some((name) => !PERMISSIONS.some((permission) => permission === name));
  if (unknown || permissions.length === 0) {
    throw invalid('permission', `takes one or more of ${PERMISSIONS.join(', ')}`);
  }
  return permissions;
}
