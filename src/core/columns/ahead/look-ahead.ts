/** How many answers are awaited beside the one that is taken in: two threads always have a next one. */
const AWAITED = 3;

/** Rows that were asked for, and what is found in the first of them or in all. */
interface Asked<T> {
  readonly from: number;
  readonly to: number;
  readonly found: Promise<T>;
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
}

/** Asks other threads for the rows behind those that are taken in, range by range. */
export function createLookAhead<T>({ size, ask, stopAfter, rowsOf }: LookAheadOptions<T>) {
  /** Ranges that follow each other. */
  let asked: Asked<T>[] = [];

  function range(from: number, to: number): Asked<T> {
    const found = ask(from, to);
    // Whether anybody still wants to know.
    found.catch(() => undefined);
    return { from, to, found };
  }

  function askMore(from: number): void {
    while (asked.length <= AWAITED) {
      const next = asked.at(-1)?.to ?? from;
      if (next >= size) return;
      asked.push(range(next, Math.min(size, stopAfter(next))));
    }
  }

  /** What is found in the rows from one on, of which there is at least one. */
  return async (from: number): Promise<T> => {
    if (asked[0]?.from !== from) asked = [];
    askMore(from);
    const { to, found } = asked.shift()!;
    const rows = await found;
    const end = from + rowsOf(rows);
    if (end < to) asked.unshift(range(end, to));
    return rows;
  };
}
