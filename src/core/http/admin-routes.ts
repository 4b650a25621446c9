import { ROUTES, type Route } from './route.ts';

type QuestionRoute = Extract<(typeof ROUTES)[number], { readonly caller: 'key' }>;

/** The table of routes of the Admin API. Pure, so that bundlers can drop it where only the engine is used. */
export const ADMIN_ROUTES = /* @__PURE__ */ withQuestions([
  {
    name: 'signIn',
    methods: ['POST'],
    path: '/v1/admin/sign-in',
    caller: 'anyone',
    body: '`{"code"}` of a sign-in link, or `{"callback"}`: the query string that the provider sent back',
    answer: 'as of `session`, with its cookie; after a provider also `returnTo`, the page to open',
  },
  {
    name: 'waysToSignIn',
    methods: ['GET'],
    path: '/v1/admin/sign-in/ways',
    caller: 'anyone',
    body: 'none',
    answer: '`link`: whether sign-in links work here; `provider`: the name of the identity provider, or null',
  },
  {
    name: 'beginSignIn',
    methods: ['POST'],
    path: '/v1/admin/sign-in/begin',
    caller: 'anyone',
    body: '`{"returnTo"}`: a page of the dashboard',
    answer: '`{"url"}` of the identity provider, with a cookie valid for ten minutes',
  },
  {
    name: 'backChannelLogout',
    methods: ['POST'],
    path: '/v1/admin/back-channel-logout',
    caller: 'provider',
    body: 'the form field `logout_token`, from the identity provider',
    answer: '`{}`; ends the sessions that the token names',
  },
  {
    name: 'signOut',
    methods: ['POST'],
    path: '/v1/admin/sign-out',
    caller: 'viewer',
    body: '`{}`',
    answer:
      '`{}`; ends the session. With the `url` to go to if the identity provider can end its own session',
  },
  {
    name: 'session',
    methods: ['GET'],
    path: '/v1/admin/session',
    caller: 'viewer',
    body: 'none',
    answer: '`name`, `role`, `tenants`, those it `administers` (both null for all), `provider`, `expiresAt`',
  },
  {
    name: 'choices',
    methods: ['GET'],
    path: '/v1/admin/choices',
    caller: 'viewer',
    body: 'none',
    answer: '`plans` with their limits (null: custom, or none), `comparisons` with the value each takes',
  },
  {
    name: 'listTenants',
    methods: ['GET'],
    path: '/v1/admin/tenants',
    caller: 'viewer',
    body: 'none; `?after=ALIAS` for those after a tenant',
    answer: 'array of at most 1,000 tenants, sorted by alias',
  },
  {
    name: 'createTenant',
    methods: ['POST'],
    path: '/v1/admin/tenants/create',
    caller: 'owner',
    body: '`alias`, `plan`; optional `name`, `limits`, `ingestion`',
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
    body: '`name`, `authStrategy`, `jwt`; from an owner also `plan`, `limits`, `ingestion`, `retentionDays`',
    answer: 'the tenant',
  },
  {
    name: 'deleteTenant',
    methods: ['POST'],
    path: '/v1/admin/tenants/delete/{tenantId}',
    caller: 'owner',
    body: '`{"alias"}`, to confirm',
    answer: '`{}`; deletes the tenant, its keys and its events',
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
    body: '`name`, `permissions`; optional `expiresAt` (epoch milliseconds) and `restrictions`',
    answer: '`key` and its `secret`, shown only now; `namesakes`: the ids of other live keys with this name',
  },
  {
    name: 'rotateKey',
    methods: ['POST'],
    path: '/v1/admin/keys/rotate/{tenantId}',
    caller: 'admin',
    body: '`id`; optional `overlapMs`: how long the old secret stays valid, a day by default',
    answer: '`key` and its new `secret`, shown only now',
  },
  {
    name: 'revokeKey',
    methods: ['POST'],
    path: '/v1/admin/keys/revoke/{tenantId}',
    caller: 'admin',
    body: '`id`',
    answer: 'the key, which is refused from the next request on',
  },
  {
    name: 'checkToken',
    methods: ['POST'],
    path: '/v1/admin/tokens/check/{tenantId}',
    caller: 'admin',
    body: '`token`; optional `jwt`: settings to check with instead of those of the tenant',
    answer: '`valid`, with `userId` or `error`',
  },
  {
    name: 'usage',
    methods: ['GET'],
    path: '/v1/admin/usage/{tenantId}',
    caller: 'viewer',
    body: 'none',
    answer: 'the buckets of `ingestion` and of each live key in `keys`; null for no limit',
  },
  {
    name: 'resetLimits',
    methods: ['POST'],
    path: '/v1/admin/limits/reset/{tenantId}',
    caller: 'owner',
    body: '`{}`, or the `id` of one key',
    answer: '`{}`; refills the buckets of the tenant and its keys, or of the one key',
  },
  {
    name: 'listRefusals',
    methods: ['GET'],
    path: '/v1/admin/refusals/{tenantId}',
    caller: 'viewer',
    body: 'none',
    answer: 'array of what was refused, the latest first, see [refusals](#refusals)',
  },
  {
    name: 'clearRefusals',
    methods: ['POST'],
    path: '/v1/admin/refusals/clear/{tenantId}',
    caller: 'admin',
    body: '`{}`',
    answer: '`{}`; forgets what was refused so far',
  },
  {
    name: 'audit',
    methods: ['GET'],
    path: '/v1/admin/audit',
    caller: 'viewer',
    body: 'none; `?before=ID` for those before an entry',
    answer: 'the 100 newest `entries`, see [audit entries](#audit-entries), and `before` if there are more',
  },
] as const satisfies readonly Route[]);

/** Adds the Query API's questions, which take no rate limit tokens from administrators. */
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
