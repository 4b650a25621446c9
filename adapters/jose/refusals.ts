import { createHash } from 'node:crypto';

/** Tokens that none of some keys has signed: who sends one again makes nobody check it again. */
export interface Refusals {
  /** What `verify` finds; it is not asked where it found nothing for this token by these keys lately. */
  unlessRefused<T>(keys: string, token: string, verify: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** How long a refusal is remembered, so that a check that failed by a mishap is made again. */
const REMEMBERED_MS = 60_000;
/** How many are: the oldest go first. */
const REFUSALS_MAX = 10_000;

/** Makes an empty memory of refusals, each by a hash of the token and of what tells its keys from others. */
export function createRefusals(now: () => number): Refusals {
  const refusedAt = new Map<string, number>();

  function isRefused(hash: string): boolean {
    const at = refusedAt.get(hash);
    return at !== undefined && now() >= at && now() < at + REMEMBERED_MS;
  }

  function note(hash: string): void {
    // A Map keeps the order of insertion, so that the first is the oldest.
    refusedAt.delete(hash);
    refusedAt.set(hash, now());
    if (refusedAt.size > REFUSALS_MAX) refusedAt.delete(refusedAt.keys().next().value!);
  }

  return {
    async unlessRefused(keys, token, verify) {
      const hash = createHash('sha256').update(keys).update('\n').update(token).digest('base64');
      if (isRefused(hash)) return undefined;
      const payload = await verify();
      if (payload === undefined) note(hash);
      return payload;
    },
  };
}
