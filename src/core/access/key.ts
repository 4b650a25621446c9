import { invalid } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { FilterEntry } from '../filter/filter.ts';
import type { KeyRestrictions } from './key-restrictions.ts';

/**
 * `query` grants the Query API; `ingest` marks the secret key of `SERVER_SIDE`; `write` marks the public
 * write key of the same strategy, which pages show to everybody.
 */
export const PERMISSIONS = ['query', 'ingest', 'write'] as const;
/** A permission of a key. */
export type Permission = (typeof PERMISSIONS)[number];

/** One secret of a key. A rotation adds a second one, so that both work for a while. */
export interface KeySecret {
  /** SHA-256 of the secret, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds, or null if it expires only with the key. */
  readonly expiresAt: number | null;
  /** The secret itself. Only a public write key has it, which is no secret, so that it can be shown again. */
  readonly text?: string;
  /** The last characters of the secret, by which its owner tells a secret that was found from others. */
  readonly ending?: string;
}

/** How many characters of a secret are shown: of its 256 bits, 16. */
export const ENDING_LENGTH = 4;

/** An API key. It belongs to a tenant, not to a person. */
export interface ApiKey {
  /** A UUID. Rate limits count by it, so that a rotation grants no second quota. */
  readonly id: string;
  /** The tenant whose events it gives access to. */
  readonly tenantId: string;
  /** The name that its owner chose. */
  readonly name: string;
  /** What it permits: queries, ingestion, or both; or `write` alone. */
  readonly permissions: readonly Permission[];
  /** Where and for what a public write key is valid; null for any other key. */
  readonly restrictions: KeyRestrictions | null;
  /**
   * The events that a key for queries reads: whatever is asked with it is asked of those that match; null for
   * all events. It stays as it is: who should read others gets another key.
   */
  readonly filterSet: readonly FilterEntry[] | null;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
  /** When the key expires; null if it does not. */
  readonly expiresAt: number | null;
  /** Null until the key is revoked. */
  readonly revokedAt: number | null;
  /** Null until it is first used. Not every use is recorded. */
  readonly lastUsedAt: number | null;
  /** The hashes of its valid secrets: two during a rotation. */
  readonly secrets: readonly KeySecret[];
}

const SECRET_PREFIX = 'eqk_';
const PUBLIC_PREFIX = 'eqw_';
const SECRET_BYTES = 32;
const SECRET_PATTERN = /^eqk_[0-9a-f]{64}$/;
const PUBLIC_PATTERN = /^eqw_[0-9a-f]{64}$/;

/** Whether a key with these permissions is a public write key. */
export function isPublicKey({ permissions }: Pick<ApiKey, 'permissions'>): boolean {
  return permissions.includes('write');
}

/**
 * Creates a secret of 256 random bits: a prefix and 64 hexadecimal digits. By the prefix `eqk_`, scanners
 * recognise a secret that leaks. The text of a public write key begins with `eqw_`, and may be seen.
 */
export function createSecret(
  runtime: Pick<Runtime, 'randomBytes'>,
  key: Pick<ApiKey, 'permissions'>,
): string {
  const bytes = runtime.randomBytes(SECRET_BYTES);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return (isPublicKey(key) ? PUBLIC_PREFIX : SECRET_PREFIX) + digits;
}

/** Whether a text has the form of a secret that can grant `permission`; other texts need no lookup. */
export function isSecret(text: string, permission: Permission): boolean {
  return (permission === 'write' ? PUBLIC_PATTERN : SECRET_PATTERN).test(text);
}

/** Whether a secret of a key grants `permission` now: neither expired nor revoked, and permitted. */
export function isUsable(key: ApiKey, hash: string, permission: Permission, now: number): boolean {
  return (
    liveSecretsOf(key, now).some((secret) => secret.hash === hash) && key.permissions.includes(permission)
  );
}

/** Whether a key is neither revoked nor expired, so that it can still be used. */
export function isLive(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: number,
): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

/** What a key is: a revoked one is never again of use. */
export type KeyState = 'active' | 'expired' | 'revoked';

/** What a key is at a time. */
export function keyStateOf(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  return isLive(key, now) ? 'active' : 'expired';
}

/** The secrets of a key that are valid now, oldest first. */
export function liveSecretsOf(key: ApiKey, now: number): readonly KeySecret[] {
  if (!isLive(key, now)) return [];
  return key.secrets.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
}

/** How many live keys a tenant may have. */
export const LIVE_KEYS_MAX = 200;
/** How many dead keys of a tenant are kept, the newest. */
export const DEAD_KEYS_MAX = 200;
/** The maximum number of secrets of a key; the oldest beyond it become invalid. */
const SECRETS_MAX = 10;

/**
 * The key with an added secret. Its other secrets expire at `othersExpireAt` or earlier, and only the newest
 * ten are kept. Undefined if the key is revoked.
 */
export function withSecret(key: ApiKey, secret: KeySecret, othersExpireAt: number): ApiKey | undefined {
  if (key.revokedAt !== null) return undefined;
  const others = key.secrets.map((other) => ({
    ...other,
    expiresAt: Math.min(other.expiresAt ?? Infinity, othersExpireAt),
  }));
  return { ...key, secrets: [...others, secret].slice(-SECRETS_MAX) };
}

/** The key with changed restrictions. Undefined if it has none, or is revoked. */
export function withRestrictions(key: ApiKey, changes: Partial<KeyRestrictions>): ApiKey | undefined {
  if (key.revokedAt !== null || key.restrictions === null) return undefined;
  return { ...key, restrictions: { ...key.restrictions, ...changes } };
}

/** The permissions without duplicates. Throws ApiError (400) for `write` and another one. */
export function toPermissions(asked: readonly Permission[]): Permission[] {
  const permissions = PERMISSIONS.filter((permission) => asked.includes(permission));
  if (isPublicKey({ permissions }) && permissions.length > 1)
    throw invalid('permissions', 'takes write alone: everybody can read a public write key');
  return permissions;
}
