/** Keeps the first few of the items that are added, by their order. */
export interface FirstOf<T> {
  /** Adds an item. It returns the item that is not among the first any more, which may be the same one. */
  add(item: T): T | undefined;
  /** The items that are kept, in their order. */
  sorted(): T[];
}

/**
 * Makes what keeps the first `size` items of an order in a heap, so that a new one costs few comparisons,
 * however many are kept. `compare` is negative where its first argument comes before its second.
 */
export function createFirstOf<T>(size: number, compare: (a: T, b: T) => number): FirstOf<T> {
  /** No item comes after its parent, so the first one is the last of the order. */
  const heap: T[] = [];

  function rise(item: T): void {
    let place = heap.push(item) - 1;
    for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
      if (compare(item, heap[parent]!) <= 0) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = item;
  }

  function sink(item: T): void {
    let place = 0;
    for (let child = 1; child < heap.length; child = place * 2 + 1) {
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child += 1;
      if (compare(item, heap[child]!) >= 0) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = item;
  }

  return {
    add(item) {
      if (heap.length < size) {
        rise(item);
        return undefined;
      }
      const [last] = heap;
      if (last === undefined || compare(item, last) >= 0) return item;
      sink(item);
      return last;
    },
    sorted: () => heap.toSorted(compare),
  };
}
