import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Logger, Resources } from '../../../src/index.ts';
import { nodeResources } from '../../node-http/index.ts';

/** The resources of a server, and the watch over its memory. */
export interface ServerResources {
  readonly resources: Resources;
  /** How many bytes the process may use: the configured limit, or less if the machine has less. */
  readonly bytesMax: number;
  /** Stops watching the process. */
  stop(): void;
}

/** The memory of an idle process: Node, code, SQLite, young generations, threads. */
const BASE_BYTES = 224 * 2 ** 20;
/** The budget's share of the rest: garbage uses memory too until it is collected. */
const BUDGET_SHARE = 0.55;
/** How far the heap may grow between two garbage collections; by default V8 lets it grow fourfold. */
const GROWTH_PERCENT = 100;
/**
 * How far the heap may grow once the process uses `TIGHT_SHARE` of its limit: doubling would no longer fit.
 */
const TIGHT_GROWTH_PERCENT = 20;
const TIGHT_SHARE = 0.5;
/**
 * Memory of the process above this share of its limit is withheld from the budget, up to half of the budget:
 * the allocator holds an unknown amount of freed memory in fragments.
 */
const FULL_SHARE = 0.85;
/** The smallest budget, so that a server on a small machine still serves. */
const BUDGET_MIN = 32 * 2 ** 20;
const WATCH_MS = 200;

/** How much memory a server may use, and its log. */
interface ServerResourcesOptions {
  /** How many bytes this process may use. */
  readonly memoryMax: number;
  /** How many processes share the machine. Default 1. */
  readonly workers?: number | undefined;
  readonly log: Logger;
  /** Where it is counted what happens. Default: nowhere. */
  readonly meter?: Resources['meter'] | undefined;
  /** Where requests are traced. Default: nowhere. */
  readonly tracer?: Resources['tracer'];
}

/**
 * Makes the resources of a server within its memory limit. V8's heap limit cannot be changed in a running
 * process, so we bound how far the heap may grow between two garbage collections. That keeps garbage small
 * compared to live data, and smaller still while memory is tight, at the price of more frequent collections.
 * Each worker may use the configured limit, and all workers together what the machine has.
 */
export function openResources({
  memoryMax,
  workers = 1,
  log,
  meter,
  tracer,
}: ServerResourcesOptions): ServerResources {
  const bytesMax = memoryLimitOf({ memoryMax, workers });
  const budget = Math.max(BUDGET_MIN, Math.floor((bytesMax - BASE_BYTES) * BUDGET_SHARE));
  const resources = nodeResources({ memoryMax: budget, log, ...(meter && { meter }), tracer });
  let tight = false;
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const watch = setInterval(() => {
    const resident = residentBytes();
    resources.memory.withhold(
      Math.floor(Math.min(budget / 2, Math.max(0, resident - bytesMax * FULL_SHARE))),
    );
    const isTight = resident > bytesMax * TIGHT_SHARE;
    if (isTight === tight) return;
    tight = isTight;
    setFlagsFromString(`--heap-growing-percent=${tight ? TIGHT_GROWTH_PERCENT : GROWTH_PERCENT}`);
  }, WATCH_MS);
  watch.unref();
  return { resources, bytesMax, stop: () => clearInterval(watch) };
}

/** How many bytes each serving process may use: the configured limit, or less if the machine has less. */
export function memoryLimitOf({
  memoryMax,
  workers = 1,
}: Pick<ServerResourcesOptions, 'memoryMax' | 'workers'>): number {
  const machine = Math.min(totalmem(), constrained()) / workers;
  return Math.floor(Math.min(memoryMax, machine, getHeapStatistics().heap_size_limit));
}

/** The resident memory of the process; 0 when no file descriptor is left to read it with. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** The memory limit that the system sets for the process, for example in a container. */
function constrained(): number {
  const bytes = process.constrainedMemory();
  return bytes > 0 ? bytes : Infinity;
}
