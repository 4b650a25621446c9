import { away } from './refusal.ts';

/** After which time what did not answer is asked again. */
export const RETRY_MS = 2_000;

/**
 * Asks what does not answer once in a while only: anybody can make a server ask it. Who comes meanwhile is
 * told the same, and the log is told once. Throws ApiError `unavailable`.
 */
export function withCircuitBreaker<Args extends readonly unknown[], T>(
  ask: (...args: Args) => Promise<T>,
  isAway: (error: unknown) => boolean,
): (...args: Args) => Promise<T> {
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  const last = () => (failed && performance.now() - failed.at < RETRY_MS ? failed : undefined);
  return async (...args) => {
    const before = last();
    if (before !== undefined) throw away(before.error, true);
    try {
      return await ask(...args);
    } catch (error) {
      if (!isAway(error)) throw error;
      // Of those who waited for one answer the first tells.
      const logged = last() !== undefined;
      if (!logged) failed = { error, at: performance.now() };
      throw away(error, logged);
    }
  };
}
