import * as z from 'zod';
import { ROLES } from '../../access/admin-credential.ts';
import { AUDIT_ACTIONS } from '../../access/audit.ts';
import type { ErasureReceipt } from '../../access/erasure-receipt.ts';
import type { Mark } from '../../access/mark.ts';
import { PERMISSIONS } from '../../access/key.ts';
import { REFUSAL_REASONS, type RefusalReason, type ToldRefusal } from '../../access/refusal.ts';
import { tenantFields } from '../../access/settings-schema.ts';
import type { UsageDay } from '../../access/usage.ts';
import { SHAPE_TYPES } from '../../event/event-shape.ts';
import { describes, entriesSchema, type DeepReadonly } from '../../filter/filter-schema.ts';
import { anyObject, whole } from './answer-schema.ts';

// What the answers of the Admin API are made of. `npm run validators` reads it, as answer-schema.ts.

/** What a schema describes, as a type. */
export type Inferred<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

/** The id of something. */
export const uuid = z.string().meta({ format: 'uuid' });
/** When something happened, or will. */
export const instant = whole.describe('epoch milliseconds');
const aliases = z.array(z.string()).nullable().describe('aliases of tenants; null for all');

/** A session or key for programs, as its holder sees it; `provider` is null where it came from none. */
export const sessionFields = {
  id: uuid,
  name: z.string(),
  role: z.enum(ROLES),
  tenants: aliases,
  administers: aliases,
  provider: z.string().nullable(),
  expiresAt: instant.nullable(),
};

/** A session, or a link that becomes one; never its secret. */
const personSession = z.object({
  id: uuid,
  name: z.string(),
  role: z.enum(ROLES),
  isPending: z.boolean().describe('whether it is an unused link'),
  tenants: aliases,
  provider: z.string().nullable(),
  subject: z.string().nullable().describe('what the provider knows the person as'),
  invitedBy: z.string().nullable(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  expiresAt: instant,
  isOwn: z.boolean().describe('whether it belongs to the person who asks'),
  isCurrent: z.boolean().describe('whether it is the session that asks'),
});

/** How many requests a key may make; null for no limit. */
export const requestLimits = z.object({ perMinute: whole, perDay: whole }).nullable();

/** A tenant, with the limits in force. */
const tenant = z.object({
  id: uuid,
  alias: z.string(),
  ...tenantFields,
  createdAt: instant,
  queryApi: z.boolean().describe('whether its plan includes the Query API'),
  requestLimits: requestLimits.describe('of each key; null for no limit'),
  ingestionLimits: z
    .object({ eventsPerMinute: whole, bytesPerMinute: whole })
    .nullable()
    .describe('of all senders together; null for no limit'),
});

/** What every answer tells of a key. */
export const keyFields = {
  id: uuid,
  name: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
};

/** A key, without its secrets and their hashes. Only that of a public write key is shown. */
const key = z.object({
  ...keyFields,
  tenantId: uuid,
  restrictions: z
    .object({
      origins: z.array(z.string()),
      eventNames: z.array(z.string()).nullable().describe('null for any'),
      eventsPerMinute: whole,
      eventsPerDay: whole,
    })
    .nullable()
    .describe('of a public write key; null for any other'),
  filterSet: entriesSchema.nullable().describe('the events that a key for queries reads; null for all'),
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  state: z.enum(['active', 'expired', 'revoked']),
  secrets: z.array(
    z.object({
      createdAt: instant,
      expiresAt: instant.nullable(),
      text: z.string().describe('of a public write key, which is no secret').exactOptional(),
      ending: z.string().describe('the last four characters').exactOptional(),
    }),
  ),
});

/** The tokens that are left in a bucket. */
const bucket = z.object({ limit: whole, windowMs: whole, remaining: whole, fullInMs: whole });
/** The buckets of a tenant or of a key. */
export const buckets = z.array(bucket).nullable().describe('null for no limit');

const isoInstant = z.string().meta({ format: 'date-time' });

const erasureReceipt = describes<ErasureReceipt>()(
  z.object({
    tenant: z.string().describe('the alias of the tenant'),
    erased: whole,
    names: z
      .array(z.object({ eventName: z.string(), count: whole }))
      .describe('what there was just before, the most first; at most 1,000 names'),
    otherNames: whole.describe('how many names are not listed'),
    first: isoInstant.nullable().describe('when the first of the events had happened'),
    last: isoInstant.nullable().describe('when the last of them had happened'),
    at: isoInstant,
    by: z.string(),
    auditEntry: z.object({
      id: uuid,
      sha256: z.string().describe('of the entry as compact JSON with its keys in order (jq -cjS)'),
    }),
  }),
);

const auditEntry = z.object({
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
});

const shapeFields = { type: z.enum(SHAPE_TYPES), length: whole.exactOptional() };

const refusal = describes<ToldRefusal>()(
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

const usageDay = describes<UsageDay>()(
  z.object({
    day: z.string().describe('the day in UTC').meta({ format: 'date' }),
    requests: whole,
    refused: whole.describe('requests that were answered with an error'),
    limited: whole.describe('requests that a limit refused, which are refused as well'),
    events: whole.describe('events that were stored'),
    rejected: whole,
    bytes: whole.describe('bytes of the events’ JSON'),
  }),
);

const view = z.object({
  id: uuid,
  name: z.string(),
  question: z.string(),
  isShared: z.boolean(),
  by: z.string(),
  createdAt: instant,
  changedAt: instant,
  mayChange: z.boolean(),
});

const mark = describes<Mark>()(
  z.object({ id: uuid, tenantId: uuid, time: isoInstant, name: z.string(), url: z.string().nullable() }),
);

/** The parts of answers that several routes tell, or lists hold, by their names in OpenAPI. */
export const ADMIN_SCHEMAS = {
  Session: z.object(sessionFields),
  PersonSession: personSession,
  Tenant: tenant,
  Key: key,
  IssuedKey: z.object({ key, secret: z.string(), namesakes: z.array(uuid) }),
  Bucket: bucket,
  UsageDay: usageDay,
  View: view,
  Mark: mark,
  Refusal: refusal,
  AuditEntry: auditEntry,
  ErasureReceipt: erasureReceipt,
  Nothing: z.object({}),
} as const;

/** The session or key for programs of the caller. */
export type SessionAnswer = Inferred<(typeof ADMIN_SCHEMAS)['Session']>;
/** A session, or a link that becomes one. */
export type PersonSession = Inferred<typeof personSession>;
/** A tenant, with the limits in force. */
export type TenantAnswer = Inferred<typeof tenant>;
/** A key, without its secrets and their hashes. */
export type KeyAnswer = Inferred<typeof key>;
/** A key with its secret, which only this answer shows. */
export type IssuedKeyAnswer = Inferred<(typeof ADMIN_SCHEMAS)['IssuedKey']>;
/** The present state of a token bucket. */
export type BucketAnswer = Inferred<typeof bucket>;
/** A saved view. */
export type ViewAnswer = Inferred<typeof view>;
