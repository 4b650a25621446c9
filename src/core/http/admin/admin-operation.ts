import { ApiError, invalid } from '../../base/errors.ts';
import { MINUTE_MS, type Window } from '../../base/token-bucket.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import type { RateLimiter } from '../../access/stores.ts';
import type { HttpResponse } from '../message.ts';
import { refuseParameters, type Call } from '../operation.ts';
import { parseBody, readJsonText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import type { AuthContext } from './auth-guard.ts';

// What the operations of the Admin API are made of.

/** The operation behind one route of the Admin API. Throws ApiError. */
export type AdminOperation = (call: Call, auth: AuthContext) => Promise<HttpResponse>;

/** Makes a JSON answer of a value. */
export const toJson = (call: Call, value: unknown) => jsonResponse(call, JSON.stringify(value));

/** Reads and parses a JSON body; its memory counts for `owner`. Throws ApiError: 400, 413, 415. */
export async function readBody({ request, target }: Call, owner: string): Promise<unknown> {
  refuseParameters(target.queryString);
  return parseBody(await readJsonText(request, owner));
}

/** Makes a function that schedules a job for its tenant or, where the path has none, for the credential. */
export const turnOf =
  (scheduler: Scheduler) =>
  <T>(
    { request }: Call,
    { tenant, credential }: AuthContext,
    job: (pacer: Pacer) => Promise<T>,
  ): Promise<T> =>
    scheduler.run(tenant?.id ?? credential.id, request.signal, job);

/** How often one person, or one key for programs, may make a change. Each has its own bucket. */
const CHANGES: readonly Window[] = [{ limit: 60, windowMs: MINUTE_MS }];

/**
 * Makes a function that counts a change made by a person or by a key for programs. It throws ApiError 429.
 */
export function createChangeCounter(limits: Pick<RateLimiter, 'take'>) {
  return async ({ credential: { id, identity } }: AuthContext): Promise<void> => {
    // A person keeps the same bucket after signing in again.
    const holder = identity === null ? id : `${identity.issuer} ${identity.subject}`;
    const state = await limits.take(`changes ${holder}`, CHANGES, [1]);
    if (state.allowed) return;
    const seconds = String(Math.ceil(state.retryAfterMs / 1000));
    throw new ApiError('tooManyChanges', [], { headers: { 'Retry-After': seconds } });
  };
}

/** The dependencies of `createCounted`. */
export interface CountedOptions {
  readonly stores: { readonly limits: Pick<RateLimiter, 'take'> };
  readonly scheduler: Scheduler;
}

/** Makes what makes operations that take a body and count as a change. Each runs in a turn of its own. */
export function createCounted({ stores, scheduler }: CountedOptions) {
  const turn = turnOf(scheduler);
  const countChange = createChangeCounter(stores.limits);
  return (change: (auth: AuthContext, body: unknown) => Promise<unknown>): AdminOperation =>
    async (call, auth) => {
      const body = await readBody(call, auth.tenant?.id ?? auth.credential.id);
      await countChange(auth);
      return turn(call, auth, async () => toJson(call, await change(auth, body)));
    };
}

/** Checks that a body that removes something for good repeats the tenant's alias. Throws ApiError 400. */
export function checkConfirmation(said: unknown, alias: string): void {
  if (said !== alias) throw invalid('alias', 'takes the alias of the tenant once more, to be sure');
}
