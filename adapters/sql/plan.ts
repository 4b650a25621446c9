import type { AppendResult, StoredEvent } from '../../src/store-kit.ts';

/** The text that identifies an event within its tenant. */
export const keyOf = (eventTs: number | string, insertId: string): string => `${eventTs} ${insertId}`;

/** How a batch will be stored. */
export interface AppendPlan {
  /** The events to store, by key. */
  readonly fresh: ReadonlyMap<string, StoredEvent>;
  /** The indexes, ascending, of events that would exceed the limit of distinct names. */
  readonly overNames: readonly number[];
}

/** The stored state that a batch is checked against. */
export interface Known {
  /** The keys of events in the batch that are stored already. */
  readonly present: ReadonlySet<string>;
  /** The names of all stored events. */
  readonly names: ReadonlySet<string>;
  /** How many distinct names the tenant may have; `Infinity` for no limit. */
  readonly namesMax: number;
}

const NOTHING_KNOWN: Known = { present: new Set(), names: new Set(), namesMax: Infinity };

/**
 * Checks the events one after the other, names first; a name becomes known only with an event that is stored.
 */
export function planBatch(
  events: readonly StoredEvent[],
  { present, names, namesMax }: Known = NOTHING_KNOWN,
): AppendPlan {
  const fresh = new Map<string, StoredEvent>();
  const overNames: number[] = [];
  const known = new Set(names);
  events.forEach((event, index) => {
    if (!known.has(event.eventName) && known.size >= namesMax) return void overNames.push(index);
    const key = keyOf(event.eventTs, event.insertId);
    if (present.has(key) || fresh.has(key)) return;
    known.add(event.eventName);
    fresh.set(key, event);
  });
  return { fresh, overNames };
}

/** The result of a batch: an event that was neither stored nor refused is a duplicate. */
export function resultOf(
  events: readonly StoredEvent[],
  stored: Iterable<StoredEvent>,
  overNames: readonly number[],
): AppendResult {
  const kept = new Set(stored);
  const refused = new Set(overNames);
  // A batch may hold one object twice: only the first of them was stored.
  const duplicates = [...events.keys()].filter((i) => !refused.has(i) && !kept.delete(events[i]!));
  return { duplicates, overNames };
}
