import { LINK_MS } from '../access/admin-credential.ts';
import { networkOf } from '../bounds/network.ts';
import { createLimit } from '../bounds/limit.ts';
import { ApiError } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Login } from './provider.ts';

/** How many logins may ask the provider at the same time, because anyone can send a response to a login. */
const AT_ONCE_MAX = 32;
/** How many may ask it within `LATELY_MS`. */
const LATELY_MAX = 100;
const LATELY_MS = 10_000;

/**
 * Creates the throttle for logins of people who are not signed in yet. Each login passes once, and all logins
 * of this process together leave enough of the provider to the refreshes of existing sessions. One network
 * gets at most half of either bound, so that it cannot keep others from signing in. Throws ApiError
 * `loginLost`, `signInBusy`.
 */
export function createLoginThrottle({ now }: Pick<Runtime, 'now'>) {
  const asking = createLimit(AT_ONCE_MAX);
  const lately = createLimit(LATELY_MAX);
  /** Recent logins, in order. */
  const came: { readonly owners: readonly string[]; readonly at: number }[] = [];
  /** The logins that passed, until they have expired in any case; `lately` bounds their number. */
  const spent = new Map<string, number>();

  function forgetOld(at: number): void {
    for (const [old, until] of spent) {
      if (at < until) break;
      spent.delete(old);
    }
    // If the clock has stepped back, earlier entries are meaningless.
    while (came[0] !== undefined && (at < came[0].at || at >= came[0].at + LATELY_MS)) {
      lately.leave(came.shift()!.owners);
    }
  }

  return async <T>({ id }: Pick<Login, 'id'>, from: string, ask: () => Promise<T>): Promise<T> => {
    const at = now();
    forgetOld(at);
    if (spent.has(id)) throw new ApiError('loginLost');
    const owners = [networkOf(from)];
    if (!lately.isOpenTo(owners)) throw busy(came[0]!.at + LATELY_MS - at);
    if (!asking.take(owners)) throw busy(0);
    lately.take(owners);
    came.push({ owners, at });
    spent.set(id, at + LINK_MS);
    try {
      return await ask();
    } finally {
      asking.leave(owners);
    }
  };
}

function busy(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ApiError('signInBusy', [], { headers: { 'Retry-After': String(seconds) } });
}
