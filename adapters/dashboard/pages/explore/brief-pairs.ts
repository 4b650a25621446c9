import { pathBelow } from '../address/paths.ts';

/** A path, and the value there. */
export type Pair = readonly [path: string, value: unknown];

/** The first values of an event’s properties. Those of an object come before those of the objects in it. */
export function briefPairs(properties: object, most: number): readonly Pair[] {
  const pairs: Pair[] = [];
  const add = (object: object, above: string) => {
    const inner: (readonly [key: string, value: object])[] = [];
    for (const key of Object.keys(object)) {
      if (pairs.length === most) return;
      const value = (object as Readonly<Record<string, unknown>>)[key];
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        pairs.push([pathBelow(above, key), value]);
      else if (inner.length < most) inner.push([key, value]);
    }
    for (const [key, value] of inner) if (pairs.length < most) add(value, pathBelow(above, key));
  };
  add(properties, 'properties');
  return pairs;
}
