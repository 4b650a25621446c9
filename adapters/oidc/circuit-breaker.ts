import { away } from './refusal.ts';

/** How long the circuit stays open after a failure, in milliseconds. */
export const RETRY_MS = 2_000;

/**
 * A circuit breaker: after a failure, `ask` is not called for `RETRY_MS`, because anyone can make a server
 * call it. Calls in that time fail with the same error, which is logged once. Throws ApiError `unavailable`.
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
      // When several calls waited for the same answer, only the first is logged.
      const logged = last() !== undefined;
      if (!logged) failed = { error, at: performance.now() };
      throw away(error, logged);
    }
  };
}
