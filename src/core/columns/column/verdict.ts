import { reserveOrThrow, type Reservation, type CacheEntry } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ValueTest } from '../../filter/operators.ts';
import { codeOf, lengthOf, type Dictionary } from './dictionary.ts';
import { compileAsked, keyOf, soughtScalars, type PathTest } from '../analysis/asked.ts';

/**
 * What a test says of each distinct value, 1 for yes and 0 for no, by code: decided once for a value by the
 * operator itself, so that a row costs one look-up whatever the operator.
 */
export interface Verdict {
  readonly key: string;
  bytes: Uint8Array;
  /** How many codes have been judged. */
  judged: number;
}

/**
 * The verdicts that a column was last asked for: the pages of one query ask for the same one again and again.
 * Who takes a verdict has it alone until it is put back.
 */
export interface Verdicts {
  /** The verdict of a test, judged as far as it was before. */
  take(asked: PathTest): Verdict;
  put(verdict: Verdict): void;
}

const VERDICTS_MAX = 8;
const VERDICT_BYTES = 256;

/** Makes the store of a column's latest verdicts, which are booked with the column. */
export function createVerdicts(entry: CacheEntry): Verdicts {
  // A Map keeps the order in which keys came, so the first is the one that was put back the longest ago.
  const verdicts = new Map<string, Verdict>();
  const drop = (verdict: Verdict) => entry.release(bytesOf(verdict));
  /** Of tests that somebody still has: to name a list takes longer than to count. */
  const names = new WeakMap<PathTest, string>();

  function nameOf(asked: PathTest): string {
    let name = names.get(asked);
    if (name === undefined) names.set(asked, (name = keyOf(asked)));
    return name;
  }

  return {
    take(asked) {
      const key = nameOf(asked);
      const known = verdicts.get(key);
      verdicts.delete(key);
      if (known !== undefined) return known;
      const verdict = { key, bytes: new Uint8Array(0), judged: 0 };
      reserveOrThrow(entry, bytesOf(verdict));
      return verdict;
    },
    put(verdict) {
      const other = verdicts.get(verdict.key);
      if (other !== undefined) drop(other);
      verdicts.delete(verdict.key);
      verdicts.set(verdict.key, verdict);
      for (const [key, oldest] of verdicts) {
        if (verdicts.size <= VERDICTS_MAX) break;
        verdicts.delete(key);
        drop(oldest);
      }
    },
  };
}

const bytesOf = ({ key, bytes }: Verdict) => VERDICT_BYTES + key.length * 2 + bytes.length;

/** How much is judged between two pauses: some milliseconds, whatever the operator and the values. */
const STEP_CODES = 65_536;
const STEP_LENGTH = 1_048_576;

/** Judges all values of the dictionary that were not judged before; what that takes is booked first. */
export async function judge(
  verdict: Verdict,
  asked: PathTest,
  dictionary: Dictionary,
  { reservation, pacer }: { readonly reservation: Reservation; readonly pacer: Pacer },
): Promise<void> {
  if (verdict.judged >= dictionary.values.length) return;
  const passes = compileAsked(asked);
  const sought = soughtScalars(asked);
  const { values } = dictionary;
  while (verdict.judged < values.length) {
    const first = verdict.judged;
    const bytes = grow(verdict, values.length, reservation);
    if (sought === undefined) verdict.judged = judgeSome(bytes, passes, dictionary, first);
    else {
      for (const scalar of sought) {
        const code = codeOf(dictionary, scalar);
        if (code !== undefined) bytes[code] = Number(passes(scalar));
      }
      verdict.judged = values.length;
    }
    // A hundred tests of one large dictionary are a hundred long steps, each the last of its test.
    if (verdict.judged - first >= STEP_CODES || dictionary.bytes > STEP_LENGTH) await pacer.yieldIfDue();
  }
}

/**
 * Judges values from a code on, as many as make a step, so that long texts and many values leave others their
 * turn; up to which code.
 */
function judgeSome(bytes: Uint8Array, passes: ValueTest, dictionary: Dictionary, first: number): number {
  const { values } = dictionary;
  const last = Math.min(values.length, first + STEP_CODES);
  let code = first;
  if (lengthOf(dictionary) <= STEP_LENGTH) {
    // However many are judged, they are not long together.
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

function grow(verdict: Verdict, count: number, reservation: Reservation): Uint8Array {
  if (verdict.bytes.length < count) {
    reserveOrThrow(reservation, count);
    const before = verdict.bytes;
    verdict.bytes = new Uint8Array(count);
    verdict.bytes.set(before);
    reservation.release(before.length);
  }
  return verdict.bytes;
}
