import type { EraseExpired, EraseExpiredOptions, Logger } from '../../src/index.ts';

/** How often a process tries; of the processes that share limits, one erases per hour. */
const ASK_MS = 600_000;

/**
 * Erases expired events of all tenants at regular intervals, until it is stopped.
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
      // The stores must stay open until a running erasure has ended.
      await asked;
    },
  };
}
