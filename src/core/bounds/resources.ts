import type { MemoryBudget } from './memory-budget.ts';
import type { Meter } from '../base/metrics.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Scheduler } from './scheduler.ts';
import type { Zones } from './zones.ts';

/**
 * What all parts of a process share. It is made once, by `nodeResources()` in Node or `webResources()`
 * elsewhere, and given to the stores, the engine and the API; a server has it from the API. Parts that each
 * had their own would together take as many times the memory, and none would know whose turn it is.
 */
export interface Resources {
  /** Clock and randomness. */
  readonly runtime: Runtime;
  /** The memory budget: everything that grows with client input reserves its bytes here first. */
  readonly memory: MemoryBudget;
  /** Gives the jobs of all tenants their turns. */
  readonly scheduler: Scheduler;
  /** The time zones, as far as their clocks were read. */
  readonly zones: Zones;
  /** Where it is said what happened. */
  readonly log: Logger;
  /** Where it is counted what happened. */
  readonly meter: Meter;
  /** Where it is recorded which work belongs together; absent where nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/** How the resources of a process are made. */
export interface ResourcesOptions {
  /** The size of the memory budget in bytes. One tenant may have half of it at most. */
  readonly memoryMax?: number;
  /** Where it is said what happened. Default: errors on the console, nothing else. */
  readonly log?: Logger;
  /** Where it is counted what happened, such as `prometheusMeter()`. Default: nowhere. */
  readonly meter?: Meter;
  /** Where requests are traced, such as `openTelemetryTracer(api)`. Default: nowhere. */
  readonly tracer?: Tracer | undefined;
}
