import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import { breakDownByPages } from './groups-by-pages.ts';
import { createKeyedHash, type HashSeed } from '../../base/keyed-hash.ts';
import { streamsByPages } from './streams-by-pages.ts';
import { propertiesByPages } from './properties-by-pages.ts';
import { topByPages } from './top-by-pages.ts';
import { readPathsOf } from '../../query/answer-plan.ts';
import type { EventStore, OptionalAnswers } from '../../query/event-store.ts';
import type { Breakdown } from '../../query/grouping.ts';

export interface AnswersOptions {
  /** A secret of this process, so that no client can choose values that are slow to look up. */
  readonly seed: HashSeed;
  /** The budget for the memory that answers need while they are put together. */
  readonly memory: MemoryBudget;
  /** Gives time slices to what has to be computed once all pages are read. */
  readonly scheduler: Scheduler;
}

/** A store's own answers. An answer that the store lacks is put together from its pages. */
export function answersOf(store: EventStore, { seed, memory, scheduler }: AnswersOptions): OptionalAnswers {
  const tools = { hash: createKeyedHash(seed), memory, scheduler };
  return {
    breakdown: (tenantId, query, grouping, signal) =>
      store.breakdown?.(tenantId, query, grouping, signal) ??
      (breakDownByPages(store, { tenantId, query, grouping }, tools, signal) as Promise<Breakdown>),
    measure: (tenantId, query, measuring, signal) =>
      store.measure?.(tenantId, query, measuring, signal) ??
      breakDownByPages(store, { tenantId, query, grouping: measuring }, tools, signal),
    streams: (tenantId, query, asked, signal) =>
      store.streams?.(tenantId, query, asked, signal) ??
      streamsByPages(store, { tenantId, query, asked }, tools, signal),
    top: (tenantId, query, ranking, signal) =>
      store.top?.(tenantId, query, ranking, signal) ??
      topByPages(store, { tenantId, query, ranking }, memory, signal),
    properties: async (tenantId, event, signal) =>
      (await store.properties?.(tenantId, event, signal)) ??
      propertiesByPages(store, { tenantId, event }, memory, signal),
    plan: async (tenantId, reading, signal) => {
      if (store[reading.method] === undefined) return { by: 'pages', paths: readPathsOf(reading) };
      return (await store.plan?.(tenantId, reading, signal)) ?? { by: 'store', paths: readPathsOf(reading) };
    },
  };
}
