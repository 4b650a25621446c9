import { setTimeout as pause } from 'node:timers/promises';
import type { Resources } from '../../../src/index.ts';
import { openTelemetryTracer } from '../../opentelemetry/index.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { note } from '../print/output.ts';
import { messageOf, onOneLine } from '../process/errors.ts';
import { isMissing } from '../stores/drivers.ts';
import { VERSION } from '../values/version.ts';

/** How a process that serves traces its requests. */
export interface Tracing {
  readonly tracer: NonNullable<Resources['tracer']>;
  /** Sends the spans that were not sent yet. Call it when the last request has ended. */
  flush(): Promise<void>;
}

/** What gives the tracers of a process. */
interface Provider {
  /** In the API of OpenTelemetry: the provider that was registered, or one that records nothing. */
  getDelegate?(): Provider;
  /** The tracer of the provider that was registered, if one was. */
  getDelegateTracer?(name: string): unknown;
  /** In an SDK: sends what waits. */
  forceFlush?(): Promise<void>;
}

/** How long the end of a server may wait for spans to be sent. */
const FLUSH_MS = 3_000;

/**
 * Begins to trace, if `@opentelemetry/api` is installed and something that the process has loaded before
 * (`node --import`) has registered a provider there. Without a provider, spans go nowhere, so none are made.
 */
export async function openTracing({
  logAddresses: addresses,
}: Pick<ServerOptions, 'logAddresses'>): Promise<Tracing | undefined> {
  const api = await loadApi();
  if (api === undefined) return undefined;
  const provider = api.trace.getTracerProvider() as Provider;
  if (provider.getDelegateTracer !== undefined && provider.getDelegateTracer('event-query') === undefined)
    return undefined;
  // The conventions name this variable: it replaces the list.
  const methods = process.env.OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS;
  const knownMethods = methods?.split(',').map((method) => method.trim());
  return {
    tracer: openTelemetryTracer(api, { version: VERSION, addresses, knownMethods }),
    async flush() {
      const sent = (provider.getDelegate?.() ?? provider).forceFlush?.();
      // Where the spans go to may be away; the SDK says so itself.
      await Promise.race([sent, pause(FLUSH_MS, undefined, { ref: false })]).catch(() => undefined);
    },
  };
}

/** Loads the API of OpenTelemetry if it is installed. A broken one keeps no server from starting. */
async function loadApi() {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (!isMissing(error))
      note(`@opentelemetry/api does not load (${onOneLine(messageOf(error))}): nothing is traced`);
    return undefined;
  }
}
