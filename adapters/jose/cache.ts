/** A map that forgets what was used longest ago. */
export interface Cache<V> {
  /** The value of a key, made when there is none. */
  get(key: string, make: () => V): V;
}

/** Makes a cache of at most `entriesMax` values. */
export function createCache<V>(entriesMax: number): Cache<V> {
  const entries = new Map<string, V>();
  return {
    get: (key, make) => {
      const value = entries.get(key) ?? make();
      // A Map keeps the order of insertion, so putting an entry in again makes it the newest.
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!);
      return value;
    },
  };
}
