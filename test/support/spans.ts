import * as api from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';

/** What OpenTelemetry's own SDK recorded in this process. */
export interface Spans {
  /** The spans that have ended. */
  ended(): readonly ReadableSpan[];
  /** Forgets them. */
  reset(): void;
  /** Gives the process back as it was. */
  stop(): Promise<void>;
}

/** Registers OpenTelemetry's own SDK in this process, as a program does that traces. */
export function recordSpans(): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  return {
    ended: () => exporter.getFinishedSpans(),
    reset: () => exporter.reset(),
    async stop() {
      await provider.shutdown();
      api.trace.disable();
      api.context.disable();
      api.propagation.disable();
    },
  };
}

/** The trace and the span of a client, and the header that tells them. */
export function clientTrace(number = 1, sampled = true) {
  const traceId = number.toString(16).padStart(32, 'a');
  const spanId = number.toString(16).padStart(16, 'b');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}` };
}
