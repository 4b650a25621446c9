import type { Logger, Resources, Runtime, Scheduler } from '../../src/index.ts';
import {
  createMemoryBudget,
  createScheduler,
  createZones,
  SILENT_METER,
  type ResourcesOptions,
} from '../../src/transport-kit.ts';

/** Fits into the 128 MiB of a Worker, next to the program and its own data. */
const MEMORY_BYTES_MAX = 67_108_864;

/** The default log writes errors only: normal events are noise unless the application asks for them. */
const ERRORS_ONLY: Logger = {
  info: () => undefined,
  error: (fields, message) => console.error(message, fields),
};

/**
 * Makes the resources that the parts of a process share, in any runtime with web standards: browsers,
 * Workers, Deno, Bun, Node. The memory budget is 64 MiB unless another size is given.
 */
export function webResources({
  memoryMax = MEMORY_BYTES_MAX,
  log = ERRORS_ONLY,
  meter = SILENT_METER,
  tracer,
}: ResourcesOptions = {}): Resources {
  return {
    runtime: webRuntime(),
    memory: createMemoryBudget({ bytesMax: memoryMax, meter }),
    scheduler: hasLastingTimers()
      ? createScheduler({ now: () => performance.now(), nextTurn, meter })
      : WITHOUT_TURNS,
    zones: createZones(timeZoneData),
    log,
    meter,
    tracer,
  };
}

/** The clock and the randomness of any runtime with web standards. */
function webRuntime(): Runtime {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    uuid: () => crypto.randomUUID(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sha256: async (text) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
  };
}

/** Only some runtimes have `setImmediate`; a timer fires later, but exists everywhere. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });

/**
 * For Workers: a slice starts with a timer, and Workers end the timers of a request together with it. A job
 * that waited for another request's timer would wait for ever, so here each job runs until it is done.
 */
const WITHOUT_TURNS: Scheduler = {
  run: async (_owner, _signal, job) => job({ now: () => 0, yieldIfDue: () => Promise.resolve() }),
};

/** Some runtimes tell the versions of their data as Node does. */
const timeZoneData = (globalThis as { process?: { versions?: { tz?: string } } }).process?.versions?.tz;

const { navigator } = globalThis as { navigator?: { readonly userAgent?: string } };
const hasLastingTimers = (): boolean => navigator?.userAgent !== 'Cloudflare-Workers';
