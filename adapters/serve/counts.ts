import type { Api } from '../../src/index.ts';

/** How often a process stores what it has refused: a crash loses as much of it. */
const FLUSH_MS = 2_000;

/**
 * Stores regularly what was refused, until `stop` is called. `stop` stores the rest; call it when no request
 * comes any more and the stores are still open.
 */
export function storeCountsRegularly({ flushCounts }: Pick<Api, 'flushCounts'>): {
  readonly stop: () => Promise<void>;
} {
  const timer = setInterval(() => void flushCounts(), FLUSH_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return flushCounts();
    },
  };
}
