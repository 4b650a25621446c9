import { createHash } from 'node:crypto';
import { createBoundedMap } from '../../src/store-kit.ts';

/** A cache of tokens with a wrong signature: sending such a token again does not cost another check. */
export interface Refusals {
  /** Returns what `verify` finds; skips it when it lately found nothing for this token and these keys. */
  unlessRefused<T>(keys: string, token: string, verify: () => Promise<T | undefined>): Promise<T | undefined>;
}

/**
 * How long a refusal is remembered; then the token is checked again, in case the first check was at fault.
 */
const REMEMBERED_MS = 60_000;
/** How many refusals are remembered at most. */
const REFUSALS_MAX = 10_000;

/**
 * Makes an empty cache; a refusal is keyed by a hash of the token and of the text that identifies the keys.
 */
export function createRefusals(now: () => number): Refusals {
  const refusedAt = createBoundedMap<string, number>(REFUSALS_MAX);

  function isRefused(hash: string): boolean {
    const at = refusedAt.get(hash);
    return at !== undefined && now() >= at && now() < at + REMEMBERED_MS;
  }

  return {
    async unlessRefused(keys, token, verify) {
      const hash = createHash('sha256').update(keys).update('\n').update(token).digest('base64');
      if (isRefused(hash)) return undefined;
      const payload = await verify();
      if (payload === undefined) refusedAt.set(hash, now());
      return payload;
    },
  };
}
