import * as z from 'zod';
import { describes, entriesSchema, strict, type DeepReadonly } from '../filter/filter-schema.ts';
import { PERMISSIONS } from './key.ts';
import { KEY_EVENT_NAMES_MAX, ORIGINS_MAX, type KeyRestrictionsOptions } from './key-restrictions.ts';
import { MARK_NAME_LENGTH_MAX, MARK_URL_LENGTH_MAX, MARK_URL_PATTERN, type MarkOptions } from './mark.ts';
import { NAME_LENGTH_MAX } from './name.ts';
import {
  INGESTION_LIMIT_MAX,
  LIMIT_MAX,
  PLAN_NAMES,
  type IngestionLimits,
  type Limits,
  type PlanChoice,
  type PlanName,
} from './plan.ts';
import { CONFIG_KEY_PATTERN, VALUE_LENGTH_MAX, type ConfigEntry } from './remote-config.ts';
import { RETENTION_DAYS_MAX } from './retention.ts';
import {
  ALIAS_PATTERN,
  AUTH_STRATEGIES,
  PUBLIC_KEY_LENGTH_MAX,
  SETTING_LENGTH_MAX,
  type JwtSettings,
  type TenantChanges,
  type TenantOptions,
} from './tenant.ts';
import { USAGE_DAYS_MAX } from './usage.ts';
import { INSTANT_WORDS } from '../query/body.ts';
import { MILLISECONDS_MAX } from '../event/time.ts';

// The one description of what is set of tenants, keys, marks and the remote config, over HTTP, by a command
// or by a program. It is read when the project is built: `npm run validators` writes the JSON Schemas from
// it, by which the operations check what they are given.

function limit(max: number) {
  return z.int().min(1).max(max).describe(`takes a whole number from 1 to ${max}`);
}

function text(max: number) {
  return z.string().min(1).max(max).describe(`takes a text of 1 to ${max} characters`);
}

const limits = describes<Limits>()(strict({ perMinute: limit(LIMIT_MAX), perDay: limit(LIMIT_MAX) }));
const ingestionLimits = describes<IngestionLimits>()(
  strict({ eventsPerMinute: limit(INGESTION_LIMIT_MAX), bytesPerMinute: limit(INGESTION_LIMIT_MAX) }),
);

/** An instant or a length of time. */
export const milliseconds = z
  .int()
  .min(0)
  .max(MILLISECONDS_MAX)
  .describe('takes whole milliseconds of 0 or more');

/** How many days of history are told. */
export const usageDays = z
  .int()
  .min(1)
  .max(USAGE_DAYS_MAX)
  .describe(`takes a whole number from 1 to ${USAGE_DAYS_MAX}`);

/** A name that people read; that it has at least one character to be seen is checked besides. */
export const name = nameOf(NAME_LENGTH_MAX);

function nameOf(max: number) {
  return z
    .string()
    .describe(`takes 1 to ${max} characters, none of them invisible; spaces around it are left out`);
}

/** The name of a tenant in requests and commands. */
export const alias = z
  .string()
  .regex(ALIAS_PATTERN)
  .describe(
    'takes 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit, and not shaped like a UUID',
  );

/** Settings for checking tokens. */
const jwtSettings = describes<JwtSettings>()(
  z
    .object({
      issuer: text(SETTING_LENGTH_MAX).describe('takes the iss claim of your tokens'),
      audience: text(SETTING_LENGTH_MAX).describe('takes the aud claim of your tokens'),
      publicKeyPem: text(PUBLIC_KEY_LENGTH_MAX).exactOptional(),
      jwksUrl: text(SETTING_LENGTH_MAX).exactOptional(),
    })
    .describe('takes an issuer, an audience, and publicKeyPem or jwksUrl, exactly one of them'),
);

const texts = (max: number) =>
  z.array(z.string()).min(1).max(max).describe(`takes an array of 1 to ${max} texts`);

const restrictionFields = {
  eventNames: texts(KEY_EVENT_NAMES_MAX)
    .nullable()
    .describe(`takes an array of 1 to ${KEY_EVENT_NAMES_MAX} texts, or null for any`)
    .exactOptional(),
  eventsPerMinute: limit(LIMIT_MAX).exactOptional(),
  eventsPerDay: limit(LIMIT_MAX).exactOptional(),
};
const restrictions = describes<KeyRestrictionsOptions>()(
  strict({ origins: texts(ORIGINS_MAX), ...restrictionFields }).describe('takes an object with origins'),
);
const restrictionChanges = describes<Partial<KeyRestrictionsOptions>>()(
  strict({ origins: texts(ORIGINS_MAX).exactOptional(), ...restrictionFields }).describe(
    'takes an object with what changes',
  ),
);

const plan = z.enum(PLAN_NAMES as [PlanName, ...PlanName[]]).describe(`use one of ${PLAN_NAMES.join(', ')}`);

/** What a tenant keeps of its plan and settings, as it is sent and as it is answered. */
export const tenantFields = {
  name,
  plan,
  limits: limits
    .nullable()
    .describe('takes perMinute and perDay of the plan custom; null for no limit, and for any other plan'),
  ingestion: z
    .union([z.literal('default'), ingestionLimits, z.null()])
    .describe('takes "default", null for no limit, or eventsPerMinute and bytesPerMinute'),
  retentionDays: z
    .int()
    .min(1)
    .max(RETENTION_DAYS_MAX)
    .nullable()
    .describe(`takes whole days from 1 to ${RETENTION_DAYS_MAX}, or null for ever`),
  authStrategy: z.enum(AUTH_STRATEGIES).describe(`use one of ${AUTH_STRATEGIES.join(', ')}`),
  jwt: jwtSettings
    .nullable()
    .describe('takes an issuer, an audience, and publicKeyPem or jwksUrl; null for none'),
};

const optional = {
  limits: tenantFields.limits.exactOptional(),
  ingestion: tenantFields.ingestion.exactOptional(),
  retentionDays: tenantFields.retentionDays.exactOptional(),
  authStrategy: tenantFields.authStrategy.exactOptional(),
  jwt: tenantFields.jwt.exactOptional(),
};

/** A value of the remote config. */
const configEntry = describes<ConfigEntry>()(
  strict({
    key: z
      .string()
      .regex(CONFIG_KEY_PATTERN)
      .describe('takes 1 to 128 of A-Z, a-z, 0-9, ., _ and -, beginning with a letter or digit'),
    value: text(VALUE_LENGTH_MAX),
  }),
);

/** An instant as a text. */
export const instantText = z.string().describe(`takes ${INSTANT_WORDS}`);

/** A mark. */
const markOptions = describes<MarkOptions>()(
  strict({
    name: nameOf(MARK_NAME_LENGTH_MAX),
    time: instantText.exactOptional(),
    url: z
      .string()
      .max(MARK_URL_LENGTH_MAX)
      .regex(MARK_URL_PATTERN)
      .nullable()
      .describe(`takes an http or https URL of at most ${MARK_URL_LENGTH_MAX} characters, or null for none`)
      .exactOptional(),
  }),
);

/** What is set, by the names that OpenAPI gives it. */
export const SETTINGS_SCHEMAS = {
  Limits: limits,
  IngestionLimits: ingestionLimits,
  JwtSettings: jwtSettings,
  KeyRestrictionsOptions: restrictions,
  KeyRestrictionChanges: restrictionChanges,
  Milliseconds: milliseconds,
  UsageDays: usageDays,
  PlanChoice: describes<PlanChoice>()(strict({ plan, limits: tenantFields.limits })),
  TenantOptions: describes<TenantOptions>()(strict({ alias, plan, name: name.exactOptional(), ...optional })),
  TenantChanges: describes<TenantChanges>()(
    strict({ name: name.exactOptional(), plan: plan.exactOptional(), ...optional }),
  ),
  KeyOptions: strict({
    name,
    permissions: z
      .array(z.enum(PERMISSIONS))
      .min(1)
      .describe(`takes one or more of ${PERMISSIONS.join(', ')}`),
    restrictions: restrictions
      .nullable()
      .describe('takes the restrictions of a key with the permission write; null for any other')
      .exactOptional(),
    filterSet: entriesSchema
      .nullable()
      .describe('takes an array of filters for a key with the permission query alone; null for all events')
      .exactOptional(),
    expiresAt: milliseconds
      .nullable()
      .describe('takes whole milliseconds of 0 or more, or null')
      .exactOptional(),
  }),
  ConfigEntry: configEntry,
  MarkOptions: markOptions,
} as const;

/** The types of what is set, by the same names. */
export type Settings = {
  readonly [Name in keyof typeof SETTINGS_SCHEMAS]: DeepReadonly<z.output<(typeof SETTINGS_SCHEMAS)[Name]>>;
};
