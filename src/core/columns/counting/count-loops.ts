import type { Codes } from '../log/log.ts';

/** The loops that count rows where the kernel does not, as those of selection/loops.ts. */

/** How many rows have a code that passes, given how many have each. */
export function weigh(mask: Uint8Array, occurrences: Uint32Array): number {
  let count = 0;
  // While a chunk is being loaded, its values have codes before they have rows.
  const end = Math.min(mask.length, occurrences.length);
  for (let code = 0; code < end; code++) count += mask[code]! * occurrences[code]!;
  return count;
}

/** How many of the rows pass. */
export function tally(codes: Codes, mask: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) count += mask[codes[row]!]!;
  return count;
}

/** How many of the rows at these places of the order pass. */
export function tallyAt(codes: Codes, mask: Uint8Array, rows: Uint16Array, from: number, to: number): number {
  let count = 0;
  for (let place = from; place < to; place++) count += mask[codes[rows[place]!]!]!;
  return count;
}

/**
 * How many of the rows pass both of two tests: half the time of selecting by one and tallying by the other.
 */
export function tallyBoth(
  codes: Codes,
  mask: Uint8Array,
  otherCodes: Codes,
  otherMask: Uint8Array,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let row = from; row < to; row++) count += mask[codes[row]!]! & otherMask[otherCodes[row]!]!;
  return count;
}

/** As `tallyBoth`, for places of the order. */
export function tallyBothAt(
  codes: Codes,
  mask: Uint8Array,
  otherCodes: Codes,
  otherMask: Uint8Array,
  rows: Uint16Array,
  from: number,
  to: number,
): number {
  let count = 0;
  for (let place = from; place < to; place++) {
    const row = rows[place]!;
    count += mask[codes[row]!]! & otherMask[otherCodes[row]!]!;
  }
  return count;
}
