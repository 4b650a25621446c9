import { reserveOrThrow, type Reservation, type CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ValueTest } from '../../filter/operators.ts';
import { codeOf, valuesIn, type Dictionary } from './dictionary.ts';
import { compilePathTest, pathTestKey, soughtScalars, type PathTest } from '../analysis/path-test.ts';

/**
 * The result of a test for each code of a dictionary: 1 where the value passes, 0 where it does not. The
 * operator sees each distinct value once. After that a row costs one look-up, whatever the operator.
 */
export interface CodeMask {
  readonly key: string;
  bytes: Uint8Array;
  /** How many codes have a result. */
  evaluated: number;
}

/**
 * The masks that questions used last: each page of a query needs the same ones. A mask that was taken belongs
 * to one question until it is put back.
 */
export interface CodeMasks {
  /** The mask of a test, with the results that it already has. */
  take(test: PathTest): CodeMask;
  put(mask: CodeMask): void;
}

const MASKS_MAX = 8;
const MASK_BYTES = 256;

/** Makes the store of a column's latest masks. Their memory is booked with the column. */
export function createCodeMasks(entry: CacheEntry): CodeMasks {
  // A Map keeps keys in order of insertion, so the first mask was put back the longest ago.
  const masks = new Map<string, CodeMask>();
  const drop = (mask: CodeMask) => entry.release(maskBytes(mask));
  /** The names of tests that are still in use: naming a long list takes longer than counting by its mask. */
  const names = new WeakMap<PathTest, string>();

  function nameOf(test: PathTest): string {
    let name = names.get(test);
    if (name === undefined) names.set(test, (name = pathTestKey(test)));
    return name;
  }

  return {
    take(test) {
      const key = nameOf(test);
      const known = masks.get(key);
      masks.delete(key);
      if (known !== undefined) return known;
      const mask = { key, bytes: new Uint8Array(0), evaluated: 0 };
      reserveOrThrow(entry, maskBytes(mask));
      return mask;
    },
    put(mask) {
      const other = masks.get(mask.key);
      if (other !== undefined) drop(other);
      masks.delete(mask.key);
      masks.set(mask.key, mask);
      for (const [key, oldest] of masks) {
        if (masks.size <= MASKS_MAX) break;
        masks.delete(key);
        drop(oldest);
      }
    },
  };
}

const maskBytes = ({ key, bytes }: CodeMask) => MASK_BYTES + key.length * 2 + bytes.length;

/** How much is evaluated between two pauses: some milliseconds, whatever the operator and the values. */
const STEP_CODES = 65_536;
const STEP_LENGTH = 1_048_576;

/** Evaluates a test for all values of the dictionary that have no result yet. Memory is booked first. */
export async function evaluate(
  mask: CodeMask,
  test: PathTest,
  dictionary: Dictionary,
  { reservation, pacer }: { readonly reservation: Reservation; readonly pacer: Pacer },
): Promise<void> {
  if (mask.evaluated >= dictionary.values.length) return;
  const passes = compilePathTest(test);
  const sought = soughtScalars(test);
  const { values } = dictionary;
  while (mask.evaluated < values.length) {
    const first = mask.evaluated;
    const bytes = grow(mask, values.length, reservation);
    if (sought === undefined) mask.evaluated = evaluateSome(bytes, passes, dictionary, first);
    else {
      for (const scalar of sought) {
        const code = codeOf(dictionary, scalar);
        if (code !== undefined) bytes[code] = Number(passes(scalar));
      }
      mask.evaluated = values.length;
    }
    // A hundred tests of one large dictionary are a hundred long steps, each the last of its test.
    if (mask.evaluated - first >= STEP_CODES || dictionary.bytes > STEP_LENGTH) await pacer.yieldIfDue();
  }
}

/**
 * Evaluates one step of values from a code on, so that many values or long texts do not block other tenants.
 * It returns the code after the last one.
 */
function evaluateSome(bytes: Uint8Array, passes: ValueTest, dictionary: Dictionary, first: number): number {
  const { values } = dictionary;
  const last = Math.min(values.length, first + STEP_CODES);
  let code = first;
  if (valuesIn(dictionary) <= STEP_LENGTH) {
    // All texts together are short, so only the number of values counts.
    for (; code < last; code++) bytes[code] = passes(values[code]) ? 1 : 0;
    return code;
  }
  for (let length = 0; code < last && length < STEP_LENGTH; code++) {
    const value = values[code];
    bytes[code] = passes(value) ? 1 : 0;
    if (typeof value === 'string') length += value.length;
    else if (Array.isArray(value)) length += value.length;
  }
  return code;
}

function grow(mask: CodeMask, count: number, reservation: Reservation): Uint8Array {
  if (mask.bytes.length < count) {
    reserveOrThrow(reservation, count);
    const before = mask.bytes;
    mask.bytes = new Uint8Array(count);
    mask.bytes.set(before);
    reservation.release(before.length);
  }
  return mask.bytes;
}
