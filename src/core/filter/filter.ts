import type { OperandKind, Operands } from './operands.ts';
import { OPERATORS, rowOf, type ComparisonName, type ComparisonTaking, type Operator } from './operators.ts';

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

/** An entry of `filterSet`: a comparison, or a group of entries. */
export type FilterEntry = Filter | AnyOf | AllOf | NotEntry;

/** What a name in a filter's `comparison` stands for. */
export interface Comparison {
  /** The positive operator that decides. */
  readonly operator: Operator;
  /** What kind of `value` it takes. */
  readonly takes: OperandKind;
  /** Whether the comparison is the exact complement of `operator`. */
  readonly negated: boolean;
  /** Whether `eventTs` and `eventDate` take it. */
  readonly ofDates: boolean;
  /** How a page says it between a path and a value. */
  readonly said: string;
  /** What the README says of it. */
  readonly meaning: string;
}

/** Every comparison by name, the complement of an operator behind it. */
export const COMPARISONS = Object.fromEntries(
  (Object.keys(OPERATORS) as Operator[]).flatMap((name) => {
    const { takes, complement, said, meaning, instants } = rowOf(name);
    const positive: Comparison = {
      operator: name,
      takes,
      negated: false,
      ofDates: instants !== undefined,
      said: said[0],
      meaning,
    };
    const opposite = `the exact complement of \`${name}\`: events without the property match`;
    const negative: Comparison = { ...positive, negated: true, said: said[1] ?? '', meaning: opposite };
    return complement === undefined
      ? [[name, positive]]
      : [
          [name, positive],
          [complement, negative],
        ];
  }),
) as Readonly<Record<ComparisonName, Comparison>>;

/** The comparison of a name that came from outside; undefined where it is none. */
export function comparisonOf(name: unknown): Comparison | undefined {
  return typeof name === 'string' && Object.hasOwn(COMPARISONS, name)
    ? COMPARISONS[name as ComparisonName]
    : undefined;
}
