import { invalid } from '../base/errors.ts';
import { isStorableText } from '../event/text.ts';
import { isEverything } from '../filter/condition.ts';
import { parseCountBody } from '../query/parse-query.ts';
import type { FilterEntry } from '../filter/filter.ts';
import { readAs } from '../query/read-as.ts';
import { SETTINGS_JSON_SCHEMAS } from './json-schemas.ts';
import { isPublicKey, toPermissions, type ApiKey } from './key.ts';
import {
  onlyForWriteKeys,
  toRestrictionChanges,
  toRestrictions,
  type KeyRestrictions,
  type KeyRestrictionsOptions,
} from './key-restrictions.ts';
import { toMark, type Mark } from './mark.ts';
import { parseName } from './name.ts';
import { checkPlan, type PlanChoice } from './plan.ts';
import type { ConfigEntry } from './remote-config.ts';
import type { Settings } from './settings-schema.ts';
import {
  toJwtSettings,
  type JwtSettings,
  type Tenant,
  type TenantChanges,
  type TenantOptions,
} from './tenant.ts';

/**
 * Returns what is set, if it is as its schema describes it. `where` names it in a refusal. Throws ApiError
 * (400), like every function in this file.
 */
function readSettings<Name extends keyof Settings>(
  name: Name,
  value: unknown,
  where: { readonly root: string } | { readonly base: readonly string[] },
): Settings[Name] {
  return readAs(SETTINGS_JSON_SCHEMAS[name], value, SETTINGS_JSON_SCHEMAS, where) as Settings[Name];
}

/** Parses the settings of a new tenant. */
export function parseTenantOptions(value: unknown): Required<TenantOptions> {
  const given = readSettings('TenantOptions', value, { root: 'tenant' });
  const { alias, name = alias, plan, limits = null, ingestion = 'default', retentionDays = null } = given;
  return {
    ...toSenderAuth(given, { authStrategy: 'NONE', jwt: null }),
    ...checkPlan({ plan, limits }),
    ...{ alias, name: parseName(name), ingestion, retentionDays },
  };
}

/** How the senders of a tenant authenticate. */
type SenderAuth = Pick<Tenant, 'authStrategy' | 'jwt'>;

/** Parses the settings of a new key. */
export function parseKeyOptions(
  value: unknown,
): Pick<ApiKey, 'name' | 'permissions' | 'restrictions' | 'filterSet' | 'expiresAt'> {
  const given = readSettings('KeyOptions', value, { root: 'key' });
  const { name, restrictions = null, filterSet = null, expiresAt = null } = given;
  const permissions = toPermissions(given.permissions);
  return {
    name: parseName(name),
    permissions,
    expiresAt,
    restrictions: restrictionsOf(permissions, restrictions),
    filterSet: filterSet && checkFilterSet(permissions, filterSet),
  };
}

/** The restrictions of a new key, which a public write key has and no other. */
function restrictionsOf(
  permissions: ApiKey['permissions'],
  given: KeyRestrictionsOptions | null,
): KeyRestrictions | null {
  if (isPublicKey({ permissions }))
    return toRestrictions(readSettings('KeyRestrictionsOptions', given, { base: ['restrictions'] }));
  if (given !== null) throw onlyForWriteKeys();
  return null;
}

/**
 * Checks the filters of a key that reads some events. Filters that match every event are refused: such a key
 * would read everything although its owner set a filter.
 */
function checkFilterSet(
  permissions: ApiKey['permissions'],
  filterSet: readonly FilterEntry[],
): readonly FilterEntry[] {
  if (permissions.join() !== 'query')
    throw invalid('filterSet', 'is for a key with the permission query alone');
  const { from, until, condition } = parseCountBody({ filterSet });
  if (from === -Infinity && until === Infinity && isEverything(condition))
    throw invalid('filterSet', 'takes filters that leave out some events; null is for all events');
  return filterSet;
}

/** Parses changes to the restrictions of a public write key. */
export function parseRestrictionChanges(value: unknown): Partial<KeyRestrictions> {
  return toRestrictionChanges(readSettings('KeyRestrictionChanges', value, { base: ['restrictions'] }));
}

/** The changes to pass to the store: checked, and limited to the fields that may change. */
export function parseTenantChanges(value: unknown, before: Tenant): TenantChanges {
  const given = readSettings('TenantChanges', value, { root: 'tenant' });
  const { name, plan, limits, ingestion, retentionDays, authStrategy, jwt } = given;
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(plan === undefined && limits === undefined
      ? {}
      : checkPlan({ plan: plan ?? before.plan, limits: limits ?? null })),
    ...(ingestion === undefined ? {} : { ingestion }),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(authStrategy === undefined && jwt === undefined ? {} : toSenderAuth(given, before)),
  };
}

/**
 * If the strategy or its settings change, both are written together. Of two concurrent changes one then stays
 * intact, and no tenant ends up with a strategy without settings.
 */
function toSenderAuth({ authStrategy, jwt }: Partial<SenderAuth>, before: SenderAuth): SenderAuth {
  const after = {
    authStrategy: authStrategy ?? before.authStrategy,
    jwt: jwt === undefined ? before.jwt : jwt && toJwtSettings(jwt),
  };
  if (after.authStrategy === 'JWT' && after.jwt === null) {
    throw invalid('authStrategy', 'JWT needs an issuer, an audience, and a public key or a JWKS URL');
  }
  return after;
}

/** Parses the choice of a plan; only a custom one has limits, or null for none. */
export function parsePlan(plan: unknown, limits: unknown = null): PlanChoice {
  return checkPlan(readSettings('PlanChoice', { plan, limits }, { root: 'plan' }));
}

/** Parses settings for checking tokens. */
export function parseJwtSettings(value: unknown): JwtSettings {
  return toJwtSettings(readSettings('JwtSettings', value, { base: ['jwt'] }));
}

/** Parses an entry of the remote config. An empty value is none: the SDK would use its default instead. */
export function parseConfigEntry(value: unknown): ConfigEntry {
  const entry = readSettings('ConfigEntry', value, { root: 'entry' });
  if (!isStorableText(entry.value)) throw invalid('value', 'must be well-formed Unicode without U+0000');
  return entry;
}

/** Parses what a new mark says; its time is `now` if it says none. */
export function parseMarkOptions(value: unknown, now: number): Pick<Mark, 'time' | 'name' | 'url'> {
  return toMark(readSettings('MarkOptions', value, { root: 'mark' }), now);
}

/** Parses an instant or a length of time. A key whose expiry were NaN would never be valid. */
export function parseMilliseconds(where: string, ms: unknown): number {
  return readSettings('Milliseconds', ms, { base: [where] });
}

/** Parses a number of days of history. */
export function parseUsageDays(days: unknown): number {
  return readSettings('UsageDays', days, { base: ['days'] });
}
