import type { AppendResult, StoredEvent } from '../../src/store-kit.ts';

/** What names an event within its tenant, as a text. */
export const keyOf = (eventTs: number | string, insertId: string): string => `${eventTs} ${insertId}`;

/** What becomes of a batch, before it is stored. */
export interface AppendPlan {
  /** The events to store, by their keys. */
  readonly fresh: ReadonlyMap<string, StoredEvent>;
  /** The indexes, ascending, of events that would bring one distinct name too many. */
  readonly overNames: readonly number[];
}

/** What of a tenant's events a batch is judged by. */
export interface Known {
  /** The keys of those events of the batch that are stored already. */
  readonly present: ReadonlySet<string>;
  /** The names of all stored events. */
  readonly names: ReadonlySet<string>;
  /** How many distinct names the tenant may have; `Infinity` for as many as there are. */
  readonly namesMax: number;
}

const NOTHING_KNOWN: Known = { present: new Set(), names: new Set(), namesMax: Infinity };

/** Judges the events one after the other, names first; only an event that is stored makes its name known. */
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

/** What became of a batch: whatever was neither stored nor refused is a duplicate. */
export function resultOf(
  events: readonly StoredEvent[],
  stored: Iterable<StoredEvent>,
  overNames: readonly number[],
): AppendResult {
  const kept = new Set(stored);
  const refused = new Set(overNames);
  const duplicates = [...events.keys()].filter((i) => !kept.has(events[i]!) && !refused.has(i));
  return { duplicates, overNames };
}
