/** A value that an operator compares with. */
export type Scalar = string | number | boolean;

/** What a filter's `value` may be, by kind of operand. */
export interface Operands {
  /** One value. */
  readonly scalar: Scalar;
  /** One value of a type that has an order. */
  readonly ordered: number | string;
  /** A text. */
  readonly text: string;
  /** Several values, of which one is enough: at most `LIST_LENGTH_MAX`, or none. */
  readonly list: readonly Scalar[];
  /** Nothing: the operator asks about the place alone. */
  readonly none: null;
}

/** The kinds of operand. */
export type OperandKind = keyof Operands;

/** What a test compares with. */
export type Operand = Operands[OperandKind];

/** How many values a list takes. */
export const LIST_LENGTH_MAX = 1000;

/** The kinds of operand in words: for error messages, the README and `--help`. */
export const OPERAND_WORDS = {
  scalar: 'a string, a number or a boolean',
  ordered: 'a number or a string',
  text: 'a string',
  list: `an array of 0 to ${LIST_LENGTH_MAX.toLocaleString('en')} strings, numbers and booleans`,
  none: 'null',
} as const satisfies Record<OperandKind, string>;
