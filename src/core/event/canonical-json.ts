import { invalid } from '../base/errors.ts';
import { KEYS_MAX, PROPERTIES_DEPTH_MAX } from './event-fields.ts';
import { describeValue, isStorableText } from './text.ts';

const EXACT_INTEGER_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Writes properties as the one JSON text that every store keeps. Numbers are finite, `-0` becomes `0`, and
 * integers beyond 2^53 take exponent form (SQLite, Postgres and ClickHouse would each read their digits as a
 * different kind of number). Strings and keys are well-formed and have no U+0000; there are at most 64 levels
 * and 10,000 keys. Keys keep the sender's order. A key whose value is `undefined` is left out, as in
 * `JSON.stringify`, and a Date is written as that does.
 *
 * `where` is the location that error messages name. Throws ApiError (400) for any value that has no such
 * text.
 */
export function canonicalJson(value: unknown, where: string): string {
  // The built-in writer is several times faster and differs only for large integers.
  return scan(value, { trail: [where], keysLeft: KEYS_MAX }) ? write(value) : JSON.stringify(value);
}

/** The path from the root to the current value: keys, and indexes into arrays. The first entry is `where`. */
type Trail = (string | number)[];

/** The state of a walk over a value, from its root. */
interface WalkState {
  readonly trail: Trail;
  /** How many more keys the value may have. */
  keysLeft: number;
}

function refuse({ trail }: Pick<WalkState, 'trail'>, problem: string): never {
  const steps = trail
    .slice(1)
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step.toWellFormed()}`));
  throw invalid(`${trail[0]}${steps.join('').slice(0, 200)}`, problem);
}

/** Checks a value and everything below it; returns whether a large integer is among them. */
function scan(value: unknown, look: WalkState): boolean {
  switch (typeof value) {
    case 'string':
      if (!isStorableText(value)) refuse(look, 'must be well-formed Unicode without U+0000');
      return false;
    case 'number':
      if (!Number.isFinite(value)) refuse(look, 'must be a finite number');
      return Number.isInteger(value) && Math.abs(value) > EXACT_INTEGER_MAX;
    case 'boolean':
      return false;
    case 'object':
      if (value === null) return false;
      if (value instanceof Date) {
        if (Number.isNaN(value.getTime())) refuse(look, 'must be a valid Date');
        return false;
      }
      if (look.trail.length > PROPERTIES_DEPTH_MAX) {
        refuse(
          { trail: look.trail.slice(0, 1) },
          `takes at most ${PROPERTIES_DEPTH_MAX} levels of objects and arrays`,
        );
      }
      return Array.isArray(value) ? scanArray(value, look) : scanObject(value, look);
    default:
      if (typeof value === 'bigint') return refuse(look, 'takes no BigInt; send a number, or it as text');
      return refuse(look, `takes JSON values only, got ${describeValue(value)}`);
  }
}

function scanArray(array: readonly unknown[], look: WalkState): boolean {
  let large = false;
  for (let i = 0; i < array.length; i++) {
    look.trail.push(i);
    large = scan(array[i], look) || large;
    look.trail.pop();
  }
  return large;
}

function scanObject(object: object, look: WalkState): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  // An object of another realm has another Object.prototype, so an object is plain if its prototype has none.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    refuse(look, 'takes plain objects only, got an instance of a class');
  }
  const keys = Object.keys(object);
  look.keysLeft -= keys.length;
  if (look.keysLeft < 0) refuse({ trail: look.trail.slice(0, 1) }, `takes at most ${KEYS_MAX} keys`);
  let large = false;
  for (const key of keys) {
    const value = (object as Record<string, unknown>)[key];
    look.trail.push(key);
    if (!isStorableText(key)) refuse(look, 'a key must be well-formed Unicode without U+0000');
    if (value !== undefined) large = scan(value, look) || large;
    look.trail.pop();
  }
  return large;
}

/** Writes a value that `scan` has accepted. */
function write(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) > EXACT_INTEGER_MAX) {
    return value.toExponential();
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}
