import { invalid } from '../base/errors.ts';
import { describeValue, quote } from '../event/text.ts';
import { ADMIN_BODY_FIELDS } from './admin-body-fields.ts';
import { parseIngestion, parsePlan } from './plan.ts';
import { parseRetention } from './retention.ts';
import { isPublicKey, parsePermissions, type ApiKey } from './key.ts';
import { parseKeyRestrictions } from './key-restrictions.ts';
import { parseName } from './name.ts';
import {
  parseAlias,
  parseAuthStrategy,
  parseJwtSettings,
  type Tenant,
  type TenantChanges,
  type TenantOptions,
} from './tenant.ts';

/** The last instant that a Date can represent; later ones could not be displayed. */
export const MILLISECONDS_MAX = 8_640_000_000_000_000;

type AdminBodyName = keyof typeof ADMIN_BODY_FIELDS;
type FieldOf<Name extends AdminBodyName> = (typeof ADMIN_BODY_FIELDS)[Name][number];

/**
 * The fields of a body of the Admin API, which may have no others than its schema names. Their values are
 * still to be parsed. Throws ApiError (400).
 */
export function fieldsOf<Name extends AdminBodyName>(
  where: string,
  value: unknown,
  body: Name,
): Readonly<Partial<Record<FieldOf<Name>, unknown>>> {
  const names: readonly string[] = ADMIN_BODY_FIELDS[body];
  if (typeof value !== 'object' || value === null)
    throw invalid(where, `takes an object, got ${describeValue(value)}`);
  const unknown = Object.keys(value).find((key) => !names.includes(key));
  if (unknown !== undefined) throw invalid(where, `unknown field ${quote(unknown)}; use ${names.join(', ')}`);
  return value as Readonly<Partial<Record<FieldOf<Name>, unknown>>>;
}

/** Parses the settings of a new tenant. Throws ApiError (400), like every parser in this file. */
export function parseTenantOptions(value: unknown): Required<TenantOptions> {
  const fields = fieldsOf('tenant', value, 'TenantOptions');
  const alias = parseAlias(fields.alias);
  const { name = alias, plan, limits, ingestion = 'default', retentionDays = null } = fields;
  return {
    ...parseStrategy(fields.authStrategy, fields.jwt, { authStrategy: 'NONE', jwt: null }),
    alias,
    name: parseName(name),
    ...parsePlan(plan, limits),
    ingestion: parseIngestion(ingestion),
    retentionDays: parseRetention(retentionDays),
  };
}

/** How the senders of a tenant authenticate. */
type SenderAuth = Pick<Tenant, 'authStrategy' | 'jwt'>;

/** Parses the settings of a new key. */
export function parseKeyOptions(
  value: unknown,
): Pick<ApiKey, 'name' | 'permissions' | 'restrictions' | 'expiresAt'> {
  const fields = fieldsOf('key', value, 'CreateKeyBody');
  const { name, restrictions = null, expiresAt = null } = fields;
  const permissions = parsePermissions(fields.permissions);
  const isPublic = isPublicKey({ permissions });
  if (!isPublic && restrictions !== null)
    throw invalid('restrictions', 'are for a key with the permission write only');
  return {
    name: parseName(name),
    permissions,
    restrictions: isPublic ? parseKeyRestrictions(restrictions) : null,
    expiresAt: expiresAt === null ? null : parseMilliseconds('expiry', expiresAt),
  };
}

/** The changes to pass to the store: checked, and limited to the fields that may change. */
export function parseTenantChanges(value: unknown, before: Tenant): TenantChanges {
  const fields = fieldsOf('tenant', value, 'TenantChanges');
  const { name, plan = before.plan, limits, ingestion, retentionDays, authStrategy, jwt } = fields;
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(fields.plan === undefined && limits === undefined ? {} : parsePlan(plan, limits)),
    ...(ingestion === undefined ? {} : { ingestion: parseIngestion(ingestion) }),
    ...(retentionDays === undefined ? {} : { retentionDays: parseRetention(retentionDays) }),
    ...(authStrategy === undefined && jwt === undefined ? {} : parseStrategy(authStrategy, jwt, before)),
  };
}

/**
 * If the strategy or its settings change, both are written together. Of two concurrent changes one then stays
 * intact, and no tenant ends up with a strategy without settings.
 */
function parseStrategy(authStrategy: unknown, jwt: unknown, before: SenderAuth): SenderAuth {
  const after = {
    authStrategy: authStrategy === undefined ? before.authStrategy : parseAuthStrategy(authStrategy),
    jwt: jwt === undefined ? before.jwt : jwt === null ? null : parseJwtSettings(jwt),
  };
  if (after.authStrategy === 'JWT' && after.jwt === null) {
    throw invalid('auth', 'JWT needs an issuer, an audience, and a public key or a JWKS URL');
  }
  return after;
}

/**
 * A whole number of milliseconds that a Date can represent. A key whose expiry were NaN would never be valid.
 */
export function parseMilliseconds(where: string, ms: unknown): number {
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= MILLISECONDS_MAX) return ms;
  const got = typeof ms === 'number' ? String(ms) : describeValue(ms);
  throw invalid(where, `takes whole milliseconds of 0 or more, got ${got}`);
}
