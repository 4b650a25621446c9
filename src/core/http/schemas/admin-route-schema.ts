import * as z from 'zod';
import { AUDIT_ACTIONS } from '../../access/audit.ts';
import { ROLES } from '../../access/admin-credential.ts';
import { INVITED_TENANTS_MAX } from '../../access/people.ts';
import {
  alias,
  instantText,
  milliseconds,
  name,
  SETTINGS_SCHEMAS,
  tenantFields,
  usageDays,
} from '../../access/settings-schema.ts';
import type { TokenCheck } from '../../access/token.ts';
import { COMPARISONS } from '../../filter/filter.ts';
import { describes, strict } from '../../filter/filter-schema.ts';
import { OPERAND_KINDS, type OperandKind } from '../../filter/operands.ts';
import type { ComparisonName } from '../../filter/operators.ts';
import { countBodySchema } from '../../query/body-schema.ts';
import {
  ADMIN_SCHEMAS,
  buckets,
  instant,
  keyFields,
  requestLimits,
  sessionFields,
  uuid,
  type Inferred,
} from './admin-schema.ts';
import { whole } from './answer-schema.ts';

// The one table of the routes of the Admin API. It is read when the project is built: `npm run validators`
// writes admin-table.ts and the JSON Schemas from it, by which requests are found, checked and described. The
// types of the operations are inferred from it.

/** A route of the Admin API. One with a body or a form is a POST, any other a GET. */
export interface AdminRow {
  readonly name: string;
  /** The path, with `{tenantId}` where the route is about one tenant. */
  readonly path: string;
  /**
   * Who may ask: `anyone`, an identity provider by its signature, or an administrator who may read the
   * tenant, change it, or change all tenants.
   */
  readonly caller: 'anyone' | 'provider' | 'viewer' | 'admin' | 'owner';
  /** What the query string holds; absent where it holds nothing. */
  readonly parameters?: z.ZodObject;
  /** The JSON that is sent; absent for a GET. */
  readonly body?: z.ZodType;
  /** The form that is sent. Its operation reads it itself. */
  readonly form?: z.ZodObject;
  /** What is sent, in words; absent for nothing. */
  readonly takes?: string;
  readonly answer: z.ZodType;
  /** What is answered, in words. */
  readonly gives: string;
}

const {
  Session,
  PersonSession,
  Tenant,
  Key,
  IssuedKey,
  UsageDay,
  View,
  Mark,
  Refusal,
  AuditEntry,
  ErasureReceipt,
  Nothing,
} = ADMIN_SCHEMAS;
const { TenantOptions, TenantChanges, KeyOptions, KeyRestrictionChanges, ConfigEntry, MarkOptions } =
  SETTINGS_SCHEMAS;

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  z.enum(Object.keys(table) as [Name, ...Name[]]);

/** How many characters a callback may have: it holds a code, a state and an issuer. */
const CALLBACK_LENGTH_MAX = 4_096;

const emptyBody = strict({});
const keyId = z.string().describe('takes the id of a key');
const viewId = z.string().describe('takes the id of a view');
/** Confirms that something is removed for good. */
const confirmedAlias = z.string().describe('takes the alias of the tenant once more, to be sure');
const question = z.string().describe('takes the parameters of an address of the explorer');

/** The routes of the Admin API that it does not share with the Query API. */
export const ADMIN_ROWS = [
  {
    name: 'signIn',
    path: '/v1/admin/sign-in',
    caller: 'anyone',
    body: strict({
      code: z.string().describe('takes the code of a sign-in link').exactOptional(),
      callback: z
        .string()
        .max(CALLBACK_LENGTH_MAX)
        .describe(`takes the query string of the provider, ${CALLBACK_LENGTH_MAX} characters at most`)
        .exactOptional(),
    }),
    takes: '`{"code"}` of a sign-in link, or `{"callback"}`: the query string that the provider sent back',
    answer: z.object({ ...sessionFields, returnTo: z.string().optional() }),
    gives: 'as of `session`, with its cookie; after a provider also `returnTo`, the page to open',
  },
  {
    name: 'waysToSignIn',
    path: '/v1/admin/sign-in/ways',
    caller: 'anyone',
    answer: z.object({ link: z.boolean(), provider: z.string().nullable() }),
    gives: '`link`: whether sign-in links work here; `provider`: the name of the identity provider, or null',
  },
  {
    name: 'beginSignIn',
    path: '/v1/admin/sign-in/begin',
    caller: 'anyone',
    body: strict({ returnTo: z.string().exactOptional(), anotherAccount: z.boolean().exactOptional() }),
    takes: '`{"returnTo"}`: a page of the dashboard; optional `anotherAccount`: true to choose one there',
    answer: z.object({ url: z.string() }),
    gives: '`{"url"}` of the identity provider, with a cookie valid for ten minutes',
  },
  {
    name: 'backChannelLogout',
    path: '/v1/admin/back-channel-logout',
    caller: 'provider',
    form: z.object({ logout_token: z.string() }),
    takes: 'the form field `logout_token`, from the identity provider',
    answer: Nothing,
    gives: '`{}`; ends the sessions that the token names',
  },
  {
    name: 'signOut',
    path: '/v1/admin/sign-out',
    caller: 'viewer',
    body: emptyBody,
    takes: '`{}`',
    answer: z.object({ url: z.string().optional() }),
    gives: '`{}`; ends the session. With the `url` to go to if the identity provider can end its own session',
  },
  {
    name: 'session',
    path: '/v1/admin/session',
    caller: 'viewer',
    answer: Session,
    gives:
      '`id`, `name`, `role`, `tenants`, those it `administers` (both null for all), `provider`, `expiresAt`',
  },
  {
    name: 'listSessions',
    path: '/v1/admin/sessions',
    caller: 'viewer',
    answer: z.array(PersonSession),
    gives: 'array of at most 1,000 [sessions](#people) that the caller may end, the latest first',
  },
  {
    name: 'endSessions',
    path: '/v1/admin/sessions/end',
    caller: 'viewer',
    body: strict({
      id: z.string().describe('takes the id of a session').exactOptional(),
      name: z.string().describe('takes the name of a person').exactOptional(),
    }),
    takes: '`id` of a session, or `name` for all sessions of a person',
    answer: z.object({ ended: whole }),
    gives: '`ended`: how many; they are refused from the next request on',
  },
  {
    name: 'invite',
    path: '/v1/admin/sessions/invite',
    caller: 'admin',
    body: strict({
      name,
      role: z.enum(ROLES).describe(`use one of ${ROLES.join(', ')}`),
      tenants: z
        .array(z.string())
        .min(1)
        .max(INVITED_TENANTS_MAX)
        .nullable()
        .describe(`takes 1 to ${INVITED_TENANTS_MAX} aliases, or null for all`)
        .exactOptional(),
    }),
    takes: '`name`, `role`; `tenants`: aliases, or null for all, at most those that the caller administers',
    answer: z.object({ id: uuid, url: z.string(), expiresAt: instant }),
    gives: '`url`: a sign-in link, shown only now; its `id` and `expiresAt`',
  },
  {
    name: 'choices',
    path: '/v1/admin/choices',
    caller: 'viewer',
    answer: z.object({
      plans: z.array(z.object({ name: tenantFields.plan, queryApi: z.boolean(), limits: requestLimits })),
      comparisons: z.array(
        z.object({
          name: namesOf<ComparisonName>(COMPARISONS),
          said: z.string(),
          takes: namesOf<OperandKind>(OPERAND_KINDS),
        }),
      ),
    }),
    gives: '`plans` with their limits (null: custom, or none), `comparisons` with the value each takes',
  },
  {
    name: 'listTenants',
    path: '/v1/admin/tenants',
    caller: 'viewer',
    parameters: strict({ after: alias.exactOptional() }),
    takes: 'none; `?after=ALIAS` for those after a tenant',
    answer: z.array(Tenant),
    gives: 'array of at most 1,000 tenants, sorted by alias',
  },
  {
    name: 'createTenant',
    path: '/v1/admin/tenants/create',
    caller: 'owner',
    body: TenantOptions,
    takes: '`alias`, `plan`; optional `name`, `limits`, `ingestion`',
    answer: Tenant,
    gives: 'the tenant',
  },
  {
    name: 'showTenant',
    path: '/v1/admin/tenants/show/{tenantId}',
    caller: 'viewer',
    answer: Tenant,
    gives: 'the tenant',
  },
  {
    name: 'setTenant',
    path: '/v1/admin/tenants/set/{tenantId}',
    caller: 'admin',
    body: TenantChanges,
    takes: '`name`, `authStrategy`, `jwt`; from an owner also `plan`, `limits`, `ingestion`, `retentionDays`',
    answer: Tenant,
    gives: 'the tenant',
  },
  {
    name: 'deleteTenant',
    path: '/v1/admin/tenants/delete/{tenantId}',
    caller: 'owner',
    body: strict({ alias: confirmedAlias }),
    takes: '`{"alias"}`, to confirm',
    answer: Nothing,
    gives: '`{}`; deletes the tenant, its keys and its events',
  },
  {
    name: 'listKeys',
    path: '/v1/admin/keys/{tenantId}',
    caller: 'viewer',
    answer: z.array(Key),
    gives: 'array of keys, oldest first',
  },
  {
    name: 'createKey',
    path: '/v1/admin/keys/create/{tenantId}',
    caller: 'admin',
    body: KeyOptions,
    takes: '`name`, `permissions`; optional `expiresAt` (epoch milliseconds), `restrictions` and `filterSet`',
    answer: IssuedKey,
    gives: '`key` and its `secret`, shown only now; `namesakes`: the ids of other live keys with this name',
  },
  {
    name: 'setKey',
    path: '/v1/admin/keys/set/{tenantId}',
    caller: 'admin',
    body: strict({ id: keyId, restrictions: KeyRestrictionChanges }),
    takes: '`id` of a public write key, and the `restrictions` that change',
    answer: Key,
    gives: 'the key, whose restrictions apply from the next request on',
  },
  {
    name: 'rotateKey',
    path: '/v1/admin/keys/rotate/{tenantId}',
    caller: 'admin',
    body: strict({ id: keyId, overlapMs: milliseconds.exactOptional() }),
    takes: '`id`; optional `overlapMs`: how long the old secret stays valid, a day by default',
    answer: IssuedKey,
    gives: '`key` and its new `secret`, shown only now',
  },
  {
    name: 'revokeKey',
    path: '/v1/admin/keys/revoke/{tenantId}',
    caller: 'admin',
    body: strict({ id: keyId }),
    takes: '`id`',
    answer: Key,
    gives: 'the key, which is refused from the next request on',
  },
  {
    name: 'listConfig',
    path: '/v1/admin/config/{tenantId}',
    caller: 'viewer',
    answer: z.array(ConfigEntry),
    gives: 'array of `key` and `value`: the [remote config](../../src/core/http/web-sdk.md#remote-config)',
  },
  {
    name: 'setConfig',
    path: '/v1/admin/config/set/{tenantId}',
    caller: 'admin',
    body: ConfigEntry,
    takes: '`key`, `value`',
    answer: z.array(ConfigEntry),
    gives: 'as of `config`, after the change',
  },
  {
    name: 'unsetConfig',
    path: '/v1/admin/config/unset/{tenantId}',
    caller: 'admin',
    body: strict({ key: z.string().describe('takes a key of the remote config') }),
    takes: '`key`',
    answer: z.array(ConfigEntry),
    gives: 'as of `config`, after the change',
  },
  {
    name: 'checkToken',
    path: '/v1/admin/tokens/check/{tenantId}',
    caller: 'admin',
    body: strict({
      token: z.string().describe('takes an access token as a text'),
      jwt: tenantFields.jwt.exactOptional(),
    }),
    takes: '`token`; optional `jwt`: settings to check with instead of those of the tenant',
    answer: describes<TokenCheck>()(
      z.discriminatedUnion('valid', [
        z.object({ valid: z.literal(true), userId: z.string() }),
        z.object({ valid: z.literal(false), error: z.string(), keys: z.literal('unread').exactOptional() }),
      ]),
    ),
    gives: '`valid`, with `userId` or `error`; `keys` is `unread` where these could not be read',
  },
  {
    name: 'usage',
    path: '/v1/admin/usage/{tenantId}',
    caller: 'viewer',
    answer: z.object({
      queryApi: z.boolean(),
      ingestion: buckets,
      keys: z.array(z.object({ ...keyFields, windows: buckets })),
    }),
    gives: 'the buckets of `ingestion` and of each live key in `keys`; null for no limit',
  },
  {
    name: 'usageHistory',
    path: '/v1/admin/usage/history/{tenantId}',
    caller: 'viewer',
    parameters: strict({ days: usageDays.exactOptional() }),
    takes: 'none; `?days=N` for the last 1 to 400 days instead of 30',
    answer: z.array(UsageDay),
    gives: 'array of [days](#usage-by-day), today last, with what was requested, refused and stored on each',
  },
  {
    name: 'storedSizes',
    path: '/v1/admin/usage/stored/{tenantId}',
    caller: 'viewer',
    answer: z.object({
      events: whole,
      bytes: whole.describe('as an export writes them: JSON in UTF-8, a line each'),
      names: z
        .array(z.object({ eventName: z.string(), events: whole, bytes: whole }))
        .describe('the most bytes first'),
    }),
    gives: '`events` and `bytes` that are stored, and the same of each name in `names`. It reads every event',
  },
  {
    name: 'resetLimits',
    path: '/v1/admin/limits/reset/{tenantId}',
    caller: 'owner',
    body: strict({ id: keyId.exactOptional() }),
    takes: '`{}`, or the `id` of one key',
    answer: Nothing,
    gives: '`{}`; refills the buckets of the tenant and its keys, or of the one key',
  },
  {
    name: 'listRefusals',
    path: '/v1/admin/refusals/{tenantId}',
    caller: 'viewer',
    answer: z.array(Refusal),
    gives: 'array of what was refused, the latest first, see [refusals](#refusals)',
  },
  {
    name: 'clearRefusals',
    path: '/v1/admin/refusals/clear/{tenantId}',
    caller: 'admin',
    body: emptyBody,
    takes: '`{}`',
    answer: Nothing,
    gives: '`{}`; forgets what was refused so far',
  },
  {
    name: 'eraseEvents',
    path: '/v1/admin/events/erase/{tenantId}',
    caller: 'admin',
    body: strict({ alias: confirmedAlias, query: countBodySchema }),
    takes: '`query` as the body of a count, and `alias`, to confirm',
    answer: ErasureReceipt,
    gives: 'how many were `erased`, and the rest of the [receipt](#erasing-events)',
  },
  {
    name: 'listViews',
    path: '/v1/admin/views/{tenantId}',
    caller: 'viewer',
    answer: z.array(View),
    gives: 'array of [saved views](#saved-views), those of the tenant and the own ones, by name',
  },
  {
    name: 'createView',
    path: '/v1/admin/views/create/{tenantId}',
    caller: 'viewer',
    body: strict({
      name,
      question,
      isShared: z.boolean().describe('takes true for a view of the tenant, false for one of your own'),
    }),
    takes: '`name`, `question`, `isShared`; only an admin of the tenant shares one',
    answer: View,
    gives: 'the view',
  },
  {
    name: 'changeView',
    path: '/v1/admin/views/change/{tenantId}',
    caller: 'viewer',
    body: strict({ id: viewId, name: name.exactOptional(), question: question.exactOptional() }),
    takes: '`id`; optional `name`, `question`',
    answer: View,
    gives: 'the view',
  },
  {
    name: 'deleteView',
    path: '/v1/admin/views/delete/{tenantId}',
    caller: 'viewer',
    body: strict({ id: viewId }),
    takes: '`id`',
    answer: Nothing,
    gives: '`{}`',
  },
  {
    name: 'listMarks',
    path: '/v1/admin/marks/{tenantId}',
    caller: 'viewer',
    parameters: strict({ from: instantText.exactOptional(), until: instantText.exactOptional() }),
    takes: 'none; `?from=INSTANT` and `?until=INSTANT` for those within a range',
    answer: z.array(Mark),
    gives: 'array of [marks](#marks), by time, then by id',
  },
  {
    name: 'createMark',
    path: '/v1/admin/marks/create/{tenantId}',
    caller: 'admin',
    body: MarkOptions,
    takes: '`name`; optional `time`, now by default, and `url`',
    answer: Mark,
    gives: 'the mark',
  },
  {
    name: 'deleteMark',
    path: '/v1/admin/marks/delete/{tenantId}',
    caller: 'admin',
    body: strict({ id: z.string().describe('takes the id of a mark') }),
    takes: '`id`',
    answer: Nothing,
    gives: '`{}`',
  },
  {
    name: 'audit',
    path: '/v1/admin/audit',
    caller: 'viewer',
    parameters: strict({
      before: z
        .string()
        .regex(/^[0-9a-f-]{1,36}$/)
        .describe('takes the id of an entry')
        .exactOptional(),
      who: z.string().exactOptional(),
      tenant: z.string().exactOptional(),
      action: z
        .enum(AUDIT_ACTIONS)
        .describe(`takes one of ${AUDIT_ACTIONS.join(', ')}`)
        .exactOptional(),
      from: milliseconds.exactOptional(),
      until: milliseconds.exactOptional(),
    }),
    takes: 'none; `?before=ID` for those before an entry; [filters](#audit-entries)',
    answer: z.object({ entries: z.array(AuditEntry), before: z.string().exactOptional() }),
    gives: 'the 100 newest `entries` that match, and `before` if there are older ones to look at',
  },
] as const satisfies readonly AdminRow[];

/** The row of a route. */
export type AdminRowOf<Name> = Extract<(typeof ADMIN_ROWS)[number], { readonly name: Name }>;

/** What is sent to a route; undefined where it takes no body. */
export type BodyOf<Row> = Row extends { readonly body: infer S extends z.ZodType } ? Inferred<S> : undefined;
/** What the query string holds; undefined where the route takes none. */
export type ParametersOf<Row> = Row extends { readonly parameters: infer S extends z.ZodType }
  ? Inferred<S>
  : undefined;
/** What a route answers. */
export type AnswerOf<Row> = Row extends { readonly answer: infer S extends z.ZodType } ? Inferred<S> : never;

/** What the route with a name answers. */
export type AdminAnswer<Name> = AnswerOf<AdminRowOf<Name>>;
