import type { JsonValue } from '../../event/event.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { FoundValue } from '../../filter/operators.ts';
import { createCodeTable, createTextCodes, type CodeTable, type TextCodes } from './code-table.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';

/** The code of a missing value and of null. */
export const MISSING = 0;

/**
 * The distinct values that a path has found so far. A value's code is its index in `values`. Codes are
 * assigned in order of arrival and never change. Values that `EQUALS` treats as equal share a code; 1, "1"
 * and true have three.
 */
export interface Dictionary {
  readonly values: FoundValue[];
  readonly texts: TextCodes;
  readonly numbers: CodeTable<number>;
  /** Arrays by their JSON text. */
  readonly arrays: TextCodes;
  /** The codes of false and true, -1 before the first. */
  readonly booleans: [falseCode: number, trueCode: number];
  /** The code of all objects, -1 before the first. Operators that tell objects apart do not use columns. */
  objectCode: number;
  /** About how many bytes of heap the dictionary takes. */
  bytes: number;
}

/** A hash table entry, a slot in `values` and a string's header. */
const ENTRY_BYTES = 72;

/** Makes a dictionary that knows only code 0: missing or null. */
export function createDictionary(hash: KeyedHash): Dictionary {
  const values: FoundValue[] = [undefined];
  return {
    values,
    texts: createTextCodes(hash),
    numbers: createCodeTable((number) => hash.ofNumber(number)),
    arrays: createTextCodes(hash),
    booleans: [-1, -1],
    objectCode: -1,
    bytes: ENTRY_BYTES,
  };
}

/** About how many characters all texts have together, those of arrays counted at least once. */
export function valuesIn({ bytes, values }: Dictionary): number {
  return (bytes - values.length * ENTRY_BYTES) / 2;
}

/** The code of a value, a new one when the value is new. */
export function encode(dictionary: Dictionary, value: FoundValue): number {
  if (value === undefined || value === null) return MISSING;
  const code = typeof value === 'object' ? codeOfComposite(dictionary, value) : codeOf(dictionary, value);
  return code ?? add(dictionary, value);
}

/**
 * Adds a code for a value that only erased rows had, and returns it. No row has it, so the value is not known
 * any more.
 */
export function addUnused(dictionary: Dictionary): number {
  dictionary.bytes += ENTRY_BYTES;
  return dictionary.values.push(undefined) - 1;
}

/** The code of a scalar, undefined when no row has it. */
export function codeOf(dictionary: Dictionary, value: Scalar): number | undefined {
  if (typeof value === 'string') return dictionary.texts.find(value);
  if (typeof value === 'number') return dictionary.numbers.find(value);
  const code = dictionary.booleans[value ? 1 : 0];
  return code === -1 ? undefined : code;
}

function codeOfComposite(dictionary: Dictionary, value: object & JsonValue): number | undefined {
  if (Array.isArray(value)) return dictionary.arrays.find(JSON.stringify(value));
  return dictionary.objectCode === -1 ? undefined : dictionary.objectCode;
}

function add(dictionary: Dictionary, value: NonNullable<JsonValue>): number {
  const { values } = dictionary;
  const code = values.length;
  dictionary.bytes += ENTRY_BYTES;
  if (typeof value === 'string') {
    dictionary.texts.add(value, code);
    dictionary.bytes += value.length * 2;
  } else if (typeof value === 'number') {
    dictionary.numbers.add(value, code);
  } else if (typeof value === 'boolean') {
    dictionary.booleans[value ? 1 : 0] = code;
  } else if (Array.isArray(value)) {
    const text = JSON.stringify(value);
    dictionary.arrays.add(text, code);
    // The text, and the parsed array with room for its elements.
    dictionary.bytes += text.length * 10;
  } else {
    dictionary.objectCode = code;
  }
  values.push(typeof value === 'object' && !Array.isArray(value) ? {} : value);
  return code;
}
