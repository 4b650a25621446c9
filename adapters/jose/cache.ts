/** A map that forgets what was used longest ago. */
export interface Cache<V> {
  /** The value of a key, made when there is none. */
  get(key: string, make: () => V): V;
  /** Forgets the value that was used longest ago; false where there is none. */
  dropOldest(): boolean;
}

/** Makes a cache of at most `entriesMax` values; `onDrop` is told of each that is forgotten. */
export function createCache<V>(entriesMax: number, onDrop?: (value: V) => void): Cache<V> {
  const entries = new Map<string, V>();

  function dropOldest(): boolean {
    const oldest = entries.entries().next().value;
    if (oldest === undefined) return false;
    entries.delete(oldest[0]);
    onDrop?.(oldest[1]);
    return true;
  }

  return {
    get: (key, make) => {
      const value = entries.get(key) ?? make();
      // A Map keeps the order of insertion, so putting an entry in again makes it the newest.
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > entriesMax) dropOldest();
      return value;
    },
    dropOldest,
  };
}
