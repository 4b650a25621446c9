import { hash, randomBytes, randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { Logger, Resources, Runtime } from '../../src/index.ts';
import {
  createMemoryBudget,
  createScheduler,
  createZones,
  SILENT_METER,
  type ResourcesOptions,
} from '../../src/transport-kit.ts';

/** The default memory budget in bytes. It leaves room for the host program on a machine with 1 GiB. */
const MEMORY_BYTES_MAX = 536_870_912;

/** The default logger. It writes errors only. */
const ERRORS_ONLY: Logger = {
  info: () => undefined,
  error: (fields, message) => console.error(message, fields),
};

/**
 * Makes the resources that the stores, the engine and the API of one Node process share. The memory budget is
 * 512 MiB unless `memoryMax` gives another number of bytes.
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
  meter = SILENT_METER,
  tracer,
}: ResourcesOptions = {}): Resources {
  listenForConnections();
  return {
    runtime: nodeRuntime(),
    memory: createMemoryBudget({ bytesMax: memoryMax, meter }),
    scheduler: createScheduler({ now: () => performance.now(), nextTurn: takeIn, sleep, meter }),
    zones: createZones(process.versions.tz),
    log,
    meter,
    tracer,
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The clock, timers, randomness and SHA-256 of Node. */
function nodeRuntime(): Runtime {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    sleep,
    utf8Length: (text) => Buffer.byteLength(text),
    uuid: () => randomUUID(),
    randomBytes: (length) => randomBytes(length),
    sha256: (text) => hash('sha256', text),
  };
}

/** How many connections this process has accepted; undefined until the first call of `nodeResources`. */
let accepted: number | undefined;

function listenForConnections(): void {
  if (accepted !== undefined) return;
  accepted = 0;
  subscribe('net.server.socket', () => (accepted! += 1));
}

/** How long Node accepts connections, at most, before the scheduler continues its work. */
const TAKE_IN_MS = 8;

/**
 * Yields to the event loop: resolves in its next turn, or after further turns while each brings a new
 * connection (`TAKE_IN_MS` at most). Node accepts one connection per turn. If every turn were full of work,
 * many new clients would wait in the kernel, where the server can neither see nor refuse them.
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
      // The time starts in the first turn, so the caller's own work before it does not count.
      if (endsAt === Infinity) endsAt = now + TAKE_IN_MS;
      taken = accepted;
      setImmediate(turn);
    };
    setImmediate(turn);
  });
}
