export { prometheusMeter, type PrometheusMeter, type PrometheusMeterOptions } from './meter.ts';
export { nameTenants, type NamedTenants } from './tenants.ts';
export { withMetrics, type MetricsOptions, type MetricsSource } from './handler.ts';
