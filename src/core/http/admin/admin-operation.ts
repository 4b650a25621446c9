import type { RateLimiter } from '../../access/stores.ts';
import type { Tenant } from '../../access/tenant.ts';
import { ApiError } from '../../base/errors.ts';
import { MINUTE_MS, type Window } from '../../base/token-bucket.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { BodySchemas } from '../../query/findings.ts';
import { readAs } from '../../query/read-as.ts';
import type { AdminRoute } from '../admin-routes.ts';
import { refuseParameters, type Call } from '../operation.ts';
import { parseBody, readJsonText } from '../request.ts';
import type { AdminRow, AdminRowOf, AnswerOf, BodyOf, ParametersOf } from '../schemas/admin-route-schema.ts';
import type { AuthContext } from './auth-guard.ts';
import { readParameters } from './parameters.ts';

// What the operations of the Admin API are made of.

/** What the function of a route gets: who asks for what, and the tenant of the path. */
export interface AdminRequest<Row> extends Pick<AuthContext, 'credential' | 'by'> {
  /** What is sent, as the row describes it. */
  readonly body: BodyOf<Row>;
  readonly parameters: ParametersOf<Row>;
  readonly tenant: Row extends { readonly path: `${string}{tenantId}` } ? Tenant : undefined;
  readonly pacer: Pacer;
  /** The request itself, for its cookies. */
  readonly call: Call;
}

/** The function of a route, which answers what its row says. Throws ApiError. */
export type AdminFunction<Row extends AdminRow> = (
  asked: AdminRequest<Row>,
) => AnswerOf<Row> | Promise<AnswerOf<Row>>;

/** The functions of some routes. */
export type AdminFunctions<Name extends string> = {
  readonly [Each in Name]: AdminFunction<AdminRowOf<Each>>;
};

/** Any such function, where its row says what it gets. */
export type AnyAdminFunction = (asked: never) => unknown;

/**
 * Makes a function that reads what a request to a route asks for, checked by the route's row. Its memory
 * counts for `owner`. Throws ApiError: 400, 413, 415.
 */
export function createReader(schemas: BodySchemas) {
  return async (call: Call, route: AdminRoute, owner: string) => {
    const { parameters, body } = route.schemas ?? {};
    const { queryString } = call.target;
    if (parameters === undefined) refuseParameters(queryString);
    const asked = parameters && readAs(parameters, readParameters(queryString, parameters), schemas);
    if (body === undefined) return { body: undefined, parameters: asked };
    const parsed = parseBody(await readJsonText(call.request, owner));
    return { body: readAs(body, parsed, schemas), parameters: asked };
  };
}

/** How often one person, or one key for programs, may make a change. Each has its own bucket. */
const CHANGES: readonly Window[] = [{ limit: 60, windowMs: MINUTE_MS }];

/** Counts a change made by a person or by a key for programs. Throws ApiError 429. */
export async function countChange(
  limits: Pick<RateLimiter, 'take'>,
  { id, identity }: AuthContext['credential'],
): Promise<void> {
  // A person keeps the same bucket after signing in again.
  const holder = identity === null ? id : `${identity.issuer} ${identity.subject}`;
  const state = await limits.take(`changes ${holder}`, CHANGES, [1]);
  if (state.allowed) return;
  const seconds = String(Math.ceil(state.retryAfterMs / 1000));
  throw new ApiError('tooManyChanges', [], { headers: { 'Retry-After': seconds } });
}
