import type { Codes } from '../log/log.ts';

/** The loops that count rows where the kernel does not, as those of selection/loops.ts. */

/** How many rows have a code that passes, given how many have each. */
export function weigh(verdict: Uint8Array, occurrences: Uint32Array): number {
  let count = 0;
  // Values of a chunk that is still being taken in have codes before they have rows.
  const end = Math.min(verdict.length, occurrences.length);
  for (let code = 0; code < end; code++) count += verdict[code]! * occurrences[code]!;
  return count;
}

/** How many of the rows pass. */
export function tally(codes: Codes, verdict: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) count += verdict[codes[row]!]!;
  return count;
}

/** How many of the rows at these places of the order pass. */
export function tallyAt(
  codes: Codes,
  verdict: Uint8Array,
  rows: Uint32Array,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let place = from; place < to; place++) count += verdict[codes[rows[place]!]!]!;
  return count;
}

/**
 * How many of the rows pass both of two tests: half the time of selecting by one and tallying by the other.
 */
export function tallyBoth(
  codes: Codes,
  verdict: Uint8Array,
  otherCodes: Codes,
  otherVerdict: Uint8Array,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let row = from; row < to; row++) count += verdict[codes[row]!]! & otherVerdict[otherCodes[row]!]!;
  return count;
}

/** As `tallyBoth`, for places of the order. */
export function tallyBothAt(
  codes: Codes,
  verdict: Uint8Array,
  otherCodes: Codes,
  otherVerdict: Uint8Array,
  rows: Uint32Array,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let place = from; place < to; place++) {
    const row = rows[place]!;
    count += verdict[codes[row]!]! & otherVerdict[otherCodes[row]!]!;
  }
  return count;
}
