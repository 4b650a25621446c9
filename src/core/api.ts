import { createEngine, type Engine } from './engine.ts';
import { createHttpHandler } from './http/handler.ts';
import type { HttpHandler, Logger, Stores, TokenVerifier } from './ports.ts';
import type { Runtime } from './runtime.ts';
import { createService } from './service.ts';

export interface ApiOptions {
  readonly stores: Stores;
  readonly tokens: TokenVerifier;
  readonly runtime: Runtime;
  readonly log: Logger;
}

/** The three rings put together: what an embedding program asks, and what a transport serves. */
export interface Api {
  readonly engine: Engine;
  readonly handler: HttpHandler;
}

/** Wires the stores, the token verifier and the runtime into the engine and the handler of HTTP requests. */
export function createApi({ stores, tokens, runtime, log }: ApiOptions): Api {
  const { events, tenants, keys, limits } = stores;
  const engine = createEngine({ events, runtime });
  const service = createService({ engine, tenants, keys, limits, tokens, runtime });
  return { engine, handler: createHttpHandler({ service, ready: () => stores.ready(), runtime, log }) };
}
