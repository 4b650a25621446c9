import { toHashSeed } from '../base/keyed-hash.ts';
import type { Runtime } from '../base/runtime.ts';
import { createMemoryBudget } from '../bounds/memory-budget.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { answersOf } from '../engine/fallbacks/answers.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { EventStore } from '../query/event-store.ts';
import type { Breakdown, MeasuredGrouping, Whole } from '../query/grouping.ts';

/** What the engine does for an erasure. */
export interface ErasingOperations {
  /** Groups and measures the events that match. */
  breakdown(
    tenantId: string,
    asked: { readonly query: EventQuery; readonly grouping: MeasuredGrouping },
  ): Promise<Breakdown | Whole>;
  /** Erases the events that match. Resolves to their number. */
  erase(tenantId: string, query: EventQuery): Promise<number>;
}

/** Memory for the names of the events of a program that has no engine. */
const BYTES_MAX = 2 ** 28;

/** The same by a store alone, for a program that has no engine. */
export function erasingBy(events: EventStore, runtime: Runtime): ErasingOperations {
  const scheduler: Scheduler = {
    run: async (_owner, _signal, job) => job({ now: () => runtime.now(), yieldIfDue: () => undefined }),
  };
  const memory = createMemoryBudget({ bytesMax: BYTES_MAX });
  const { measure } = answersOf(events, { seed: toHashSeed(runtime.randomBytes(8)), memory, scheduler });
  return {
    breakdown: (tenantId, { query, grouping }) => measure(tenantId, query, grouping),
    erase: (tenantId, query) => events.erase(tenantId, query),
  };
}
