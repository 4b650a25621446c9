import type { BodySchema, BodySchemas } from '../query/findings.ts';
import { ROUTES, type OwnRoute } from './route.ts';
import { ADMIN_TABLE } from './schemas/admin-table.ts';

/**
 * A route of the Admin API as it is served. One without schemas is a question, which the Query API
 * describes.
 */
export interface AdminRoute extends OwnRoute {
  readonly schemas?: {
    /** What the query string holds; absent where it holds nothing. */
    readonly parameters?: BodySchema;
    /** The JSON that is sent. */
    readonly body?: BodySchema;
    /** The form that is sent, which its operation reads itself. */
    readonly form?: BodySchema;
    readonly answer: BodySchema;
  };
}

/** Routes, and the schemas to which theirs refer, besides those of the whole API. */
export interface AdminRoutes {
  readonly routes: readonly AdminRoute[];
  readonly schemas: BodySchemas;
}

type QuestionRoute = Extract<(typeof ROUTES)[number], { readonly caller: 'key' }>;

/** The routes of the Admin API. Pure, so that bundlers can drop it where only the engine is used. */
export const ADMIN_ROUTES = /* @__PURE__ */ withQuestions();

/** Adds the Query API's questions, which take no rate limit tokens from administrators. */
function withQuestions() {
  const questions = ROUTES.filter((route): route is QuestionRoute => route.caller === 'key').map((route) => ({
    ...route,
    caller: 'viewer' as const,
    path: route.path.replace('/v1/api/', '/v1/admin/'),
  }));
  return [...ADMIN_TABLE.routes, ...questions] as const satisfies readonly AdminRoute[];
}

/** The name of a route that the Admin API does not share with the Query API. */
export type OwnAdminRouteName = (typeof ADMIN_TABLE.routes)[number]['name'];
/** The name of a route of the Admin API. */
export type AdminRouteName = (typeof ADMIN_ROUTES)[number]['name'];
