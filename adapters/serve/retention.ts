import type { EraseExpired, EraseExpiredOptions, Logger } from '../../src/index.ts';

/** How often a process tries. Of the processes that share limits, only one erases per hour. */
const ASK_MS = 600_000;

/**
 * Erases the expired events of all tenants regularly until `stop` is called. Failures go to the log. `stop`
 * resolves once a running erasure has ended.
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
