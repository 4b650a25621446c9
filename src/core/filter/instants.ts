/** A range of instants, in epoch milliseconds. */
export interface InstantRange {
  /** The first instant in it; `-Infinity` for no bound. */
  readonly from: number;
  /** The first instant after it; `Infinity` for no bound. */
  readonly until: number;
}

/** Every instant. */
export const ALWAYS: InstantRange = { from: -Infinity, until: Infinity };

/**
 * The first and last instants that a date with a four-digit year can express. No event is near them, so
 * bounds beyond them mean the same as they do, and every range of a query can be written as filters.
 */
const FIRST = -62_167_219_200_000;
const LAST = 253_402_300_799_999;

/** The range with bounds that can be written as dates; absent bounds stay absent. */
export function withinCalendar({ from, until }: InstantRange): InstantRange {
  return {
    from: from === -Infinity ? from : toWritable(from),
    until: until === Infinity ? until : toWritable(until),
  };
}

const toWritable = (ms: number) => Math.min(Math.max(ms, FIRST), LAST);

/** The union of the ranges, as ascending, disjoint, non-adjacent, non-empty ranges. */
export function uniteRanges(ranges: readonly InstantRange[]): readonly InstantRange[] {
  const [first] = ranges;
  if (ranges.length === 1 && first!.from < first!.until) return ranges;
  const united: InstantRange[] = [];
  const ascending = ranges
    .filter(({ from, until }) => from < until)
    .sort((a, b) => compareInstants(a.from, b.from));
  for (const range of ascending) {
    const last = united.at(-1);
    if (last === undefined || range.from > last.until) united.push(range);
    else if (range.until > last.until) united[united.length - 1] = { from: last.from, until: range.until };
  }
  return united;
}

/** Subtraction would make NaN of two infinities. */
function compareInstants(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The complement of ascending, disjoint ranges. */
export function complementRanges(ranges: readonly InstantRange[]): InstantRange[] {
  const starts = [-Infinity, ...ranges.map(({ until }) => until)];
  const ends = [...ranges.map(({ from }) => from), Infinity];
  const gaps = starts.map((from, i) => ({ from, until: ends[i]! }));
  return gaps.filter(({ from, until }) => from < until);
}

/** The intersection of sets of ranges: the complement of the union of their complements. */
export function intersectRanges(sets: readonly (readonly InstantRange[])[]): readonly InstantRange[] {
  if (sets.length === 1) return sets[0]!;
  return complementRanges(uniteRanges(sets.flatMap(complementRanges)));
}

/**
 * Compiles a test of an instant: two comparisons, plus a binary search if there are several ranges and the
 * instant leaves the current one.
 */
export function compileInstants(ranges: readonly InstantRange[]): (instant: number) => boolean {
  const [range = { from: 0, until: 0 }] = ranges;
  if (ranges.length <= 1) return (instant) => instant >= range.from && instant < range.until;
  // Every second limit begins a range, so an instant is inside if an odd number of limits lies at or before
  // it.
  const limits = Float64Array.from(ranges.flatMap((one) => [one.from, one.until]));
  // Events mostly arrive in order of time, so the next one usually lies between the same two limits.
  let from = Infinity;
  let until = -Infinity;
  let inside = false;
  return (instant) => {
    if (instant >= from && instant < until) return inside;
    const low = countUpTo(limits, instant);
    from = limits[low - 1] ?? -Infinity;
    until = limits[low] ?? Infinity;
    inside = low % 2 === 1;
    return inside;
  };
}

/** How many of the ascending limits lie at or before an instant. */
export function countUpTo(limits: Float64Array, instant: number): number {
  let low = 0;
  let high = limits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (limits[middle]! <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
