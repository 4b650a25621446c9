/** How many answers are awaited beside the one that is taken in: two threads always have a next one. */
export const AWAITED = 3;

/** How many ranges are read here at most: enough that one other thread and this one both always read. */
export const HERE_MAX = 16;

/** Rows that were asked for or read here, and what is found in the first of them or in all. */
interface Range<T> {
  readonly from: number;
  readonly to: number;
  readonly found: Promise<T>;
  readonly isHere: boolean;
  /** Whether nobody need wait for it any more. */
  isThere: boolean;
}

/** Which rows are asked for, and how. */
export interface LookAheadOptions<T> {
  /** The rows that there are. */
  readonly size: number;
  readonly ask: (from: number, to: number) => Promise<T>;
  /** Where rows end that are asked for together from one on. */
  readonly stopAfter: (row: number) => number;
  /** How many rows an answer has: of one that has fewer than were asked for, the rest is asked for. */
  readonly rowsOf: (found: T) => number;
  /**
   * Reads the first of these rows, at least one, in this thread: what nobody was asked for yet, while the
   * next answer is awaited. Absent where this thread is to be left alone.
   */
  readonly readHere?: ((from: number, to: number) => Promise<T>) | undefined;
}

/** Asks other threads for the rows behind those that are taken in, range by range. */
export function createLookAhead<T>({ size, ask, stopAfter, rowsOf, readHere }: LookAheadOptions<T>) {
  /** Ranges that follow each other. */
  let ranges: Range<T>[] = [];

  const countOf = (isHere: boolean) => ranges.filter((range) => range.isHere === isHere).length;
  const endOf = (from: number) => Math.min(size, stopAfter(from));

  function askFor(from: number, to: number): Range<T> {
    const range: Range<T> = { from, to, found: ask(from, to), isHere: false, isThere: false };
    const settle = () => void (range.isThere = true);
    // Who wants to know hears of a failure; perhaps nobody does any more.
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

  /** While a range is awaited, reads some that nobody was asked for. */
  async function readMeanwhile(awaited: Range<T>): Promise<void> {
    while (readHere !== undefined && !awaited.isThere && countOf(true) < HERE_MAX) {
      const from = ranges.at(-1)?.to ?? awaited.to;
      if (from >= size) return;
      const found = await readHere(from, endOf(from));
      const to = from + rowsOf(found);
      ranges.push({ from, to, found: Promise.resolve(found), isHere: true, isThere: true });
    }
  }

  /** What is found in the rows from one on, of which there is at least one. */
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
