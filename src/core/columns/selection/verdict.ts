import type { Test } from '../../filter/condition.ts';
import type { Scalar } from '../../filter/operands.ts';
import { rowOf } from '../../filter/operators.ts';
import { compileTest } from '../../filter/predicate.ts';
import { codeOf, type Dictionary } from '../dictionary.ts';

/**
 * What a test says of each distinct value, 1 for yes and 0 for no, by code: decided once for a value by the
 * operator itself, so that a row costs one look-up whatever the operator.
 */
export interface Verdict {
  bytes: Uint8Array;
  /** How many codes have been judged. */
  judged: number;
}

/**
 * The verdicts that a column was last asked for: the pages of one query ask for the same one again and again.
 */
export interface Verdicts {
  /** The verdict of a test, judged as far as it was before. */
  of(test: Test): Verdict;
  readonly bytes: number;
}

const VERDICTS_MAX = 8;

/** Makes the store of a column's latest verdicts, one for each test. */
export function createVerdicts(): Verdicts {
  const verdicts = new Map<string, Verdict>();
  return {
    of({ operator, operand }) {
      const key = JSON.stringify([operator, operand]);
      const verdict = verdicts.get(key) ?? { bytes: new Uint8Array(0), judged: 0 };
      // A Map keeps the order in which keys came, so the first is the one that was not asked for the longest.
      verdicts.delete(key);
      verdicts.set(key, verdict);
      for (const oldest of verdicts.keys()) {
        if (verdicts.size <= VERDICTS_MAX) break;
        verdicts.delete(oldest);
      }
      return verdict;
    },
    get bytes() {
      let bytes = 0;
      for (const verdict of verdicts.values()) bytes += verdict.bytes.length;
      return bytes;
    },
  };
}

/** Judges the codes up to `count`, where that was not done before. */
export function judge(verdict: Verdict, test: Test, dictionary: Dictionary, count: number): void {
  const { judged } = verdict;
  if (judged >= count) return;
  if (verdict.bytes.length < count) {
    const bytes = new Uint8Array(dictionary.values.length);
    bytes.set(verdict.bytes);
    verdict.bytes = bytes;
  }
  const { bytes } = verdict;
  const passes = compileTest(test);
  const sought = soughtScalars(test);
  if (sought === undefined) {
    const { values } = dictionary;
    for (let code = judged; code < count; code++) bytes[code] = Number(passes(values[code]));
  } else {
    for (const scalar of sought) {
      const code = codeOf(dictionary, scalar);
      if (code !== undefined) bytes[code] = Number(passes(scalar));
    }
  }
  verdict.judged = count;
}

/** How much is judged at once: some milliseconds, whatever the operator and the values. */
const STEP_CODES = 65_536;
const STEP_LENGTH = 1_048_576;

/** Up to which code the next step judges, so that long texts and many values leave others their turn. */
export function nextStep({ judged }: Verdict, test: Test, { values }: Dictionary): number {
  if (soughtScalars(test) !== undefined) return values.length;
  const last = Math.min(values.length, judged + STEP_CODES);
  let code = judged;
  for (let length = 0; code < last && length < STEP_LENGTH; code++) {
    const value = values[code];
    if (typeof value === 'string') length += value.length;
  }
  return code;
}

/** The only values that can pass, where the operator knows them: a large dictionary is asked for them. */
function soughtScalars({ operator, operand }: Test): readonly Scalar[] | undefined {
  return rowOf(operator).sought?.(operand);
}
