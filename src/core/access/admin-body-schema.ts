import * as z from 'zod';
import { describes, strict } from '../filter/filter-schema.ts';
import { countBodySchema } from '../query/body-schema.ts';
import type {
  BeginSignInBody,
  ChangeViewBody,
  CheckTokenBody,
  CreateKeyBody,
  CreateViewBody,
  DeleteTenantBody,
  DeleteViewBody,
  EndSessionsBody,
  InviteBody,
  EraseEventsBody,
  ResetLimitsBody,
  RevokeKeyBody,
  RotateKeyBody,
  SetKeyBody,
  SignInBody,
  UnsetConfigBody,
} from './admin-body.ts';
import { ROLES } from './admin-credential.ts';
import { MILLISECONDS_MAX } from './admin-options.ts';
import { PERMISSIONS } from './key.ts';
import { KEY_EVENT_NAMES_MAX, ORIGINS_MAX, type KeyRestrictionsOptions } from './key-restrictions.ts';
import {
  INGESTION_LIMIT_MAX,
  LIMIT_MAX,
  PLAN_NAMES,
  type IngestionLimits,
  type Limits,
  type PlanName,
} from './plan.ts';
import { VALUE_LENGTH_MAX, type ConfigEntry } from './remote-config.ts';
import { RETENTION_DAYS_MAX } from './retention.ts';
import { AUTH_STRATEGIES, type JwtSettings, type TenantChanges, type TenantOptions } from './tenant.ts';

// The one description of each body of the Admin API. It is read when the project is built: `npm run
// validators` writes from it the fields that a body may have, and the JSON Schemas that OpenAPI shows.

function limit(max: number) {
  return z.int().min(1).max(max);
}

/** An instant or a length of time. */
const milliseconds = z.int().min(0).max(MILLISECONDS_MAX);

const limitsSchema = describes<Limits>()(strict({ perMinute: limit(LIMIT_MAX), perDay: limit(LIMIT_MAX) }));
const ingestionLimitsSchema = describes<IngestionLimits>()(
  strict({ eventsPerMinute: limit(INGESTION_LIMIT_MAX), bytesPerMinute: limit(INGESTION_LIMIT_MAX) }),
);
const jwtSettingsSchema = describes<JwtSettings>()(
  z
    .object({
      issuer: z.string(),
      audience: z.string(),
      publicKeyPem: z.string().exactOptional(),
      jwksUrl: z.string().exactOptional(),
    })
    .describe('publicKeyPem or jwksUrl, exactly one of them'),
);

const origins = z.array(z.string()).min(1).max(ORIGINS_MAX).describe('origins of pages, or * alone for any');
const eventNames = z.array(z.string()).min(1).max(KEY_EVENT_NAMES_MAX).nullable().describe('null for any');
const restrictionFields = {
  eventNames: eventNames.exactOptional(),
  eventsPerMinute: limit(LIMIT_MAX).exactOptional(),
  eventsPerDay: limit(LIMIT_MAX).exactOptional(),
};
const restrictionsSchema = describes<KeyRestrictionsOptions>()(strict({ origins, ...restrictionFields }));

/** What a tenant keeps of its plan and settings, as it is sent and as it is answered. */
export const tenantFields = {
  name: z.string().describe('1 to 256 characters, none of them invisible; spaces around it are left out'),
  plan: z.enum(PLAN_NAMES as [PlanName, ...PlanName[]]),
  limits: limitsSchema.nullable().describe('of the plan custom; null for no limit, and for any other plan'),
  ingestion: z.union([z.literal('default'), ingestionLimitsSchema, z.null()]).describe('null for no limit'),
  retentionDays: z.int().min(1).max(RETENTION_DAYS_MAX).nullable().describe('null for ever'),
  authStrategy: z.enum(AUTH_STRATEGIES),
  jwt: jwtSettingsSchema.nullable(),
};

/** A value of the remote config. */
export const configFields = {
  key: z.string().describe('1 to 128 of A-Z, a-z, 0-9, ., _ and -, beginning with a letter or digit'),
  value: z.string().min(1).max(VALUE_LENGTH_MAX),
};

const { name, plan, limits, ingestion, retentionDays, authStrategy, jwt } = tenantFields;
const id = z.string().describe('the id of a key');

/** What bodies and answers have in common, by the names that OpenAPI gives it. */
export const ADMIN_PART_SCHEMAS = {
  Limits: limitsSchema,
  IngestionLimits: ingestionLimitsSchema,
  JwtSettings: jwtSettingsSchema,
  KeyRestrictionsOptions: restrictionsSchema,
} as const;

/** The bodies, by the names that OpenAPI gives them. */
export const ADMIN_BODY_SCHEMAS = {
  TenantOptions: describes<TenantOptions>()(
    strict({
      alias: z.string(),
      plan,
      limits: limits.exactOptional(),
      ingestion: ingestion.exactOptional(),
      retentionDays: retentionDays.exactOptional(),
      name: name.exactOptional(),
      authStrategy: authStrategy.exactOptional(),
      jwt: jwt.exactOptional(),
    }),
  ),
  TenantChanges: describes<TenantChanges>()(
    strict({
      name: name.exactOptional(),
      plan: plan.exactOptional(),
      limits: limits.exactOptional(),
      ingestion: ingestion.exactOptional(),
      retentionDays: retentionDays.exactOptional(),
      authStrategy: authStrategy.exactOptional(),
      jwt: jwt.exactOptional(),
    }),
  ),
  DeleteTenantBody: describes<DeleteTenantBody>()(strict({ alias: z.string() })),
  CreateKeyBody: describes<CreateKeyBody>()(
    strict({
      name,
      permissions: z.array(z.enum(PERMISSIONS)).min(1),
      restrictions: restrictionsSchema
        .nullable()
        .describe('of a key with the permission write; null for any other')
        .exactOptional(),
      expiresAt: milliseconds.nullable().exactOptional(),
    }),
  ),
  SetKeyBody: describes<SetKeyBody>()(
    strict({
      id,
      restrictions: strict({ origins: origins.exactOptional(), ...restrictionFields }).describe(
        'what changes; absent fields stay as they are',
      ),
    }),
  ),
  RotateKeyBody: describes<RotateKeyBody>()(strict({ id, overlapMs: milliseconds.exactOptional() })),
  RevokeKeyBody: describes<RevokeKeyBody>()(strict({ id })),
  SetConfigBody: describes<ConfigEntry>()(strict(configFields)),
  UnsetConfigBody: describes<UnsetConfigBody>()(strict({ key: configFields.key })),
  CheckTokenBody: describes<CheckTokenBody>()(strict({ token: z.string(), jwt: jwt.exactOptional() })),
  ResetLimitsBody: describes<ResetLimitsBody>()(strict({ id: id.exactOptional() })),
  EraseEventsBody: describes<EraseEventsBody>()(strict({ alias: z.string(), query: countBodySchema })),
  SignInBody: describes<SignInBody>()(
    strict({ code: z.string().exactOptional(), callback: z.string().exactOptional() }),
  ),
  EndSessionsBody: describes<EndSessionsBody>()(
    strict({ id: z.string().exactOptional(), name: z.string().exactOptional() }),
  ),
  InviteBody: describes<InviteBody>()(
    strict({
      name,
      role: z.enum(ROLES),
      tenants: z.array(z.string()).nullable().describe('aliases; null for all').exactOptional(),
    }),
  ),
  CreateViewBody: describes<CreateViewBody>()(strict({ name, question: z.string(), isShared: z.boolean() })),
  ChangeViewBody: describes<ChangeViewBody>()(
    strict({ id: z.string(), name: name.exactOptional(), question: z.string().exactOptional() }),
  ),
  DeleteViewBody: describes<DeleteViewBody>()(strict({ id: z.string() })),
  BeginSignInBody: describes<BeginSignInBody>()(
    strict({ returnTo: z.string().exactOptional(), anotherAccount: z.boolean().exactOptional() }),
  ),
  EmptyBody: strict({}),
} as const;
