import { ROUTES, type Route } from '../route.ts';

type QuestionRoute = Extract<(typeof ROUTES)[number], { readonly caller: 'key' }>;

/** The table of routes of the Admin API. Pure, so that a bundle of the engine alone can leave it out. */
export const ADMIN_ROUTES = /* @__PURE__ */ withQuestions([
  {
    name: 'signIn',
    methods: ['POST'],
    path: '/v1/admin/sign-in',
    caller: 'anyone',
    body: '`{"code"}` of a sign-in link, or `{"callback"}`: the query string that the provider sent back',
    answer: 'that of the session, with its cookie, and of a provider where to go: `returnTo`',
  },
  {
    name: 'waysToSignIn',
    methods: ['GET'],
    path: '/v1/admin/sign-in/ways',
    caller: 'anyone',
    body: 'none',
    answer: '`link`: whether one is good here; `provider`: the name of the identity provider, or null',
  },
  {
    name: 'beginSignIn',
    methods: ['POST'],
    path: '/v1/admin/sign-in/begin',
    caller: 'anyone',
    body: '`{"returnTo"}`: a place of the dashboard',
    answer: '`{"url"}` of the identity provider, with a cookie that holds ten minutes',
  },
  {
    name: 'backChannelLogout',
    methods: ['POST'],
    path: '/v1/admin/back-channel-logout',
    caller: 'provider',
    body: 'the form field `logout_token`, of the identity provider',
    answer: '`{}`; the sessions that it names have ended',
  },
  {
    name: 'signOut',
    methods: ['POST'],
    path: '/v1/admin/sign-out',
    caller: 'viewer',
    body: '`{}`',
    answer: '`{}`; the session has ended. Where its identity provider can end its own: the `url` to go to',
  },
  {
    name: 'session',
    methods: ['GET'],
    path: '/v1/admin/session',
    caller: 'viewer',
    body: 'none',
    answer: '`name`, `role`, `tenants` and those it `administers` (null for all), `provider`, `expiresAt`',
  },
  {
    name: 'choices',
    methods: ['GET'],
    path: '/v1/admin/choices',
    caller: 'viewer',
    body: 'none',
    answer: '`plans` with their limits (null: of its own, or none), `comparisons` with what each takes',
  },
  {
    name: 'listTenants',
    methods: ['GET'],
    path: '/v1/admin/tenants',
    caller: 'viewer',
    body: 'none; `?after=ALIAS` for those behind a tenant',
    answer: 'array of at most 1,000 tenants, by alias',
  },
  {
    name: 'createTenant',
    methods: ['POST'],
    path: '/v1/admin/tenants/create',
    caller: 'owner',
    body: '`alias`, `plan`, and `name`, `limits`, `ingestion`',
    answer: 'the tenant',
  },
  {
    name: 'showTenant',
    methods: ['GET'],
    path: '/v1/admin/tenants/show/{tenantId}',
    caller: 'viewer',
    body: 'none',
    answer: 'the tenant',
  },
  {
    name: 'setTenant',
    methods: ['POST'],
    path: '/v1/admin/tenants/set/{tenantId}',
    caller: 'admin',
    body: '`name`, `authStrategy`, `jwt`; of an owner `plan`, `limits`, `ingestion`, `retentionDays` too',
    answer: 'the tenant',
  },
  {
    name: 'deleteTenant',
    methods: ['POST'],
    path: '/v1/admin/tenants/delete/{tenantId}',
    caller: 'owner',
    body: '`{"alias"}`, once more',
    answer: '`{}`; the tenant, its keys and events are gone',
  },
  {
    name: 'listKeys',
    methods: ['GET'],
    path: '/v1/admin/keys/{tenantId}',
    caller: 'viewer',
    body: 'none',
    answer: 'array of keys, oldest first',
  },
  {
    name: 'createKey',
    methods: ['POST'],
    path: '/v1/admin/keys/create/{tenantId}',
    caller: 'admin',
    body: '`name`, `permissions`, and `expiresAt` (epoch milliseconds, to come)',
    answer: '`key` and its `secret`, this once; `namesakes`: the ids of other live keys of its name',
  },
  {
    name: 'rotateKey',
    methods: ['POST'],
    path: '/v1/admin/keys/rotate/{tenantId}',
    caller: 'admin',
    body: '`id`, and `overlapMs` for the old secret, a day when absent',
    answer: '`key` and its new `secret`, this once',
  },
  {
    name: 'revokeKey',
    methods: ['POST'],
    path: '/v1/admin/keys/revoke/{tenantId}',
    caller: 'admin',
    body: '`id`',
    answer: 'the key, which opens nothing from the next request on',
  },
  {
    name: 'checkToken',
    methods: ['POST'],
    path: '/v1/admin/tokens/check/{tenantId}',
    caller: 'admin',
    body: '`token`, and `jwt` for settings other than those of the tenant',
    answer: '`valid`, and the `userId` or the `error`',
  },
  {
    name: 'usage',
    methods: ['GET'],
    path: '/v1/admin/usage/{tenantId}',
    caller: 'viewer',
    body: 'none',
    answer: 'the buckets of `ingestion` and of each of the live `keys`; null for no limit',
  },
  {
    name: 'resetLimits',
    methods: ['POST'],
    path: '/v1/admin/limits/reset/{tenantId}',
    caller: 'owner',
    body: '`{}`, or the `id` of one key',
    answer: '`{}`; nothing is used of the limits of the tenant and its keys, or of the one key',
  },
  {
    name: 'audit',
    methods: ['GET'],
    path: '/v1/admin/audit',
    caller: 'viewer',
    body: 'none; `?before=ID` for those before a note',
    answer: 'the 100 newest `entries`, see [notes](#notes), and `before` where there are more',
  },
] as const satisfies readonly Route[]);

/** Adds the Query API's questions, asked by administrators: the same bodies and answers, and no tokens. */
function withQuestions<const Own extends readonly Route[]>(own: Own) {
  const questions = ROUTES.filter((route): route is QuestionRoute => route.caller === 'key').map((route) => ({
    ...route,
    caller: 'viewer' as const,
    path: route.path.replace('/v1/api/', '/v1/admin/'),
  }));
  return [...own, ...questions] as const;
}

/** The name of a route of the Admin API. */
export type AdminRouteName = (typeof ADMIN_ROUTES)[number]['name'];
