import { LINK_MS } from '../access/pass.ts';
import { networkOf } from '../bounds/network.ts';
import { createPlaces } from '../bounds/places.ts';
import { ApiError } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Login } from './provider.ts';

/** How many logins ask the provider at once: anybody can send an answer to a login. */
const AT_ONCE_MAX = 32;
/** How many ask it within a time. */
const LATELY_MAX = 100;
const LATELY_MS = 10_000;

/**
 * Makes what lets those to the provider who are not known yet: each login once, and of all of this process no
 * more than leave it to those whose sessions are kept. Of both bounds one network alone has half at most, so
 * that it cannot keep others from signing in. Throws ApiError `loginLost`, `signInBusy`.
 */
export function createTurnstile({ now }: Pick<Runtime, 'now'>) {
  const asking = createPlaces(AT_ONCE_MAX);
  const lately = createPlaces(LATELY_MAX);
  /** Who came lately, in order. */
  const came: { readonly owners: readonly string[]; readonly at: number }[] = [];
  /** The logins that went through, until they are too old in any case; `lately` bounds how many. */
  const spent = new Map<string, number>();

  function forgetOld(at: number): void {
    for (const [old, until] of spent) {
      if (at < until) break;
      spent.delete(old);
    }
    // A clock that has stepped back tells nothing of those who came before.
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
