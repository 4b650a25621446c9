import type { JsonObject, JsonValue, StoredEvent } from '../event/event.ts';
import { toIsoDay } from '../event/time.ts';
import type { Condition, Test } from './condition.ts';
import { OPERATORS, type FoundValue } from './operators.ts';
import type { Path } from './path.ts';

/** What a predicate looks at: an event with its properties parsed and its instant in epoch milliseconds. */
export interface EventView {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: number;
  readonly insertId: string;
  readonly properties: JsonObject;
}

/** The view of a stored event. */
export function toEventView(stored: StoredEvent): EventView {
  const { eventName, userId, eventTs, insertId, propertiesJson } = stored;
  return { eventName, userId, eventTs, insertId, properties: JSON.parse(propertiesJson) as JsonObject };
}

/** Walks own keys of objects only: never an array, never the prototype. */
export function valueBelow(properties: JsonObject, segments: readonly string[]): FoundValue {
  let value: JsonValue = properties;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, segment)) return undefined;
    value = value[segment] as JsonValue;
  }
  return value;
}

/** The value that a path finds in an event; undefined when it finds none. */
export function valueAt(event: EventView, path: Path): FoundValue {
  if (path.root === 'properties') return valueBelow(event.properties, path.segments);
  return path.root === 'eventDate' ? toIsoDay(event.eventTs) : event[path.root];
}

/** Whether the value that a test's path has found passes the test. */
export function passes(test: Test, value: FoundValue): boolean {
  return OPERATORS[test.operator](value, test.operand);
}

/**
 * Whether an event meets a condition, straight from the definition: the meaning of a query, which compiled
 * predicates and stores may only be faster than.
 */
export function matches(condition: Condition, event: EventView): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((part) => matches(part, event));
    case 'any':
      return condition.of.some((part) => matches(part, event));
    case 'not':
      return !matches(condition.of, event);
    case 'test':
      return passes(condition, valueAt(event, condition.path));
  }
}
