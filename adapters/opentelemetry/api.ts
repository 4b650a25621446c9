import type * as OpenTelemetry from '@opentelemetry/api';

/**
 * What is used of `@opentelemetry/api`. Pass the whole module: the package is the program's own, so that its
 * spans and these have one provider, one propagator and one context.
 */
export interface OpenTelemetryApi {
  /** Which span the work that runs now belongs to. */
  readonly context: Pick<typeof OpenTelemetry.context, 'active' | 'with' | 'bind'>;
  /** Reads the trace of the client from the headers of a request. */
  readonly propagation: Pick<typeof OpenTelemetry.propagation, 'extract'>;
  /** Gives the tracer of the provider that the program has registered. */
  readonly trace: Pick<typeof OpenTelemetry.trace, 'getTracer' | 'getSpan' | 'setSpan' | 'deleteSpan'>;
  /** Makes the key under which an HTTP instrumentation takes the route of a request. */
  readonly createContextKey: typeof OpenTelemetry.createContextKey;
  /** The kinds of spans. */
  readonly SpanKind: Pick<typeof OpenTelemetry.SpanKind, 'INTERNAL' | 'SERVER'>;
  /** The statuses of spans. */
  readonly SpanStatusCode: Pick<typeof OpenTelemetry.SpanStatusCode, 'ERROR'>;
}
