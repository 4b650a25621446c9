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

/**
 * How properties changed from event to event. Those that changed least come first, because they say most
 * about a user. An event without a property changes nothing. A list is one value; an object is its keys.
 */
export function historyOf(oldestFirst: readonly Event[]): readonly PropertyHistory[] {
  const found = new Map<string, PropertyHistory & { readonly values: PropertyValue[] }>();
  const walk = (object: object, above: readonly string[], since: string) => {
    for (const [key, value] of Object.entries(object) as [string, unknown][]) {
      const keys = [...above, key];
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        walk(value, keys, since);
        continue;
      }
      const id = JSON.stringify(keys);
      const values = found.get(id)?.values ?? [];
      if (values.length === 0) found.set(id, { keys, values });
      const last = values.at(-1);
      if (last === undefined || JSON.stringify(last.value) !== JSON.stringify(value))
        values.push({ value, since });
    }
  };
  for (const { properties, eventTs } of oldestFirst) walk(properties, [], eventTs);
  // The sort is stable, so properties that changed as often keep the order in which events have them.
  return [...found.values()].sort((a, b) => a.values.length - b.values.length);
}
