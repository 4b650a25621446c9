/** Where the rows of a log stand among all events that ever arrived in it, some of which were erased. */
export interface Survivors {
  /** Names the log by which positions were given out before. */
  readonly log: number;
  /** About how many bytes it takes to know them. */
  readonly bytes: number;
  /** The erased arrivals: the ranges ascend and do not touch. */
  readonly ranges: readonly ArrivalRange[];
  /** How many arrivals were erased. */
  readonly erased: number;
  /** The arrival of a row; behind the last row, behind the last arrival. */
  arrivalOf(row: number): number;
  /** How many rows stand before an arrival: its own row, where it has one. */
  rowAt(arrival: number): number;
  /** The erased arrivals of a range, ascending. */
  erasedIn(from: number, to: number): number[];
}

/** What a range takes: its object, and its place in three arrays. */
const RANGE_BYTES = 80;

/** Arrivals from `from` on, before `to`. */
interface ArrivalRange {
  readonly from: number;
  readonly to: number;
}

/** Knows the rows of a log from the arrivals that were erased, which ascend, beside those of `before`. */
export function createSurvivors(log: number, erased: ArrayLike<number>, before?: Survivors): Survivors {
  return fromRanges(log, joinRanges(before?.ranges ?? [], toRanges(erased)));
}

/**
 * The rows of an edition of a log that a later one has no more, ascending; undefined where the other is not a
 * later edition of the same log.
 */
export function findErased(then: Survivors | undefined, now: Survivors): Uint32Array | undefined {
  const ranges = then?.ranges ?? [];
  const more = now.erased - (then?.erased ?? 0);
  if (more < 0) return undefined;
  const rows = new Uint32Array(more);
  let [found, range, erasedBefore] = [0, 0, 0];
  for (const { from, to } of now.ranges) {
    for (let arrival = from; arrival < to;) {
      const known = ranges[range];
      if (known === undefined || arrival < known.from) {
        rows[found++] = arrival - erasedBefore;
        arrival += 1;
      } else {
        erasedBefore += known.to - known.from;
        arrival = Math.max(arrival, known.to);
        range += 1;
      }
    }
  }
  return found === more ? rows : undefined;
}

function fromRanges(log: number, ranges: readonly ArrivalRange[]): Survivors {
  const starts = new Float64Array(ranges.length);
  const ends = new Float64Array(ranges.length);
  /** How many arrivals are erased before each range. */
  const before = new Float64Array(ranges.length + 1);
  for (let i = 0; i < ranges.length; i++) {
    const { from, to } = ranges[i]!;
    [starts[i], ends[i]] = [from, to];
    before[i + 1] = before[i]! + to - from;
  }

  /** How many of the ranges are before something; those that are stand first. */
  function countWhile(isBefore: (range: number) => boolean): number {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    log,
    bytes: ranges.length * RANGE_BYTES,
    ranges,
    erased: before[ranges.length]!,
    arrivalOf: (row) => row + before[countWhile((range) => starts[range]! - before[range]! <= row)]!,
    rowAt(arrival) {
      const count = countWhile((range) => starts[range]! < arrival);
      const isWithin = count > 0 && ends[count - 1]! > arrival;
      return isWithin ? starts[count - 1]! - before[count - 1]! : arrival - before[count]!;
    },
    erasedIn(from, to) {
      const found: number[] = [];
      for (let range = countWhile((each) => ends[each]! <= from); range < ranges.length; range++) {
        if (starts[range]! >= to) break;
        const end = Math.min(to, ends[range]!);
        for (let arrival = Math.max(from, starts[range]!); arrival < end; arrival++) found.push(arrival);
      }
      return found;
    },
  };
}

/** Ascending arrivals as ranges. */
function toRanges(arrivals: ArrayLike<number>): ArrivalRange[] {
  const ranges: ArrivalRange[] = [];
  for (let i = 0; i < arrivals.length;) {
    const from = arrivals[i]!;
    const first = i;
    while (i < arrivals.length && arrivals[i] === from + i - first) i += 1;
    ranges.push({ from, to: from + i - first });
  }
  return ranges;
}

/** All of two lists of ranges, of which no arrival is in both. */
function joinRanges(some: readonly ArrivalRange[], others: readonly ArrivalRange[]): readonly ArrivalRange[] {
  if (some.length === 0) return others;
  const joined: { from: number; to: number }[] = [];
  for (let [i, j] = [0, 0]; i < some.length || j < others.length;) {
    const isSome = j === others.length || (i < some.length && some[i]!.from < others[j]!.from);
    const { from, to } = isSome ? some[i++]! : others[j++]!;
    const last = joined.at(-1);
    if (last?.to === from) last.to = to;
    else joined.push({ from, to });
  }
  return joined;
}
