import { memoryStores } from '../../adapters/memory/index.ts';
import { createNodeServer, type NodeServerLimits } from '../../adapters/node-http/index.ts';
import { sdkProtocols } from '../../adapters/sdks/index.ts';
import {
  createAdmin,
  createApi,
  type Admin,
  type ApiOptions,
  type HttpHandler,
  type MemoryBudget,
  type Logger,
  type Resources,
  type Scheduler,
  type Stores,
  type TokenVerifier,
} from '../../src/index.ts';
import type { Limits, PlanName } from '../../src/store-kit.ts';
import { testResources } from './resources.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock {
  now(): number;
  advance(ms: number): void;
}

/** Noon of a day in 2025, or another time in epoch milliseconds. */
export function createTestClock(start = Date.UTC(2025, 5, 15, 12)): TestClock {
  let time = start;
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
  };
}

/** One call of a logger. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export function createTestLog(): Logger & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  return {
    entries,
    info: (fields, message) => void entries.push({ level: 'info', fields, message }),
    warn: (fields, message) => void entries.push({ level: 'warn', fields, message }),
    error: (fields, message) => void entries.push({ level: 'error', fields, message }),
  };
}

export interface TestServerOptions {
  /** Serves this instead of the API. */
  readonly handler?: HttpHandler;
  readonly limits?: Partial<NodeServerLimits>;
  /** Where the server books memory. */
  readonly memory?: MemoryBudget;
  readonly scheduler?: Scheduler;
  /** Where requests are traced. Default: nowhere. */
  readonly tracer?: Resources['tracer'];
  readonly tokens?: TokenVerifier;
  /** Whether each request is logged. Default false: what a test looks for in the log is what went wrong. */
  readonly accessLog?: ApiOptions['accessLog'];
  /** From when on a question is logged as slow, in milliseconds. */
  readonly slowMs?: number;
  /** Changes the stores before they are wired, for instance so that one fails. */
  readonly wrapStores?: (stores: Stores) => Stores;
}

/** The whole API over real sockets on a free port, with stores in memory and a clock that a test moves. */
export interface TestServer {
  readonly port: number;
  readonly origin: string;
  readonly admin: Admin;
  readonly clock: TestClock;
  readonly stores: Stores;
  readonly log: Logger & { readonly entries: LogEntry[] };
  /** Makes a tenant without limits, or on a plan, and a key for queries; the key's secret. */
  createTenant(alias: string, plan?: readonly [PlanName, (Limits | null)?]): Promise<string>;
  /** POSTs to a path of the server. */
  post(path: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
  drain(): void;
  close(how?: { readonly idleMs?: number }): Promise<void>;
}

const refusing: TokenVerifier = { verify: () => Promise.reject(new Error('this server has no tokens')) };

/** Starts a server. Close it, or the test run never ends. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = createTestClock();
  const log = createTestLog();
  const resources = testResources({
    ...{ log, runtime: { now: () => clock.now(), elapsed: () => clock.now() } },
    ...(options.memory === undefined ? {} : { memory: options.memory }),
    ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
    tracer: options.tracer,
  });
  const { runtime } = resources;
  const memory = memoryStores({ resources });
  const stores = options.wrapStores?.(memory) ?? memory;
  const tokens = options.tokens ?? refusing;
  const api = createApi({
    stores,
    tokens,
    resources,
    accessLog: options.accessLog ?? false,
    slowMs: options.slowMs,
    protocols: sdkProtocols(),
  });
  const server = createNodeServer({
    api: { resources, handler: options.handler ?? api.handler },
    ...options.limits,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${port}`;
  const admin = createAdmin({ stores: memory, runtime, tokens });
  return {
    port,
    origin,
    admin,
    clock,
    stores,
    log,
    createTenant: async (alias, [plan, limits = null] = ['custom']) => {
      await admin.createTenant({ alias, plan, limits });
      return (await admin.createKey(alias, { name: 'test', permissions: ['query'] })).secret;
    },
    post: (path, body, headers = {}) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      }),
    drain: () => server.drain(),
    close: (how) => server.close(how),
  };
}
