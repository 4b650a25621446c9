import type { Event } from '../../../../src/index.ts';

/** A value of a property, and the first of the consecutive events that have it. */
export interface PropertyValue {
  readonly value: unknown;
  /** The time of that event, ISO 8601. */
  readonly since: string;
}

/** A property, with its values in order of time. A value that comes back after another one appears again. */
export interface PropertyHistory {
  /** The keys that lead to it below the properties. */
  readonly keys: readonly string[];
  readonly values: readonly PropertyValue[];
}

/** How many properties are looked at, of each event and of all. */
export const PATHS_MAX = 1_000;

/**
 * How properties changed from event to event. Those that changed least come first, because they say most
 * about a user. An event without a property changes nothing. A list is one value; an object is its keys.
 */
export function historyOf(oldestFirst: readonly Event[]): readonly PropertyHistory[] {
  const found = new Map<string, PropertyHistory & { readonly values: PropertyValue[]; last: string }>();
  let left = 0;
  const walk = (object: object, above: readonly string[], since: string) => {
    for (const [key, value] of Object.entries(object) as [string, unknown][]) {
      if (left === 0) return;
      const keys = [...above, key];
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        walk(value, keys, since);
        continue;
      }
      left -= 1;
      const id = JSON.stringify(keys);
      const text = JSON.stringify(value);
      const before = found.get(id);
      if (before === undefined) {
        if (found.size < PATHS_MAX) found.set(id, { keys, values: [{ value, since }], last: text });
      } else if (before.last !== text) {
        before.values.push({ value, since });
        before.last = text;
      }
    }
  };
  for (const { properties, eventTs } of oldestFirst) {
    left = PATHS_MAX;
    walk(properties, [], eventTs);
  }
  // The sort is stable, so properties that changed as often keep the order in which events have them.
  return [...found.values()].sort((a, b) => a.values.length - b.values.length);
}
