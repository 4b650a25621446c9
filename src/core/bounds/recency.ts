/** A place in a list; whoever has it can leave the list at once, wherever in it the place is. */
export interface RecencyNode<T> {
  readonly value: T;
  older: RecencyNode<T> | undefined;
  newer: RecencyNode<T> | undefined;
}

/** Values in the order in which they came. Every method takes the same time, however long the list is. */
export interface Recency<T> {
  /** Adds a value as the newest. */
  add(value: T): RecencyNode<T>;
  /** Takes a value out; its place must be in this list. */
  remove(place: RecencyNode<T>): void;
  /** The value that came first of those that are there; undefined where there is none. */
  oldest(): T | undefined;
}

/**
 * Makes an empty list. A Map keeps an order too, but it leaves holes where entries were, and every look at
 * its first entry steps over all of them.
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
      // An old place that named a newer one would keep it, and all that came after it one by one, until the
      // collector looks at the whole heap.
      place.older = place.newer = undefined;
    },
    oldest: () => oldest?.value,
  };
}
