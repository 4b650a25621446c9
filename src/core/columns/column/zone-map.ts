import { MISSING } from './dictionary.ts';
import type { Codes } from '../log/log.ts';
import { ZONE_BITS_MAX } from '../log/sizes.ts';

/**
 * What is known of the codes of one chunk. A zone map has one zone for each chunk. A zone may report a code
 * that no row has, but never misses one.
 */
export interface Zone {
  /** How many values the dictionary had at the end of the chunk. */
  readonly values: number;
  /** The lowest and the highest code, without the code of missing values. */
  readonly lowest: number;
  readonly highest: number;
  /** A bit for each code. Where there are more codes than bits, codes with the same last bits share one. */
  readonly bits: Uint32Array;
}

const WORD_BITS = 32;

/** How many rows of a column have each code, before those of a chunk and with them. */
export interface ChunkTally {
  readonly before: Uint32Array;
  readonly after: Uint32Array;
}

/** A copy of the tally before a chunk, where the codes are few enough to be compared. */
export function copyTally(tally: Uint32Array): Uint32Array | undefined {
  return tally.length <= ZONE_BITS_MAX ? tally.slice() : undefined;
}

/** Makes the zone of a chunk. With the tally it takes a tenth of the time. */
export function createZone(codes: Codes, values: number, tally?: ChunkTally): Zone {
  const { lowest, highest } = tally === undefined ? spanOf(codes) : spanOfTally(tally, values);
  let room = WORD_BITS;
  while (room <= highest && room < ZONE_BITS_MAX) room *= 2;
  const bits = new Uint32Array(room / WORD_BITS);
  const note = (code: number) => void (bits[(code & (room - 1)) >>> 5]! |= 1 << (code & 31));
  if (tally === undefined) for (let row = 0; row < codes.length; row++) note(codes[row]!);
  else for (let code = 0; code <= highest; code++) if (isIn(tally, code)) note(code);
  return { values, lowest, highest, bits };
}

const isIn = ({ before, after }: ChunkTally, code: number) => after[code] !== before[code];

function spanOf(codes: Codes): { lowest: number; highest: number } {
  let lowest = Infinity;
  let highest = MISSING;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (code > highest) highest = code;
    if (code < lowest && code !== MISSING) lowest = code;
  }
  return { lowest, highest };
}

function spanOfTally(tally: ChunkTally, values: number): { lowest: number; highest: number } {
  let lowest = MISSING + 1;
  while (lowest < values && !isIn(tally, lowest)) lowest += 1;
  let highest = values - 1;
  while (highest > MISSING && !isIn(tally, highest)) highest -= 1;
  return { lowest: lowest < values ? lowest : Infinity, highest };
}

/** How much memory a zone takes. */
export const bytesOfZone = ({ bits }: Zone) => 96 + bits.byteLength;

/** Whether a row of the chunk may have a code. */
export function mayContain({ lowest, highest, bits }: Zone, code: number): boolean {
  if (code !== MISSING && (code < lowest || code > highest)) return false;
  const place = code & (bits.length * WORD_BITS - 1);
  return (bits[place >>> 5]! & (1 << (place & 31))) !== 0;
}

/** Whether a row of the chunk may have one of the codes in `sought`, which has a bit for each code. */
export function mayContainAny({ bits }: Zone, sought: Uint32Array): boolean {
  const length = Math.min(bits.length, sought.length);
  for (let word = 0; word < length; word++) {
    if ((bits[word]! & sought[word]!) !== 0) return true;
  }
  return false;
}

/** One bit for each code of a mask that is not longer than `ZONE_BITS_MAX`: 1 where its entry is `value`. */
export function toBits(mask: Uint8Array, value: 0 | 1): Uint32Array {
  const bits = new Uint32Array(Math.ceil(mask.length / WORD_BITS));
  for (let code = 0; code < mask.length; code++) {
    if (mask[code] === value) bits[code >>> 5]! |= 1 << (code & 31);
  }
  return bits;
}
