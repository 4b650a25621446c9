import type { JsonValue } from '../event/event.ts';
import type { InstantRange } from './instants.ts';
import type { OperandKind, Operands, Scalar } from './operands.ts';
import { compileOrder, writeOrder, type Sign } from './order.ts';
import { compileSubstring } from './substring.ts';

/** The value that a path finds in an event; undefined if there is none. */
export type FoundValue = JsonValue | undefined;
/** Whether the value found passes a test. */
export type ValueTest = (value: FoundValue) => boolean;

/**
 * Everything that is known of an operator. Parsing, predicates, the column index, the README and OpenAPI all
 * read it, and rely on nothing else about operators.
 */
interface OperatorRow<Kind extends OperandKind, Complement extends string | undefined> {
  /** The kind of `value` that it takes. */
  readonly takes: Kind;
  /** The name of its exact complement, if there is one. */
  readonly complement: Complement;
  /**
   * The words that the dashboard shows between a path and a value: its own, and those of its complement if
   * any.
   */
  readonly said: Complement extends string ? readonly [string, string] : readonly [string];
  /** How it is written in a text, as on a command line, and how its complement is if it has one. */
  readonly written: Complement extends string ? readonly [string, string] : readonly [string];
  /** Its description in the README, worded to follow "matches when the value at the path". */
  readonly meaning: string;
  /** Compiles its test. Every operator treats a missing value and null alike. */
  readonly compile: (operand: Operands[Kind]) => ValueTest;
  /** Whether its test treats all objects alike, so that a column needs only one code for them. */
  readonly objectsAlike: boolean;
  /**
   * The only values that can pass, if they are few: a column looks these up instead of scanning all its
   * codes.
   */
  readonly sought?: (operand: Operands[Kind]) => readonly Scalar[];
  /**
   * Whether a string operand matches strings and lists that contain it. Several such tests on one path may
   * run as one search.
   */
  readonly looksForText?: true;
  /**
   * The instants of `eventTs` and `eventDate` that pass, for an operand that is a millisecond or a day;
   * absent if dates, `receivedAt` among them, do not accept the operator. Several operands yield the union
   * of their instants; null yields all instants.
   */
  readonly instants?: (operand: InstantRange) => InstantRange;
  /**
   * The test as a JavaScript expression, for generated predicates. `found` names the value, and `bind` names
   * operands. If absent, or undefined for an operand, `compile` is used.
   */
  readonly write?: Write<Kind>;
}
type Write<Kind extends OperandKind> = (
  found: string,
  operand: Operands[Kind],
  bind: (value: unknown) => string,
) => string | undefined;

// Pure, as is the one below, so that bundles without filters leave the table out.
/* @__NO_SIDE_EFFECTS__ */
function operator<const Kind extends OperandKind, const Complement extends string | undefined>(
  row: OperatorRow<Kind, Complement>,
): OperatorRow<Kind, Complement> {
  return row;
}

/* @__NO_SIDE_EFFECTS__ */
function orderOperator(
  sign: Sign,
  said: string,
  meaning: string,
  instants: (operand: InstantRange) => InstantRange,
) {
  return operator({
    takes: 'ordered',
    complement: undefined,
    said: [said],
    written: [sign],
    meaning: `has the operand's type and is ${meaning}`,
    compile: (operand) => compileOrder(sign, operand),
    objectsAlike: true,
    instants,
    write: (found, operand, bind) => writeOrder(sign, found, operand, bind),
  });
}

/** Up to this many operands of `IN` are compared one by one; more are put into a set. */
const COMPARED_MAX = 8;

/** The positive operators, the only ones that conditions contain and stores need to support. */
export const OPERATORS = {
  EQUALS: operator({
    takes: 'scalar',
    complement: 'NOT_EQUALS',
    said: ['is', 'is not'],
    written: ['=', '!='],
    meaning: 'has the same type and is equal',
    compile: (operand) => (value) => value === operand,
    objectsAlike: true,
    sought: (operand) => [operand],
    instants: (operand) => operand,
    write: (found, operand, bind) => `${found} === ${bind(operand)}`,
  }),
  GREATER_THAN: orderOperator('>', '>', 'greater', ({ until }) => ({ from: until, until: Infinity })),
  GREATER_THAN_OR_EQUALS: orderOperator('>=', '≥', 'greater or equal', ({ from }) => ({
    from,
    until: Infinity,
  })),
  LESS_THAN: orderOperator('<', '<', 'less', ({ from }) => ({ from: -Infinity, until: from })),
  LESS_THAN_OR_EQUALS: orderOperator('<=', '≤', 'less or equal', ({ until }) => ({ from: -Infinity, until })),
  CONTAINS: operator({
    takes: 'scalar',
    complement: 'NOT_CONTAINS',
    said: ['contains', 'does not contain'],
    written: ['contains', 'not contains'],
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
    written: ['starts with'],
    meaning: 'is a string that starts so',
    compile: (operand) => (value) => typeof value === 'string' && value.startsWith(operand),
    objectsAlike: true,
  }),
  ENDS_WITH: operator({
    takes: 'text',
    complement: undefined,
    said: ['ends with'],
    written: ['ends with'],
    meaning: 'is a string that ends so',
    compile: (operand) => (value) => typeof value === 'string' && value.endsWith(operand),
    objectsAlike: true,
  }),
  IN: operator({
    takes: 'list',
    complement: 'NOT_IN',
    said: ['is one of', 'is none of'],
    written: ['in', 'not in'],
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
    said: ['is present', 'is missing or null'],
    written: ['exists', 'not exists'],
    meaning: 'is present and not null',
    compile: () => (value) => value !== undefined && value !== null,
    objectsAlike: true,
    instants: (operand) => operand,
    write: (found) => `${found} !== undefined && ${found} !== null`,
  }),
} as const;

/** The name of a positive operator. */
export type Operator = keyof typeof OPERATORS;
/** The operator of values without an explicit one, such as `event` in a body. */
export const EQUALITY = 'EQUALS' satisfies Operator;
/** The operator of the values that are equal to one of some. */
export const MEMBERSHIP = 'IN' satisfies Operator;
/** The operators that express a range of time: one instant, from an instant on, and before an instant. */
export const OF_TIME = {
  at: EQUALITY,
  from: 'GREATER_THAN_OR_EQUALS',
  before: 'LESS_THAN',
} as const satisfies Readonly<Record<string, Operator>>;
/** The operand type of an operator. */
export type OperandOf<Name extends Operator> = Operands[(typeof OPERATORS)[Name]['takes']];
/** Every name that a filter's `comparison` may have. */
export type ComparisonName = Operator | NonNullable<(typeof OPERATORS)[Operator]['complement']>;
/** The names of the comparisons that take the given kind of operand. */
export type ComparisonTaking<Kind extends OperandKind> = {
  [Name in Operator]: Kind extends (typeof OPERATORS)[Name]['takes']
    ? Name | NonNullable<(typeof OPERATORS)[Name]['complement']>
    : never;
}[Operator];

/** The row of an operator, for code that treats all alike; the operand must be of the operator's kind. */
export function rowOf(name: Operator): OperatorRow<OperandKind, string | undefined> {
  return OPERATORS[name] as OperatorRow<OperandKind, string | undefined>;
}
