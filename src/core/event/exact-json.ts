import { invalid, type ApiError } from '../base/errors.ts';
import { endOfString } from './json-depth.ts';
import { quote } from './text.ts';

/** An integer of fewer digits is below 2^53, so a double holds it. */
const DIGITS_MIN = 16;
/** An integer of more digits is beyond every double. */
const DIGITS_MAX = 309;
/** From here on whole numbers are written in exponent form: no integer of 64 bits is larger. */
const PLAIN_BELOW = 2 ** 63;

/** A step into a JSON value: a key, or an index into an array. */
type Step = string | number;

/** Whether a double holds the value of an integer's digits. */
export function isHeld(digits: string): boolean {
  if (digits.length < DIGITS_MIN) return true;
  return digits.length <= DIGITS_MAX && BigInt(Number(digits)) === BigInt(digits);
}

/**
 * The refusal of a JSON text with an integer that a double does not hold: it would become another one, which
 * may be the id of somebody else. A number with a point or an exponent is a decimal, and is read as the
 * nearest double. Undefined for a text without one, which costs little to find out.
 */
export function refuseRounded(text: string): ApiError | undefined {
  if (!hasLongInteger(text)) return undefined;
  return walk(text, {
    onNumber: (token, where) =>
      /[.eE]/.test(token) || isHeld(token.replace('-', ''))
        ? undefined
        : invalid(where, `the integer ${clipped(token)} would be rounded; send it as text`),
  });
}

/**
 * What is wrong with the JSON text of a question: a key that an object has twice, of which one would count
 * without a word, or an integer that a double does not hold. The text is valid JSON.
 */
export function refuseAmbiguous(text: string): ApiError | undefined {
  return (
    walk(text, { onRepeat: (where) => invalid(where, 'the key stands there twice') }) ?? refuseRounded(text)
  );
}

/**
 * Spells the numbers of a JSON text as answers have them: whole ones in all their digits below 2^63, and in
 * exponent form beyond. The text is otherwise the same.
 */
export function exactJson(text: string): string {
  if (!text.includes('e+') && !hasLongInteger(text)) return text;
  let [written, from] = ['', 0];
  walk(text, {
    onNumber: (token, _where, at) => {
      const number = Number(token);
      if (!Number.isInteger(number) || Number.isSafeInteger(number)) return undefined;
      written += text.slice(from, at) + exactNumber(number);
      from = at + token.length;
      return undefined;
    },
  });
  return written + text.slice(from);
}

/** A number as `exactJson` spells it. */
export function exactNumber(number: number): string {
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return JSON.stringify(number);
  return Math.abs(number) < PLAIN_BELOW ? BigInt(number).toString() : number.toExponential();
}

const clipped = (token: string) => (token.length > 40 ? `${token.slice(0, 40)}…` : token);

const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39;

/**
 * Whether a text may have an integer that a double does not hold. It looks at every sixteenth character only,
 * one of which is a digit of every such integer. Digits that fill a string are an id as it should be.
 */
function hasLongInteger(text: string): boolean {
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let [from, to] = [at, at + 1];
    while (isDigit(text.charCodeAt(from - 1))) from -= 1;
    while (isDigit(text.charCodeAt(to))) to += 1;
    const isText = text.charCodeAt(from - 1) === QUOTE && text.charCodeAt(to) === QUOTE;
    if (!isText && to - from >= DIGITS_MIN) return true;
    // The next multiple behind the digits.
    at = Math.max(at, to - (to % DIGITS_MIN) - 1);
  }
  return false;
}

const QUOTE = 0x22;

interface Walker {
  /** Is told each number, its place in the value and in the text; what it gives ends the walk. */
  readonly onNumber?: (token: string, where: string, at: number) => ApiError | undefined;
  /** Is told each key that its object has already. */
  readonly onRepeat?: (where: string) => ApiError | undefined;
}

/** Walks over a JSON text from its begin to its end, or to the first error. */
function walk(text: string, { onNumber, onRepeat }: Walker): ApiError | undefined {
  const trail: Step[] = [];
  const keys: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let found: ApiError | undefined;
    switch (unit) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (isKeyNext) {
          const key = keyOf(text.slice(at, end + 1));
          trail[trail.length - 1] = key;
          const known = keys.at(-1);
          if (known?.has(key) === true) found = onRepeat?.(placeOf(trail));
          known?.add(key);
          isKeyNext = false;
        }
        at = end;
        break;
      }
      case 0x7b: // {
        trail.push('');
        keys.push(onRepeat && new Set());
        isKeyNext = true;
        break;
      case 0x5b: // [
        trail.push(0);
        keys.push(undefined);
        isKeyNext = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        trail.pop();
        keys.pop();
        isKeyNext = false;
        break;
      case 0x2c: {
        // A comma.
        const last = trail.at(-1);
        isKeyNext = typeof last === 'string';
        if (typeof last === 'number') trail[trail.length - 1] = last + 1;
        break;
      }
      default: {
        if (unit !== 0x2d && !isDigit(unit)) break;
        const end = endOfNumber(text, at);
        found = onNumber?.(text.slice(at, end), end - at < DIGITS_MIN ? '' : placeOf(trail), at);
        at = end - 1;
      }
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function endOfNumber(text: string, begin: number): number {
  let end = begin + 1;
  while (end < text.length && '0123456789+-.eE'.includes(text[end]!)) end += 1;
  return end;
}

/** A place as messages name it: `filterSet[0].value`. */
function placeOf(trail: readonly Step[]): string {
  const steps = trail.map((step, i) => {
    if (typeof step === 'number') return `[${step}]`;
    const key = /^[\w$-]{1,60}$/.test(step) ? step : quote(step);
    return i === 0 ? key : `.${key}`;
  });
  return steps.join('').slice(0, 200) || 'body';
}
