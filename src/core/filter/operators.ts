import type { JsonValue } from '../event/event.ts';
import type { InstantRange } from './instants.ts';
import type { OperandKind, Operands, Scalar } from './operands.ts';
import { compileOrder, writeOrder, type Sign } from './order.ts';
import { compileSubstring } from './substring.ts';

/** What a path finds in an event. */
export type FoundValue = JsonValue | undefined;
/** Whether the value that a path has found passes a test. */
export type ValueTest = (value: FoundValue) => boolean;

/**
 * All that is known of an operator, by everybody: parsing, predicates, the column index, the README and
 * OpenAPI. What an operator is not said to have, nobody may rely on.
 */
interface OperatorRow<Kind extends OperandKind, Complement extends string | undefined> {
  /** What it takes as `value`. */
  readonly takes: Kind;
  /** The name of its exact complement, where there is one. */
  readonly complement: Complement;
  /** How a page says it, and its complement where there is one, between a path and a value. */
  readonly said: Complement extends string ? readonly [string, string] : readonly [string];
  /** What the README says of it, behind "matches when the value at the path". */
  readonly meaning: string;
  /** Its verdict. A missing value and null are the same to every operator. */
  readonly compile: (operand: Operands[Kind]) => ValueTest;
  /** Whether all objects are the same to it, so that a column needs one code for all of them. */
  readonly objectsAlike: boolean;
  /** The only values that can pass, where those are few: a column is asked for them, not read through. */
  readonly sought?: (operand: Operands[Kind]) => readonly Scalar[];
  /**
   * Whether a text operand passes in a text that has it within, and in a list that has it: several of them on
   * one path may be looked for together.
   */
  readonly looksForText?: true;
  /**
   * Which instants pass on `eventTs` and `eventDate`, for an operand that is a millisecond or a day; absent
   * where dates do not take the operator. Several operands join what each lets pass; null is all instants.
   */
  readonly instants?: (operand: InstantRange) => InstantRange;
  /**
   * The verdict as a JavaScript expression, for generated predicates: `found` names the value, and operands
   * are named by `bind`. Where it is absent, or undefined for an operand, `compile` is called.
   */
  readonly write?: Write<Kind>;
}
type Write<Kind extends OperandKind> = (
  found: string,
  operand: Operands[Kind],
  bind: (value: unknown) => string,
) => string | undefined;

function operator<const Kind extends OperandKind, const Complement extends string | undefined>(
  row: OperatorRow<Kind, Complement>,
): OperatorRow<Kind, Complement> {
  return row;
}

function order(sign: Sign, said: string, meaning: string, instants: (operand: InstantRange) => InstantRange) {
  return operator({
    takes: 'ordered',
    complement: undefined,
    said: [said],
    meaning: `has the operand's type and is ${meaning}`,
    compile: (operand) => compileOrder(sign, operand),
    objectsAlike: true,
    instants,
    write: (found, operand, bind) => writeOrder(sign, found, operand, bind),
  });
}

/** How many operands of `IN` are compared one by one; more of them go into a set. */
const COMPARED_MAX = 8;

/** The positive operators: the only ones that a condition holds and a store has to know. */
export const OPERATORS = {
  EQUALS: operator({
    takes: 'scalar',
    complement: 'NOT_EQUALS',
    said: ['is', 'is not'],
    meaning: 'has the same type and is equal',
    compile: (operand) => (value) => value === operand,
    objectsAlike: true,
    sought: (operand) => [operand],
    instants: (operand) => operand,
    write: (found, operand, bind) => `${found} === ${bind(operand)}`,
  }),
  GREATER_THAN: order('>', '>', 'greater', ({ until }) => ({ from: until, until: Infinity })),
  GREATER_THAN_OR_EQUALS: order('>=', '≥', 'greater or equal', ({ from }) => ({ from, until: Infinity })),
  LESS_THAN: order('<', '<', 'less', ({ from }) => ({ from: -Infinity, until: from })),
  LESS_THAN_OR_EQUALS: order('<=', '≤', 'less or equal', ({ until }) => ({ from: -Infinity, until })),
  CONTAINS: operator({
    takes: 'scalar',
    complement: 'NOT_CONTAINS',
    said: ['contains', 'does not contain'],
    meaning:
      'is a string with the operand (a string) as a substring, or an array with an element equal to it',
    compile(operand) {
      const inText = typeof operand === 'string' ? compileSubstring(operand) : () => false;
      return (value) =>
        typeof value === 'string' ? inText(value) : Array.isArray(value) && value.includes(operand);
    },
    objectsAlike: true,
    looksForText: true,
  }),
  STARTS_WITH: operator({
    takes: 'text',
    complement: undefined,
    said: ['starts with'],
    meaning: 'is a string that starts so',
    compile: (operand) => (value) => typeof value === 'string' && value.startsWith(operand),
    objectsAlike: true,
  }),
  ENDS_WITH: operator({
    takes: 'text',
    complement: undefined,
    said: ['ends with'],
    meaning: 'is a string that ends so',
    compile: (operand) => (value) => typeof value === 'string' && value.endsWith(operand),
    objectsAlike: true,
  }),
  IN: operator({
    takes: 'list',
    complement: 'NOT_IN',
    said: ['is one of', 'is none of'],
    meaning: 'equals one of them',
    compile(operand) {
      if (operand.length <= COMPARED_MAX) return (value) => operand.includes(value as Scalar);
      const set = new Set<unknown>(operand);
      return (value) => set.has(value);
    },
    objectsAlike: true,
    sought: (operand) => operand,
    instants: (operand) => operand,
    write(found, operand, bind) {
      if (operand.length > COMPARED_MAX) return undefined;
      return operand.map((one) => `${found} === ${bind(one)}`).join(' || ') || 'false';
    },
  }),
  IS_NOT_NULL: operator({
    takes: 'none',
    complement: 'IS_NULL',
    said: ['is there', 'is missing or null'],
    meaning: 'is present and not null',
    compile: () => (value) => value !== undefined && value !== null,
    objectsAlike: true,
    instants: (operand) => operand,
    write: (found) => `${found} !== undefined && ${found} !== null`,
  }),
} as const;

/** The name of a positive operator. */
export type Operator = keyof typeof OPERATORS;
/** The operator of a value that stands by itself, as the `event` of a body does. */
export const EQUALITY = 'EQUALS' satisfies Operator;
/** The operators that say a range of time: one instant, from one on, and before one. */
export const OF_TIME = {
  at: EQUALITY,
  from: 'GREATER_THAN_OR_EQUALS',
  before: 'LESS_THAN',
} as const satisfies Readonly<Record<string, Operator>>;
/** What an operator compares with. */
export type OperandOf<Name extends Operator> = Operands[(typeof OPERATORS)[Name]['takes']];
/** Every name that a filter's `comparison` may have. */
export type ComparisonName = Operator | NonNullable<(typeof OPERATORS)[Operator]['complement']>;
/** The names of the comparisons that take a kind of operand. */
export type ComparisonTaking<Kind extends OperandKind> = {
  [Name in Operator]: Kind extends (typeof OPERATORS)[Name]['takes']
    ? Name | NonNullable<(typeof OPERATORS)[Name]['complement']>
    : never;
}[Operator];

/** The row of an operator for those who treat all alike; the operand must be of the operator's kind. */
export function rowOf(name: Operator): OperatorRow<OperandKind, string | undefined> {
  return OPERATORS[name] as OperatorRow<OperandKind, string | undefined>;
}
