import type { Event } from '../../../../src/index.ts';

/** The keys of a path. Within a key, a backslash stands before each dot and each backslash. */
function keysOf(path: string): readonly string[] {
  const keys = path.match(/(?:\\.|[^.\\])+/gs) ?? [];
  return keys.map((key) => key.replace(/\\(.)/gs, '$1'));
}

/** Returns a function for the value of an event at a path; undefined if it has none. */
export function valueReader(path: string): (event: Event) => unknown {
  const [root = '', ...keys] = keysOf(path);
  return (event) => {
    let value: unknown = Object.hasOwn(event, root) ? event[root as keyof Event] : undefined;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      if (!Object.hasOwn(value, key)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value;
  };
}

/** The value of an event at a path; undefined if it has none. */
export const valueAt = (event: Event, path: string): unknown => valueReader(path)(event);
