import type { JsonValue } from '../event/event.ts';
import { compareCodePoints } from '../event/text.ts';

/** The relation of a value to an operand. */
export type Sign = '>' | '>=' | '<' | '<=';

type Ordered = (value: JsonValue | undefined) => boolean;

// Numbers and strings have separate functions, because a V8 comparison that sees both types is slow.
const NUMBERS: Record<Sign, (operand: number) => Ordered> = {
  '>': (operand) => (value) => typeof value === 'number' && value > operand,
  '>=': (operand) => (value) => typeof value === 'number' && value >= operand,
  '<': (operand) => (value) => typeof value === 'number' && value < operand,
  '<=': (operand) => (value) => typeof value === 'number' && value <= operand,
};
const TEXTS: Record<Sign, (operand: string) => Ordered> = {
  '>': (operand) => (value) => typeof value === 'string' && value > operand,
  '>=': (operand) => (value) => typeof value === 'string' && value >= operand,
  '<': (operand) => (value) => typeof value === 'string' && value < operand,
  '<=': (operand) => (value) => typeof value === 'string' && value <= operand,
};

/**
 * Orders scalars of the operand's type: numbers as doubles, strings by code point. JavaScript's own `<`
 * orders strings by UTF-16 unit, which differs only if both have a unit of 0xD800 or more at the first
 * position where they differ. Below that, a unit is a code point and precedes every surrogate in both orders.
 */
export function compileOrder(sign: Sign, operand: number | string): Ordered {
  if (typeof operand === 'number') return NUMBERS[sign](operand);
  if (isOrderedByUnits(operand)) return TEXTS[sign](operand);
  const holds = NUMBERS[sign](0);
  return (value) => typeof value === 'string' && holds(compareCodePoints(value, operand));
}

/** The same as an expression over a found value; undefined if a plain comparison is not enough. */
export function writeOrder(
  sign: Sign,
  found: string,
  operand: number | string,
  bind: (value: unknown) => string,
): string | undefined {
  if (typeof operand === 'string' && !isOrderedByUnits(operand)) return undefined;
  return `typeof ${found} === "${typeof operand}" && ${found} ${sign} ${bind(operand)}`;
}

function isOrderedByUnits(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}
