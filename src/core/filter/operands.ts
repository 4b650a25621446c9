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

interface KindRow {
  /** The kind in words, for error messages, the README and `--help`. */
  readonly words: string;
  /** Whether a value is an operand of this kind, as the schema of filters says. */
  readonly fits: (value: unknown) => boolean;
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** What is known of each kind of operand. */
export const OPERAND_KINDS = {
  scalar: { words: 'a string, a number or a boolean', fits: isScalar },
  ordered: {
    words: 'a number or a string',
    fits: (value) => typeof value === 'string' || typeof value === 'number',
  },
  text: { words: 'a string', fits: (value) => typeof value === 'string' },
  list: {
    words: `an array of 0 to ${LIST_LENGTH_MAX.toLocaleString('en')} strings, numbers and booleans`,
    fits: (value) => Array.isArray(value) && value.length <= LIST_LENGTH_MAX && value.every(isScalar),
  },
  none: { words: 'null', fits: (value) => value === null },
} as const satisfies Record<OperandKind, KindRow>;
