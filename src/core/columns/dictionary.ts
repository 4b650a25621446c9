import type { JsonValue } from '../event/event.ts';
import type { Scalar } from '../filter/operands.ts';
import type { FoundValue } from '../filter/operators.ts';

/** The code of a missing value and of null. */
export const MISSING = 0;

/**
 * The distinct values that a path has found so far. A value's code is its place in `values`; codes are given
 * in the order in which values arrive and never change.
 */
export interface Dictionary {
  readonly values: FoundValue[];
  /**
   * A Map tells 1, "1" and true apart, and takes equal numbers and strings for one: just as `EQUALS` does.
   */
  readonly scalars: Map<Scalar, number>;
  /** Arrays by their JSON text. */
  readonly arrays: Map<string, number>;
  /** The code of every object, -1 before the first: operators that tell objects apart are not asked here. */
  objectCode: number;
  /** About how many bytes of heap the dictionary takes. */
  bytes: number;
}

/** A hash table entry, a slot in `values` and a string's header. */
const ENTRY_BYTES = 72;

/** Makes a dictionary that knows only code 0: missing or null. */
export function createDictionary(): Dictionary {
  return { values: [undefined], scalars: new Map(), arrays: new Map(), objectCode: -1, bytes: ENTRY_BYTES };
}

/** The code of a value, a new one when the value is new. */
export function encode(dictionary: Dictionary, value: FoundValue): number {
  if (value === undefined || value === null) return MISSING;
  if (typeof value === 'object') return encodeComposite(dictionary, value);
  const code = dictionary.scalars.get(value);
  if (code !== undefined) return code;
  dictionary.scalars.set(value, dictionary.values.length);
  return add(dictionary, value, typeof value === 'string' ? value.length : 0);
}

function encodeComposite(dictionary: Dictionary, value: object & JsonValue): number {
  if (!Array.isArray(value)) {
    if (dictionary.objectCode === -1) dictionary.objectCode = add(dictionary, {}, 0);
    return dictionary.objectCode;
  }
  const text = JSON.stringify(value);
  const code = dictionary.arrays.get(text);
  if (code !== undefined) return code;
  dictionary.arrays.set(text, dictionary.values.length);
  return add(dictionary, value, text.length * 4);
}

function add(dictionary: Dictionary, value: FoundValue, length: number): number {
  dictionary.bytes += ENTRY_BYTES + length * 2;
  return dictionary.values.push(value) - 1;
}

/** The code of a scalar, undefined when no row has it. */
export function codeOf(dictionary: Dictionary, value: Scalar): number | undefined {
  return dictionary.scalars.get(value);
}
