import type { EraseExpired, EraseExpiredOptions, Logger } from '../../../src/index.ts';

/** How often a process asks; the processes that share their limits have one turn an hour. */
const ASK_MS = 600_000;

/**
 * Lets a server erase what its tenants no longer keep, now and then, until it is stopped.
 */
export function eraseRegularly(
  eraseExpired: EraseExpired,
  log: Logger,
  options: EraseExpiredOptions,
): { readonly stop: () => Promise<void> } {
  const end = new AbortController();
  let asked = Promise.resolve();
  const ask = () => {
    asked = asked
      .then(() => eraseExpired(end.signal, options))
      .catch((err: unknown) => log.error({ err }, 'events that are no longer kept were not erased'));
  };
  ask();
  const timer = setInterval(ask, ASK_MS).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      end.abort();
      // The stores must not close below an erasure that has begun.
      await asked;
    },
  };
}
