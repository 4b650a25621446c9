/** A value that an operator compares with. */
export type Scalar = string | number | boolean;

/** The types of a filter's `value`, by kind of operand. */
export interface Operands {
  /** One value. */
  readonly scalar: Scalar;
  /** One value of an ordered type. */
  readonly ordered: number | string;
  /** A text. */
  readonly text: string;
  /** Alternatives, of which one has to equal the value; 0 to `LIST_LENGTH_MAX`. */
  readonly list: readonly Scalar[];
  /** No operand: the operator only looks at the path. */
  readonly none: null;
}

/** The kinds of operand. */
export type OperandKind = keyof Operands;

/** The operand of a test. */
export type Operand = Operands[OperandKind];

/** The largest number of values in a list. */
export const LIST_LENGTH_MAX = 1000;

/** The kinds of operand in words, for error messages, the README and `--help`. */
export const OPERAND_WORDS = {
  scalar: 'a string, a number or a boolean',
  ordered: 'a number or a string',
  text: 'a string',
  list: `an array of 0 to ${LIST_LENGTH_MAX.toLocaleString('en')} strings, numbers and booleans`,
  none: 'null',
} as const satisfies Record<OperandKind, string>;
