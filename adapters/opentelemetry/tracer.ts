import type { Context, Span, TextMapGetter } from '@opentelemetry/api';
import { isAborted, isApiError, requireOptions } from '../../src/index.ts';
import type { RequestBeginning, RequestSpan, Tracer } from '../../src/transport-kit.ts';
import type { OpenTelemetryApi } from './api.ts';
import {
  endAttributes,
  errorTypeOf,
  ownAttributes,
  partAttributes,
  sentStatus,
  serverAttributes,
  spanName,
  type OpenTelemetryTracerOptions,
} from './attributes.ts';

/** What an HTTP instrumentation notes of a request, for others to add the route. */
interface RpcMetadata {
  readonly type: string;
  route?: string;
}

/** A span that has begun, and the context of what belongs to it. */
interface Begun {
  readonly span: Span;
  readonly isServer: boolean;
  readonly within: Context;
}

/** The key of `setRPCMetadata` of `@opentelemetry/core`. Keys of one text are one key. */
const RPC_METADATA = 'OpenTelemetry SDK Context Key RPC_METADATA';

/** Reads a header of a request. No propagator of a standard asks for all names. */
const HEADERS: TextMapGetter<RequestBeginning['request']> = {
  get: (request, name) => request.header(name.toLowerCase()),
  keys: () => [],
};

/**
 * Makes a tracer for `nodeResources({ tracer })` or `webResources({ tracer })`. Each request becomes a span
 * of kind SERVER by the conventions of OpenTelemetry for HTTP, in the trace of its `traceparent`. Within a
 * span of the process itself, such as that of an HTTP instrumentation, it becomes one of kind INTERNAL.
 *
 * @param api The module `@opentelemetry/api` of the program.
 * @example
 * ```ts
 * import * as opentelemetry from '@opentelemetry/api';
 * import { createApi } from 'event-query';
 * import { memoryStores } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 * import { openTelemetryTracer } from 'event-query/opentelemetry';
 *
 * const resources = nodeResources({ tracer: openTelemetryTracer(opentelemetry) });
 * const api = createApi({ stores: memoryStores({ resources }), resources });
 * console.log(typeof api.handler);
 * // prints: function
 * ```
 */
export function openTelemetryTracer(api: OpenTelemetryApi, options: OpenTelemetryTracerOptions = {}): Tracer {
  requireOptions('openTelemetryTracer', { api }, [], {
    api: { such: "the module '@opentelemetry/api'", fields: ['context', 'propagation', 'trace'] },
  });
  const { context, propagation, trace, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer('event-query', options.version);
  const rpcKey = api.createContextKey(RPC_METADATA);

  /** Whether the process itself has begun a span for the request. A span of the client is not meant. */
  function isNested(active: Context, outer: Span | undefined): boolean {
    if (outer === undefined || outer.spanContext().isRemote === true) return false;
    // A server can have been started within a span, which has long ended. An HTTP instrumentation also says
    // which of its requests are not recorded.
    return outer.isRecording() || active.getValue(rpcKey) !== undefined;
  }

  /** Tells an HTTP instrumentation the route, by which it names its own span. */
  function tellRoute(active: Context, route: string | undefined): void {
    const metadata = active.getValue(rpcKey) as RpcMetadata | undefined;
    if (metadata?.type === 'http' && route !== undefined) metadata.route = route;
  }

  function beginSpan(beginning: RequestBeginning): Begun {
    const active = context.active();
    const outer = trace.getSpan(active);
    if (isNested(active, outer)) {
      tellRoute(active, beginning.route);
      const attributes = ownAttributes(beginning);
      const span = tracer.startSpan('event_query.request', { kind: SpanKind.INTERNAL, attributes }, active);
      return { span, isServer: false, within: trace.setSpan(active, span) };
    }
    const isOfClient = outer?.spanContext().isRemote === true;
    const base = isOfClient ? active : trace.deleteSpan(active);
    const parent = propagation.extract(base, beginning.request, HEADERS);
    const attributes = { ...serverAttributes(beginning, options), ...ownAttributes(beginning) };
    const name = spanName(beginning, options);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return { span, isServer: true, within: trace.setSpan(parent, span) };
  }

  function fail(span: Span, errorType: string): void {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }

  return {
    begin(beginning): RequestSpan {
      const { span, isServer, within } = beginSpan(beginning);
      return {
        traceId: span.isRecording() ? span.spanContext().traceId : undefined,
        within: (work) => context.with(within, work),
        end(how) {
          const status = sentStatus(how);
          if (isServer && status !== undefined) span.setAttribute('http.response.status_code', status);
          span.setAttributes(endAttributes(how));
          const errorType = errorTypeOf(how);
          if (errorType !== undefined) fail(span, errorType);
          span.end();
        },
      };
    },
    async part(part, work) {
      const active = context.active();
      if (trace.getSpan(active) === undefined) return work();
      const attributes = partAttributes(part);
      const kind = SpanKind.INTERNAL;
      const span = tracer.startSpan(`event_query.${part.name}`, { kind, attributes }, active);
      try {
        return await context.with(trace.setSpan(active, span), work);
      } catch (error) {
        const errorType = typeOfThrown(error);
        if (errorType !== undefined) fail(span, errorType);
        throw error;
      } finally {
        span.end();
      }
    },
    bind: (work) => context.bind(context.active(), work),
  };
}

/** What `error.type` says of an error; undefined for one that only tells the client what is wrong. */
function typeOfThrown(error: unknown): string | undefined {
  if (isAborted(error)) return 'aborted';
  if (!isApiError(error)) return error instanceof Error ? error.name : '_OTHER';
  return error.status >= 500 ? error.code : undefined;
}
