import { hasBit, nextBit } from '../log/erased-rows.ts';
import type { Codes } from '../log/log.ts';

/**
 * The loops over rows. A selection has one byte for each row of a block, 1 for selected. A mask has one byte
 * for each code. Every loop is branchless and does one thing, which is as fast as V8 runs any loop. Each is
 * monomorphic in all but the width of `codes`, which costs it some 40 %. The loops named `…At` take the rows
 * from `rows`, the order of their segment, instead of counting them up.
 */

/** Selects the rows that pass. */
export function assign(
  selection: Uint8Array,
  codes: Codes,
  mask: Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) selection[row - from] = mask[codes[row]!]!;
}

/** Deselects the rows that do not pass. */
export function narrow(
  selection: Uint8Array,
  codes: Codes,
  mask: Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) selection[row - from]! &= mask[codes[row]!]!;
}

/** Selects also the rows that pass. */
export function widen(selection: Uint8Array, codes: Codes, mask: Uint8Array, from: number, to: number): void {
  for (let row = from; row < to; row++) selection[row - from]! |= mask[codes[row]!]!;
}

/** As `assign`, for places of the order. */
export function assignAt(
  selection: Uint8Array,
  codes: Codes,
  mask: Uint8Array,
  rows: Uint16Array,
  from: number,
  to: number,
): void {
  for (let place = from; place < to; place++) selection[place - from] = mask[codes[rows[place]!]!]!;
}

/** As `narrow`, for places of the order. */
export function narrowAt(
  selection: Uint8Array,
  codes: Codes,
  mask: Uint8Array,
  rows: Uint16Array,
  from: number,
  to: number,
): void {
  for (let place = from; place < to; place++) selection[place - from]! &= mask[codes[rows[place]!]!]!;
}

/** As `widen`, for places of the order. */
export function widenAt(
  selection: Uint8Array,
  codes: Codes,
  mask: Uint8Array,
  rows: Uint16Array,
  from: number,
  to: number,
): void {
  for (let place = from; place < to; place++) selection[place - from]! |= mask[codes[rows[place]!]!]!;
}

/** How many rows of a block are selected. */
export function sum(selection: Uint8Array, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) count += selection[i]!;
  return count;
}

/** Deselects the rows that are not selected in `other` too. */
export function intersect(selection: Uint8Array, other: Uint8Array, length: number): void {
  for (let i = 0; i < length; i++) selection[i]! &= other[i]!;
}

/** Selects also the rows that are selected in `other`. */
export function unite(selection: Uint8Array, other: Uint8Array, length: number): void {
  for (let i = 0; i < length; i++) selection[i]! |= other[i]!;
}

/** Deselects the erased rows of a segment, by its bitmap. */
export function leaveOut(selection: Uint8Array, erased: Uint8Array, { rows, from, to }: Rows): void {
  if (rows === undefined) {
    for (let row = nextBit(erased, from); row < to; row = nextBit(erased, row + 1)) selection[row - from] = 0;
  } else {
    for (let place = from; place < to; place++) {
      const row = rows[place]!;
      selection[place - from]! &= ~(erased[row >> 3]! >> (row & 7));
    }
  }
}

/** Consecutive rows of a segment, or places of its order. */
interface Rows {
  readonly rows?: Uint16Array | undefined;
  readonly from: number;
  readonly to: number;
}

/** Places of a segment's order. */
interface Places {
  readonly rows: Uint16Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Collects the rows that pass and are not erased, from the last place down, until `wanted` are found. It
 * returns the place where it has ended.
 */
export function collectAt(
  found: number[],
  wanted: number,
  codes: Codes,
  mask: Uint8Array,
  { rows, from, to, erased }: Places & { readonly erased?: Uint8Array | undefined },
): number {
  for (let place = to - 1; place >= from; place--) {
    const row = rows[place]!;
    if (mask[codes[row]!] === 0 || hasBit(erased, row)) continue;
    found.push(row);
    if (found.length === wanted) return place;
  }
  return from;
}

/** As `collectAt`, for the selected rows of a block. */
export function collectSelected(
  found: number[],
  wanted: number,
  selection: Uint8Array,
  { rows, from, to }: Places,
): number {
  for (let place = to - 1; place >= from; place--) {
    if (selection[place - from] === 0) continue;
    found.push(rows[place]!);
    if (found.length === wanted) return place;
  }
  return from;
}
