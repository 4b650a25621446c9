import type { JsonValue } from '../event/event.ts';
import { compareCodePoints } from '../event/text.ts';
import type { Operand } from './condition.ts';
import { compileSubstring } from './substring.ts';

/** What a path finds in an event. A missing value and null are the same to every operator. */
export type FoundValue = JsonValue | undefined;

/** The same type and equal; no coercion, ever. Arrays and objects equal nothing. */
export function equals(value: FoundValue, operand: Operand): boolean {
  return value === operand && value !== null;
}

/**
 * Orders two scalars of one type, numbers as doubles and strings by code point; undefined when the types
 * differ.
 */
function order(value: FoundValue, operand: Operand): number | undefined {
  if (typeof value === 'number' && typeof operand === 'number')
    return value < operand ? -1 : value > operand ? 1 : 0;
  if (typeof value === 'string' && typeof operand === 'string') return compareCodePoints(value, operand);
  return undefined;
}

/** Of the operand's type and greater. */
export function greaterThan(value: FoundValue, operand: Operand): boolean {
  const sign = order(value, operand);
  return sign !== undefined && sign > 0;
}

/** Of the operand's type and greater or equal. */
export function greaterThanOrEquals(value: FoundValue, operand: Operand): boolean {
  const sign = order(value, operand);
  return sign !== undefined && sign >= 0;
}

/** Of the operand's type and less. */
export function lessThan(value: FoundValue, operand: Operand): boolean {
  const sign = order(value, operand);
  return sign !== undefined && sign < 0;
}

/** Of the operand's type and less or equal. */
export function lessThanOrEquals(value: FoundValue, operand: Operand): boolean {
  const sign = order(value, operand);
  return sign !== undefined && sign <= 0;
}

/** A string with the operand as a literal substring, or an array with an element equal to the operand. */
export function contains(value: FoundValue, operand: Operand): boolean {
  if (typeof value === 'string') return typeof operand === 'string' && compileSubstring(operand)(value);
  return Array.isArray(value) && (value as readonly unknown[]).includes(operand);
}

/** A string that starts with the operand, to the letter. */
export function startsWith(value: FoundValue, operand: Operand): boolean {
  return typeof value === 'string' && typeof operand === 'string' && value.startsWith(operand);
}

/** A string that ends with the operand, to the letter. */
export function endsWith(value: FoundValue, operand: Operand): boolean {
  return typeof value === 'string' && typeof operand === 'string' && value.endsWith(operand);
}

/** Equal to one of the operand's scalars; an empty list matches nothing. */
export function isIn(value: FoundValue, operand: Operand): boolean {
  return Array.isArray(operand) && (operand as readonly unknown[]).includes(value);
}

/** Present and not null. */
export function isNotNull(value: FoundValue): boolean {
  return value !== undefined && value !== null;
}

/** The positive operators: the only ones that a condition holds and a store has to know. */
export const OPERATORS = {
  EQUALS: equals,
  GREATER_THAN: greaterThan,
  GREATER_THAN_OR_EQUALS: greaterThanOrEquals,
  LESS_THAN: lessThan,
  LESS_THAN_OR_EQUALS: lessThanOrEquals,
  CONTAINS: contains,
  STARTS_WITH: startsWith,
  ENDS_WITH: endsWith,
  IN: isIn,
  IS_NOT_NULL: isNotNull,
} as const satisfies Record<string, (value: FoundValue, operand: Operand) => boolean>;

export type Operator = keyof typeof OPERATORS;

/** The kinds of operand: what a filter's `value` may be. */
export const OPERANDS = {
  scalar: 'a string, a number or a boolean',
  ordered: 'a number or a string',
  text: 'a string',
  list: 'an array of 0 to 1,000 strings, numbers and booleans',
  none: 'null',
} as const;
export type OperandKind = keyof typeof OPERANDS;

/** What a name in a filter's `comparison` stands for. */
export interface Comparison {
  /** The positive operator that decides. */
  readonly operator: Operator;
  readonly operand: OperandKind;
  /** Whether the comparison is the exact complement of `operator`. */
  readonly negated: boolean;
  /** What the README says of it. */
  readonly meaning: string;
}

const positive = (operator: Operator, operand: OperandKind, meaning: string): Comparison => ({
  operator,
  operand,
  negated: false,
  meaning,
});
const complement = (operator: Operator, operand: OperandKind): Comparison => ({
  operator,
  operand,
  negated: true,
  meaning: `the exact complement of \`${operator}\`: events without the property match`,
});

/** Every name that a filter's `comparison` may have. The README prints this table. */
export const COMPARISONS = {
  EQUALS: positive('EQUALS', 'scalar', 'has the same type and is equal'),
  NOT_EQUALS: complement('EQUALS', 'scalar'),
  GREATER_THAN: positive('GREATER_THAN', 'ordered', "has the operand's type and is greater"),
  GREATER_THAN_OR_EQUALS: positive(
    'GREATER_THAN_OR_EQUALS',
    'ordered',
    "has the operand's type and is greater or equal",
  ),
  LESS_THAN: positive('LESS_THAN', 'ordered', "has the operand's type and is less"),
  LESS_THAN_OR_EQUALS: positive(
    'LESS_THAN_OR_EQUALS',
    'ordered',
    "has the operand's type and is less or equal",
  ),
  CONTAINS: positive(
    'CONTAINS',
    'scalar',
    'is a string with the operand (a string) as a substring, or an array with an element equal to it',
  ),
  NOT_CONTAINS: complement('CONTAINS', 'scalar'),
  STARTS_WITH: positive('STARTS_WITH', 'text', 'is a string that starts so'),
  ENDS_WITH: positive('ENDS_WITH', 'text', 'is a string that ends so'),
  IN: positive('IN', 'list', 'equals one of them'),
  NOT_IN: complement('IN', 'list'),
  IS_NOT_NULL: positive('IS_NOT_NULL', 'none', 'is present and not null'),
  IS_NULL: complement('IS_NOT_NULL', 'none'),
} as const satisfies Record<string, Comparison>;

export type ComparisonName = keyof typeof COMPARISONS;
