import { invalid } from '../base/errors.ts';
import { isStorableText, quote } from '../event/text.ts';
import { DEFAULT_INGESTION, type IngestionLimits, type PlanChoice } from './plan.ts';

/** How a tenant's ingestion is authenticated. */
export const AUTH_STRATEGIES = ['NONE', 'SERVER_SIDE', 'JWT'] as const;
/** How a tenant's ingestion is authenticated. */
export type AuthStrategy = (typeof AUTH_STRATEGIES)[number];

/** The settings for checking tokens; exactly one of `publicKeyPem` and `jwksUrl` is set. */
export interface JwtSettings {
  /** The required claim `iss`. */
  readonly issuer: string;
  /** The value that the claim `aud` must equal or contain. */
  readonly audience: string;
  /** A public key as PEM (SPKI) text, or a certificate. */
  readonly publicKeyPem?: string;
  /** An https address, or http on a loopback host. */
  readonly jwksUrl?: string;
}

/** A tenant, which owns events, keys and limits. */
export interface Tenant extends PlanChoice {
  /** A UUID. It is never accepted as an alias. */
  readonly id: string;
  /** The name that requests and commands use. It is unique. */
  readonly alias: string;
  /** A display name; defaults to the alias. */
  readonly name: string;
  /** How much may be sent: `default` for this version's default, null for no limit. */
  readonly ingestion: IngestionLimits | 'default' | null;
  /** How many days events are kept, by their `eventTs`; null for no limit. */
  readonly retentionDays: number | null;
  /** How senders of this tenant's events authenticate. */
  readonly authStrategy: AuthStrategy;
  /** Null until the tenant is configured for JWT. It stays when the strategy changes. */
  readonly jwt: JwtSettings | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A new tenant. Limits require the plan `custom`; an absent field means none, or the default. */
export type TenantOptions = Pick<Tenant, 'alias' | 'plan'> &
  Partial<Pick<Tenant, 'limits' | 'ingestion' | 'retentionDays' | 'name' | 'authStrategy' | 'jwt'>>;

/** Changes to a tenant; absent fields stay the same. */
export type TenantChanges = Partial<Omit<Tenant, 'id' | 'alias' | 'createdAt'>>;

/** The current ingestion limits of a tenant; null for no limit. */
export function ingestionOf({ ingestion }: Pick<Tenant, 'ingestion'>): IngestionLimits | null {
  return ingestion === 'default' ? DEFAULT_INGESTION : ingestion;
}

/**
 * What an alias is: 1 to 63 of `a-z 0-9 - _`, beginning with a letter or digit, not shaped like a UUID.
 */
export const ALIAS_PATTERN = /^(?![0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[a-z0-9][a-z0-9_-]{0,62}$/;

/** Whether a value can be an alias. */
export function isAlias(value: unknown): value is string {
  return typeof value === 'string' && ALIAS_PATTERN.test(value);
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const URL_PATTERN = /^(https?):\/\/([^/?#@\s:[\]]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?([/?][^\s#]*)?$/;

/** Whether keys may be fetched from a URL: https, or http on a loopback host, without user info. */
export function isJwksUrl(url: string): boolean {
  const match = URL_PATTERN.exec(url);
  return match !== null && (match[1] === 'https' || LOOPBACK_HOST.test(match[2] ?? ''));
}

/** Returns the settings alone. Throws ApiError (400) if they contradict each other or cannot be used. */
export function toJwtSettings({ issuer, audience, publicKeyPem, jwksUrl }: JwtSettings): JwtSettings {
  for (const [name, text] of Object.entries({ issuer, audience, publicKeyPem, jwksUrl }))
    if (text !== undefined && !isStorableText(text))
      throw invalid(`jwt.${name}`, 'must be well-formed Unicode without U+0000');
  if (publicKeyPem !== undefined && jwksUrl === undefined) return { issuer, audience, publicKeyPem };
  if (jwksUrl === undefined || publicKeyPem !== undefined)
    throw invalid('jwt', 'takes publicKeyPem or jwksUrl, exactly one of them');
  if (isJwksUrl(jwksUrl)) return { issuer, audience, jwksUrl };
  const takes = 'takes an https address (http on a loopback host only)';
  throw invalid('jwt.jwksUrl', `${takes}, got ${quote(jwksUrl)}`);
}

/** The maximum length of a claim or URL, since audit entries copy settings. */
export const SETTING_LENGTH_MAX = 2_048;
/** The maximum length of the text of a public key; a certificate chain fits. */
export const PUBLIC_KEY_LENGTH_MAX = 16_384;
