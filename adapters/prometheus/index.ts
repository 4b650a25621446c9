export { prometheusMeter, type PrometheusMeter, type PrometheusMeterOptions } from './meter.ts';
export { withMetrics, type MetricsSource } from './handler.ts';
