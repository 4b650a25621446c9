import type { Operator } from './operators.ts';
import type { Path } from './path.ts';

/** A value that an operator compares with. Instants of `eventTs` arrive here as epoch milliseconds. */
export type Scalar = string | number | boolean;
/** What a test compares with: a scalar, the list of `IN`, or null for the operators that take nothing. */
export type Operand = Scalar | null | readonly Scalar[];

/**
 * One comparison of the value at a path. Only positive operators occur: a negative one is a `Not` around its
 * positive.
 */
export interface Test {
  readonly kind: 'test';
  readonly path: Path;
  readonly operator: Operator;
  readonly operand: Operand;
}

/** Every condition matches; an empty list matches every event. */
export interface All {
  readonly kind: 'all';
  readonly of: readonly Condition[];
}

/** At least one condition matches; an empty list matches no event. */
export interface Any {
  readonly kind: 'any';
  readonly of: readonly Condition[];
}

/** The exact complement. */
export interface Not {
  readonly kind: 'not';
  readonly of: Condition;
}

/** What a query asks of each event, as plain data: what stores translate and `matches` interprets. */
export type Condition = All | Any | Not | Test;
