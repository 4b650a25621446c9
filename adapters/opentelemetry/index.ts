export type { OpenTelemetryApi } from './api.ts';
export type { OpenTelemetryTracerOptions } from './attributes.ts';
export { openTelemetryTracer } from './tracer.ts';
