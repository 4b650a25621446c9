import { ApiError } from '../../base/errors.ts';
import { MINUTE_MS, type Window } from '../../base/token-bucket.ts';
import type { RateLimiter } from '../../access/stores.ts';
import type { AuthContext } from './auth-guard.ts';

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
