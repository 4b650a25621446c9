import { nextBit } from '../log/erased-rows.ts';
import type { Codes } from '../log/log.ts';
import type { SegmentSpan } from '../selection/selector.ts';

/**
 * The loops over the rows of a block. `selection` has a byte for each row. Like the loops of
 * selection/loops.ts, each does one thing without a branch.
 */

/** Counts how many of the selected rows have each code. */
export function tallyCodes(
  counts: Uint32Array,
  codes: Codes,
  selection: Uint8Array,
  { rows, from, to }: SegmentSpan,
): void {
  if (rows === undefined) {
    for (let row = from; row < to; row++) counts[codes[row]!]! += selection[row - from]!;
  } else {
    for (let place = from; place < to; place++) {
      counts[codes[rows[place]!]!]! += selection[place - from]!;
    }
  }
}

/** Consecutive rows count in different arrays, so that one addition need not wait for the previous one. */
const LANES = 4;
/** As many codes as the narrowest kind has. */
const LANE_CODES = 256;

/** Room for `tallyNarrow`. */
export function createLanes(): Uint32Array {
  return new Uint32Array(LANES * LANE_CODES);
}

/** As `tallyCodes`, for rows that one test selects: it looks up the mask, and writes no selection. */
export function tallyNarrow(
  lanes: Uint32Array,
  codes: Uint8Array,
  tested: Uint8Array,
  mask: Uint8Array,
  { from, to }: SegmentSpan,
): void {
  let row = from;
  for (; row + 3 < to; row += LANES) {
    lanes[codes[row]!]! += mask[tested[row]!]!;
    lanes[256 + codes[row + 1]!]! += mask[tested[row + 1]!]!;
    lanes[512 + codes[row + 2]!]! += mask[tested[row + 2]!]!;
    lanes[768 + codes[row + 3]!]! += mask[tested[row + 3]!]!;
  }
  for (; row < to; row++) lanes[codes[row]!]! += mask[tested[row]!]!;
}

/**
 * Takes the erased rows of a block out of what `tallyNarrow` has counted. A lane may fall below zero and wrap
 * around: so does the sum, which is right again.
 */
export function leaveOutErased(
  lanes: Uint32Array,
  { codes, tested, mask, erased }: Record<'codes' | 'tested' | 'mask' | 'erased', Uint8Array>,
  { from, to }: SegmentSpan,
): void {
  for (let row = nextBit(erased, from); row < to; row = nextBit(erased, row + 1))
    lanes[codes[row]!]! -= mask[tested[row]!]!;
}

/** Adds up what the lanes have counted of each code. */
export function addLanes(counts: Uint32Array, lanes: Uint32Array): void {
  for (let place = 0; place < lanes.length; place++) {
    const code = place % LANE_CODES;
    if (code < counts.length) counts[code]! += lanes[place]!;
  }
}

/** Writes the codes of the selected rows one after the other, and returns how many there are. */
export function collectCodes(
  collected: Uint32Array,
  codes: Codes,
  selection: Uint8Array,
  { rows, from, to }: SegmentSpan,
): number {
  let count = 0;
  for (let place = from; place < to; place++) {
    // The next row overwrites a code that is not selected.
    collected[count] = codes[rows === undefined ? place : rows[place]!]!;
    count += selection[place - from]!;
  }
  return count;
}

/** How many rows have each first code, and which pairs of a group and a second code were met. */
export interface MetPairs {
  readonly counts: Uint32Array;
  /** A byte for each pair. */
  readonly met: Uint8Array;
  /** Where the pairs begin of each code that rows are grouped by. */
  readonly placeOf: Uint32Array;
}

/** Counts the selected rows by their first codes, and notes the second ones with the groups of the first. */
export function meetPairs(
  { counts, met, placeOf }: MetPairs,
  codes: Codes,
  second: Codes,
  selection: Uint8Array,
  { rows, from, to }: SegmentSpan,
): void {
  if (rows === undefined) {
    for (let row = from; row < to; row++) {
      const code = codes[row]!;
      const isIn = selection[row - from]!;
      counts[code]! += isIn;
      met[placeOf[code]! + second[row]!]! |= isIn;
    }
  } else {
    for (let place = from; place < to; place++) {
      const row = rows[place]!;
      const code = codes[row]!;
      const isIn = selection[place - from]!;
      counts[code]! += isIn;
      met[placeOf[code]! + second[row]!]! |= isIn;
    }
  }
}

/** The codes of rows, and what each code adds to the place of its rows in a table. */
export interface Placing {
  readonly codes: Codes;
  readonly placeOf: Uint32Array;
}

/** Writes the places of the selected rows one after the other, and returns how many there are. */
export function placeSingles(
  places: Uint32Array,
  { codes, placeOf }: Placing,
  base: number,
  selection: Uint8Array,
  { rows, from, to }: SegmentSpan,
): number {
  let count = 0;
  for (let place = from; place < to; place++) {
    // The next row overwrites a place that is not selected.
    places[count] = base + placeOf[codes[rows === undefined ? place : rows[place]!]!]!;
    count += selection[place - from]!;
  }
  return count;
}

/** The same by two codes of each row. */
export function placePairs(
  places: Uint32Array,
  first: Placing,
  second: Placing,
  selection: Uint8Array,
  { rows, from, to }: SegmentSpan,
): number {
  let count = 0;
  for (let place = from; place < to; place++) {
    const row = rows === undefined ? place : rows[place]!;
    places[count] = first.placeOf[first.codes[row]!]! + second.placeOf[second.codes[row]!]!;
    count += selection[place - from]!;
  }
  return count;
}
