import { compareCodePoints } from '../../src/core/event/text.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { Scheduler } from '../../src/index.ts';
import {
  compilePredicate,
  type EventQuery,
  type EventView,
  type Position,
  type StoredEvent,
} from '../../src/store-kit.ts';

/** Restricts nothing. */
export const EVERYTHING: EventQuery = {
  from: -Infinity,
  until: Infinity,
  condition: { kind: 'all', of: [] },
};

/** A scheduler without time slices. */
export const AT_ONCE: Scheduler = {
  run: async (_owner, _signal, job) => job({ now: () => 0, yieldIfDue: () => undefined }),
};

/** What a store must hold after some batches: the first event of each identity. */
export function firstWrites(batches: readonly (readonly StoredEvent[])[]): StoredEvent[] {
  const first = new Map<string, StoredEvent>();
  for (const event of batches.flat()) {
    const identity = identityOf(event);
    if (!first.has(identity)) first.set(identity, event);
  }
  return [...first.values()];
}

/** The identity of an event within its tenant. */
export function identityOf({ eventTs, insertId }: Position): string {
  return `${eventTs} ${insertId}`;
}

/** The order of answers: newest first, then `insertId` descending by code point. */
export function compareNewestFirst(a: Position, b: Position): number {
  if (a.eventTs !== b.eventTs) return b.eventTs - a.eventTs;
  return compareCodePoints(b.insertId, a.insertId);
}

/** Answers queries over some events by the definition: parsed once, filtered by the predicate, sorted. */
export function referenceOf(events: readonly StoredEvent[]): (query: EventQuery) => StoredEvent[] {
  const sorted: [StoredEvent, EventView][] = [...events]
    .sort(compareNewestFirst)
    .map((event) => [event, toEventView(event)]);
  return (query) => {
    const belongs = compilePredicate(query, { codeGeneration: false });
    return sorted.filter(([, view]) => belongs(view)).map(([event]) => event);
  };
}

/** An event as a text that is equal for equal events, whatever the order of their properties' keys. */
function comparable(event: StoredEvent): string {
  const { eventName, userId, eventTs, insertId, propertiesJson, receivedAt } = event;
  const arrival = receivedAt ?? 'nobody noted it';
  return sortedJson([eventTs, insertId, eventName, userId, JSON.parse(propertiesJson), arrival]);
}

/** Events as texts. */
export function comparables(events: readonly StoredEvent[]): string[] {
  return events.map(comparable);
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join(',')}}`;
}
