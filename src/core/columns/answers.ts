import type { MemoryBudget } from '../bounds/memory-budget.ts';
import { breakDownByPages } from './groups/by-pages.ts';
import { createKeyedHash, type HashSeed } from '../base/keyed-hash.ts';
import { propertiesByPages } from './properties/by-pages.ts';
import type { EventStore } from '../query/event-store.ts';
import type { Signal } from '../base/signal.ts';
import type { Properties } from '../query/properties.ts';

/** The answers that a store may leave out. */
export interface OptionalAnswers extends Required<Pick<EventStore, 'breakdown' | 'plan'>> {
  properties(tenantId: string, event: string | undefined, signal?: Signal): Promise<Properties>;
}

export interface AnswersOptions {
  /** A secret of this process, so that no client can choose values that are slow to look up. */
  readonly seed: HashSeed;
  /** The budget for the memory that answers need while they are put together. */
  readonly memory: MemoryBudget;
}

/** A store's own answers. An answer that the store lacks is put together from its pages. */
export function answersOf(store: EventStore, { seed, memory }: AnswersOptions): OptionalAnswers {
  const hash = createKeyedHash(seed);
  return {
    breakdown: (tenantId, query, grouping, signal) =>
      store.breakdown?.(tenantId, query, grouping, signal) ??
      breakDownByPages(store, { tenantId, query, grouping }, { hash, memory }, signal),
    properties: async (tenantId, event, signal) =>
      (await store.properties?.(tenantId, event, signal)) ??
      propertiesByPages(store, { tenantId, event }, memory, signal),
    plan: async (tenantId, query, signal) => (await store.plan?.(tenantId, query, signal)) ?? { by: 'store' },
  };
}
