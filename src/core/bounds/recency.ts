/** A place in a list. It can be removed in constant time, wherever it is. */
export interface RecencyNode<T> {
  readonly value: T;
  older: RecencyNode<T> | undefined;
  newer: RecencyNode<T> | undefined;
}

/** Values in order of arrival. Every method takes constant time. */
export interface Recency<T> {
  /** Adds a value as the newest. */
  add(value: T): RecencyNode<T>;
  /** Removes a value; its place must be in this list. */
  remove(place: RecencyNode<T>): void;
  /** The oldest value; undefined if the list is empty. */
  oldest(): T | undefined;
}

/**
 * Makes an empty list. A Map keeps an order too, but removed entries leave holes, and every look at its first
 * entry steps over all of them.
 */
export function createRecency<T>(): Recency<T> {
  let oldest: RecencyNode<T> | undefined;
  let newest: RecencyNode<T> | undefined;
  return {
    add(value) {
      const place: RecencyNode<T> = { value, older: newest, newer: undefined };
      if (newest === undefined) oldest = place;
      else newest.newer = place;
      return (newest = place);
    },
    remove(place) {
      const { older, newer } = place;
      if (older === undefined) oldest = newer;
      else older.newer = newer;
      if (newer === undefined) newest = older;
      else newer.older = older;
      // An old place that still pointed to a newer one would keep it alive, and all that came after it,
      // until a full garbage collection.
      place.older = place.newer = undefined;
    },
    oldest: () => oldest?.value,
  };
}
