/** A least recently used (LRU) cache. */
export interface Cache<V> {
  /** Returns the value of a key, and makes it first when it is missing. */
  get(key: string, make: () => V): V;
  /** Evicts the least recently used value; false when the cache is empty. */
  dropOldest(): boolean;
}

/** Makes a cache of at most `entriesMax` values; `onDrop` receives each evicted value. */
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
      // A Map iterates in insertion order, so reinserting an entry makes it the newest.
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > entriesMax) dropOldest();
      return value;
    },
    dropOldest,
  };
}
