/** How many answers are requested in advance, so that two threads always have a next request. */
export const AWAITED = 3;

/** How many ranges this thread reads ahead at most: enough to keep it and one other thread busy. */
export const HERE_MAX = 16;

/** Rows that were requested or read here, and a promise of what is found in all or the first of them. */
interface Range<T> {
  readonly from: number;
  readonly to: number;
  readonly found: Promise<T>;
  readonly isHere: boolean;
  /** Whether the answer has arrived or failed. */
  isThere: boolean;
}

/** Which rows are requested, and how. */
export interface LookAheadOptions<T> {
  /** How many rows there are. */
  readonly size: number;
  readonly ask: (from: number, to: number) => Promise<T>;
  /** Where a request that begins at a row ends. */
  readonly stopAfter: (row: number) => number;
  /** How many rows an answer has. If it has fewer than requested, the rest is requested again. */
  readonly rowsOf: (found: T) => number;
  /**
   * Reads the first of these rows, at least one, in this thread: rows that were not requested yet, while the
   * next answer is awaited. Absent if this thread must not read.
   */
  readonly readHere?: ((from: number, to: number) => Promise<T>) | undefined;
}

/** Requests the next rows from other threads, range by range, before the caller needs them. */
export function createLookAhead<T>({ size, ask, stopAfter, rowsOf, readHere }: LookAheadOptions<T>) {
  /** Consecutive ranges. */
  let ranges: Range<T>[] = [];

  const countOf = (isHere: boolean) => ranges.filter((range) => range.isHere === isHere).length;
  const endOf = (from: number) => Math.min(size, stopAfter(from));

  function askFor(from: number, to: number): Range<T> {
    const range: Range<T> = { from, to, found: ask(from, to), isHere: false, isThere: false };
    const settle = () => void (range.isThere = true);
    // A caller that awaits the range sees its failure. Without a caller it must not be unhandled.
    range.found.then(settle, settle);
    return range;
  }

  function askMore(from: number): void {
    while (countOf(false) <= AWAITED) {
      const next = ranges.at(-1)?.to ?? from;
      if (next >= size) return;
      ranges.push(askFor(next, endOf(next)));
    }
  }

  /** While a range is awaited, reads ranges that were not requested yet. */
  async function readMeanwhile(awaited: Range<T>): Promise<void> {
    while (readHere !== undefined && !awaited.isThere && countOf(true) < HERE_MAX) {
      const from = ranges.at(-1)?.to ?? awaited.to;
      if (from >= size) return;
      const found = await readHere(from, endOf(from));
      const to = from + rowsOf(found);
      ranges.push({ from, to, found: Promise.resolve(found), isHere: true, isThere: true });
    }
  }

  /** What is found in the rows from `from` on, at least one. */
  return async (from: number): Promise<T> => {
    if (ranges[0]?.from !== from) ranges = [];
    askMore(from);
    const first = ranges.shift()!;
    await readMeanwhile(first);
    const found = await first.found;
    const end = from + rowsOf(found);
    if (end < first.to) ranges.unshift(askFor(end, first.to));
    return found;
  };
}
