import * as z from 'zod';
import { configFields, tenantFields } from '../../access/admin-body-schema.ts';
import { AUDIT_ACTIONS, type AuditEntry } from '../../access/audit.ts';
import { PERMISSIONS } from '../../access/key.ts';
import type { KeyRestrictions } from '../../access/key-restrictions.ts';
import type { ConfigEntry } from '../../access/remote-config.ts';
import { ROLES } from '../../access/admin-credential.ts';
import { REFUSAL_REASONS, type RefusalReason, type ToldRefusal } from '../../access/refusal.ts';
import type { IngestionLimits, Limits, Plan } from '../../access/plan.ts';
import type { UsageDay } from '../../access/usage.ts';
import { SHAPE_TYPES } from '../../event/event-shape.ts';
import { COMPARISONS } from '../../filter/filter.ts';
import { describes } from '../../filter/filter-schema.ts';
import { OPERAND_WORDS, type OperandKind } from '../../filter/operands.ts';
import type { ComparisonName } from '../../filter/operators.ts';
import type {
  AuditAnswer,
  BeginSignInAnswer,
  BucketAnswer,
  Choices,
  EndedSessionsAnswer,
  ErasedAnswer,
  InvitationAnswer,
  IssuedKeyAnswer,
  KeyAnswer,
  PersonSession,
  SessionAnswer,
  SignInAnswer,
  SignOutAnswer,
  TenantAnswer,
  TokenCheck,
  UsageAnswer,
  ViewAnswer,
  WaysToSignIn,
} from './admin-answer.ts';
import { anyObject, whole } from './answer-schema.ts';

// The one description of the answers of the Admin API. `npm run validators` reads it, as answer-schema.ts.

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  z.enum(Object.keys(table) as [Name, ...Name[]]);

const uuid = z.string().meta({ format: 'uuid' });
const instant = whole.describe('epoch milliseconds');
const aliases = z.array(z.string()).nullable().describe('aliases of tenants; null for all');

const sessionFields = {
  name: z.string(),
  role: z.enum(ROLES),
  tenants: aliases,
  administers: aliases,
  provider: z.string().nullable(),
  expiresAt: instant.nullable(),
};

const limits = describes<Limits>()(z.object({ perMinute: whole, perDay: whole })).nullable();
const ingestionLimits = describes<IngestionLimits>()(
  z.object({ eventsPerMinute: whole, bytesPerMinute: whole }),
);

const tenantSchema = describes<TenantAnswer>()(
  z.object({
    id: uuid,
    alias: z.string(),
    ...tenantFields,
    createdAt: instant,
    queryApi: z.boolean(),
    requestLimits: limits,
    ingestionLimits: ingestionLimits.nullable(),
  }),
);

const keyFields = {
  id: uuid,
  name: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
};

const restrictions = describes<KeyRestrictions>()(
  z.object({
    origins: z.array(z.string()),
    eventNames: z.array(z.string()).nullable().describe('null for any'),
    eventsPerMinute: whole,
    eventsPerDay: whole,
  }),
);

const keySchema = describes<KeyAnswer>()(
  z.object({
    ...keyFields,
    tenantId: uuid,
    restrictions: restrictions.nullable().describe('of a public write key; null for any other'),
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    state: z.enum(['active', 'expired', 'revoked']),
    secrets: z.array(
      z.object({
        createdAt: instant,
        expiresAt: instant.nullable(),
        text: z.string().describe('of a public write key, which is no secret').exactOptional(),
      }),
    ),
  }),
);

const bucketsSchema = z
  .array(
    describes<BucketAnswer>()(
      z.object({
        limit: whole,
        windowMs: whole,
        remaining: whole,
        fullInMs: whole,
      }),
    ),
  )
  .nullable()
  .describe('null for no limit');

const auditEntrySchema = describes<Omit<AuditEntry, 'details'> & { details: object }>()(
  z.object({
    id: uuid,
    at: instant,
    who: z.string(),
    from: z.string(),
    credentialId: z.string().nullable(),
    person: z.object({ issuer: z.string(), subject: z.string() }).nullable(),
    action: z.enum(AUDIT_ACTIONS),
    tenantId: z.string().nullable(),
    alias: z.string().nullable(),
    details: anyObject,
  }),
);

const shapeFields = { type: z.enum(SHAPE_TYPES), length: whole.exactOptional() };

const refusalSchema = describes<ToldRefusal>()(
  z.object({
    reason: z.enum(REFUSAL_REASONS as [RefusalReason, ...RefusalReason[]]),
    of: z.enum(['events', 'requests']).describe('what is counted'),
    why: z.string().describe('a sentence that says what would be right'),
    count: whole,
    firstAt: instant,
    lastAt: instant,
    example: z
      .object({
        ...shapeFields,
        where: z.string().exactOptional(),
        fields: z.array(z.object({ key: z.string(), ...shapeFields })),
        more: whole.describe('how many keys were left out'),
      })
      .nullable()
      .describe('an event without its values; null where anybody may have sent it'),
  }),
);

/** The schemas of the answers of the Admin API, by their names in OpenAPI. */
export const ADMIN_ANSWER_SCHEMAS = {
  WaysToSignIn: describes<WaysToSignIn>()(z.object({ link: z.boolean(), provider: z.string().nullable() })),
  Session: describes<SessionAnswer>()(z.object(sessionFields)),
  SignIn: describes<SignInAnswer>()(z.object({ ...sessionFields, returnTo: z.string().optional() })),
  BeginSignIn: describes<BeginSignInAnswer>()(z.object({ url: z.string() })),
  SignOut: describes<SignOutAnswer>()(z.object({ url: z.string().optional() })),
  PersonSession: describes<PersonSession>()(
    z.object({
      ...{ id: uuid, name: z.string(), role: z.enum(ROLES), isPending: z.boolean(), tenants: aliases },
      ...{
        provider: z.string().nullable(),
        subject: z.string().nullable(),
        invitedBy: z.string().nullable(),
      },
      ...{ createdAt: instant, lastUsedAt: instant.nullable(), expiresAt: instant },
      ...{ isOwn: z.boolean(), isCurrent: z.boolean() },
    }),
  ),
  EndedSessions: describes<EndedSessionsAnswer>()(z.object({ ended: whole })),
  Invitation: describes<InvitationAnswer>()(z.object({ id: uuid, url: z.string(), expiresAt: instant })),
  Tenant: tenantSchema,
  Key: keySchema,
  IssuedKey: describes<IssuedKeyAnswer>()(
    z.object({ key: keySchema, secret: z.string(), namesakes: z.array(uuid) }),
  ),
  ConfigEntry: describes<ConfigEntry>()(z.object(configFields)),
  Choices: describes<Choices>()(
    z.object({
      plans: z.array(describes<Plan>()(z.object({ name: tenantFields.plan, queryApi: z.boolean(), limits }))),
      comparisons: z.array(
        z.object({
          name: namesOf<ComparisonName>(COMPARISONS),
          said: z.string(),
          takes: namesOf<OperandKind>(OPERAND_WORDS),
        }),
      ),
    }),
  ),
  TokenCheck: describes<TokenCheck>()(
    z.discriminatedUnion('valid', [
      z.object({ valid: z.literal(true), userId: z.string() }),
      z.object({ valid: z.literal(false), error: z.string() }),
    ]),
  ),
  Erased: describes<ErasedAnswer>()(z.object({ erased: whole })),
  Usage: describes<UsageAnswer>()(
    z.object({
      queryApi: z.boolean(),
      ingestion: bucketsSchema,
      keys: z.array(z.object({ ...keyFields, windows: bucketsSchema })),
    }),
  ),
  UsageDay: describes<UsageDay>()(
    z.object({
      day: z.string().describe('the day in UTC').meta({ format: 'date' }),
      requests: whole,
      refused: whole.describe('requests that were answered with an error'),
      limited: whole.describe('requests that a limit refused, which are refused as well'),
      events: whole.describe('events that were stored'),
      rejected: whole,
      bytes: whole.describe('bytes of the events’ JSON'),
    }),
  ),
  View: describes<ViewAnswer>()(
    z.object({
      ...{ id: uuid, name: z.string(), question: z.string(), isShared: z.boolean(), by: z.string() },
      ...{ createdAt: instant, changedAt: instant, mayChange: z.boolean() },
    }),
  ),
  Refusal: refusalSchema,
  AuditEntry: auditEntrySchema,
  Audit: describes<Omit<AuditAnswer, 'entries'> & { entries: readonly z.infer<typeof auditEntrySchema>[] }>()(
    z.object({ entries: z.array(auditEntrySchema), before: z.string().exactOptional() }),
  ),
  Nothing: z.object({}),
} as const;
