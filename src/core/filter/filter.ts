import type { OperandKind, Operands } from './operands.ts';
import type { ComparisonTaking } from './operators.ts';

/** How many comparisons a `filterSet` may hold, nested ones included. */
export const FILTERS_MAX = 100;
/** How deep `anyOf`, `allOf` and `not` may nest. */
export const FILTER_LEVELS_MAX = 10;

/** One comparison of a value of the event with an operand of a kind. */
export interface FilterTaking<Kind extends OperandKind> {
  /**
   * Where to look: `eventName`, `userId`, `eventTs`, `eventDate`, `insertId`, or `properties.` and keys
   * separated by dots. A dot within a key is written `\.`, a backslash `\\`.
   */
  readonly property: string;
  /** How to compare. A negative comparison is the exact complement of its positive. */
  readonly comparison: ComparisonTaking<Kind>;
  /**
   * What to compare with: a scalar, an array for `IN` and `NOT_IN`, null for `IS_NULL` and `IS_NOT_NULL`. For
   * `eventTs` an ISO 8601 date, or date-time with an offset; for `eventDate` a `YYYY-MM-DD` date.
   */
  readonly value: Operands[Kind];
}

/** One comparison of a value of the event; which operand it takes depends on the operator. */
export type Filter = { [Kind in OperandKind]: FilterTaking<Kind> }[OperandKind];

/** At least one entry has to match; none does in an empty list. */
export interface AnyOf {
  /** The alternatives: comparisons and groups. */
  readonly anyOf: readonly FilterEntry[];
}

/** Every entry has to match; an empty list matches every event. */
export interface AllOf {
  /** The parts: comparisons and groups. */
  readonly allOf: readonly FilterEntry[];
}

/** The entry must not match. */
export interface NotEntry {
  /** A comparison or a group. */
  readonly not: FilterEntry;
}

/** An entry of `filterSet`: a comparison, or a group of entries, which extends the spec. */
export type FilterEntry = Filter | AnyOf | AllOf | NotEntry;
