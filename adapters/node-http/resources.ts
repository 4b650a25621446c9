import { hash, randomBytes, randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { Logger, Resources, Runtime } from '../../src/index.ts';
import { createMemoryBudget, createScheduler, type ResourcesOptions } from '../../src/transport-kit.ts';

/** What fits beside a program of its own on a machine of 1 GiB. */
const MEMORY_BYTES_MAX = 536_870_912;

/** What went as it should is of no interest to who has not asked for it. */
const ERRORS_ONLY: Logger = {
  info: () => undefined,
  error: (fields, message) => console.error(message, fields),
};

/**
 * Makes what the parts of a process of Node share, to be given to its stores, its engine and its API. The
 * memory budget has 512 MiB unless it is said how much.
 *
 * @example
 * ```ts
 * import { nodeResources } from 'event-query/node-http';
 *
 * const { memory } = nodeResources({ memoryMax: 64 * 2 ** 20 });
 * console.log(memory.bytesMax);
 * // prints: 67108864
 * ```
 */
export function nodeResources({
  memoryMax = MEMORY_BYTES_MAX,
  log = ERRORS_ONLY,
}: ResourcesOptions = {}): Resources {
  listenForConnections();
  return {
    runtime: nodeRuntime(),
    memory: createMemoryBudget({ bytesMax: memoryMax }),
    scheduler: createScheduler({ now: () => performance.now(), nextTurn: takeIn }),
    log,
  };
}

/** The clock and the randomness of this machine. */
function nodeRuntime(): Runtime {
  return {
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    uuid: () => randomUUID(),
    randomBytes: (length) => randomBytes(length),
    sha256: (text) => hash('sha256', text),
  };
}

/** How many connections this process has accepted; undefined until somebody needs to know. */
let accepted: number | undefined;

function listenForConnections(): void {
  if (accepted !== undefined) return;
  accepted = 0;
  subscribe('net.server.socket', () => (accepted! += 1));
}

/** How long connections are taken before it is the turn of work again, however many come. */
const TAKE_IN_MS = 8;

/**
 * Resolves in the next turn of the event loop, or when connections come no more. Node takes one in a turn, so
 * with every turn full of work a crowd of new clients would wait where the server cannot see them, and nobody
 * would be refused.
 */
function takeIn(): Promise<void> {
  return new Promise((resolve) => {
    let taken = accepted;
    let endsAt = Infinity;
    const turn = () => {
      const now = performance.now();
      if (accepted === taken || now > endsAt) {
        resolve();
        return;
      }
      // The work of who called this ends before the first turn does.
      if (endsAt === Infinity) endsAt = now + TAKE_IN_MS;
      taken = accepted;
      setImmediate(turn);
    };
    setImmediate(turn);
  });
}
