import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';

/** A list of columns of numbers that grow together, and are booked as they grow. */
export interface StreamList {
  readonly length: number;
  /** The number of the log's row. */
  readonly row: Uint32Array;
  readonly instant: Float64Array;
  readonly bits: Uint32Array;
  /** The code of the value whose stream it is in. */
  readonly key: Uint32Array;
  /** Equal for rows with the same values held constant. */
  readonly same: Float64Array;
  /** The code of the group. */
  readonly group: Uint32Array;
}

/** How many rows a list has room for at first. */
const ROOM_MIN = 4096;

/** What a row takes in these columns, and as a place in the order of streams. */
const ROW_BYTES = 4 + 8 + 4 + 4 + 8 + 4 + 4;

/** Makes an empty list. */
export function createStreamList(room: Reservation) {
  let capacity = 0;
  const found = {
    length: 0,
    row: new Uint32Array(0),
    instant: new Float64Array(0),
    bits: new Uint32Array(0),
    key: new Uint32Array(0),
    same: new Float64Array(0),
    group: new Uint32Array(0),
  };

  function grow(): void {
    const wanted = Math.max(ROOM_MIN, capacity * 2);
    reserveOrThrow(room, (wanted - capacity) * ROW_BYTES);
    capacity = wanted;
    found.row = copyInto(new Uint32Array(wanted), found.row);
    found.instant = copyInto(new Float64Array(wanted), found.instant);
    found.bits = copyInto(new Uint32Array(wanted), found.bits);
    found.key = copyInto(new Uint32Array(wanted), found.key);
    found.same = copyInto(new Float64Array(wanted), found.same);
    found.group = copyInto(new Uint32Array(wanted), found.group);
  }

  return {
    found: found as StreamList,
    add(row: number, instant: number, bits: number, key: number, same: number, group: number): void {
      const i = found.length;
      if (i === capacity) grow();
      found.row[i] = row;
      found.instant[i] = instant;
      found.bits[i] = bits;
      found.key[i] = key;
      found.same[i] = same;
      found.group[i] = group;
      found.length += 1;
    },
  };
}

function copyInto<T extends Uint32Array | Float64Array>(grown: T, list: T): T {
  grown.set(list);
  return grown;
}
