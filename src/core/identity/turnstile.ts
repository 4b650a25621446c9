import { LINK_MS } from '../access/pass.ts';
import { fullBuckets, takeTokens, type Window } from '../access/token-bucket.ts';
import { ApiError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Login } from './provider.ts';

/** How many logins ask the provider at once, and in which time: anybody can send an answer to a login. */
const AT_ONCE_MAX = 16;
const RATE: Window = { limit: 50, windowMs: 10_000 };

/**
 * Makes what lets those to the provider who are not known yet: each login once, and of all of this process no
 * more than leave it to those whose sessions are kept. Throws ApiError `loginLost`, `signInBusy`.
 */
export function createTurnstile({ now }: Pick<Runtime, 'now'>) {
  let buckets = fullBuckets(now());
  let asking = 0;
  /** The logins that went through, until they are too old in any case; the rate bounds how many. */
  const spent = new Map<string, number>();

  return async <T>({ id }: Pick<Login, 'id'>, ask: () => Promise<T>): Promise<T> => {
    const at = now();
    for (const [old, until] of spent) {
      if (at < until) break;
      spent.delete(old);
    }
    if (spent.has(id)) throw new ApiError('loginLost');
    const taken = takeTokens(buckets, [RATE], [1], at);
    if (asking >= AT_ONCE_MAX || !taken.state.allowed) {
      const seconds = Math.max(1, Math.ceil(taken.state.retryAfterMs / 1000));
      throw new ApiError('signInBusy', [], { headers: { 'Retry-After': String(seconds) } });
    }
    buckets = taken.buckets;
    spent.set(id, at + LINK_MS);
    asking += 1;
    try {
      return await ask();
    } finally {
      asking -= 1;
    }
  };
}
