import type { OperandKind, Operands } from './operands.ts';
import { OPERATORS, rowOf, type ComparisonName, type ComparisonTaking, type Operator } from './operators.ts';

/** How many comparisons a `filterSet` may hold, including nested ones. */
export const FILTERS_MAX = 100;
/** How deep `anyOf`, `allOf` and `not` may nest. */
export const FILTER_LEVELS_MAX = 10;

/** One comparison of a value of the event with an operand of the given kind. */
export interface FilterTaking<Kind extends OperandKind> {
  /**
   * The path: `eventName`, `userId`, `eventTs`, `eventDate`, `insertId`, `receivedAt`, or `properties.`
   * followed by keys separated by dots. A dot within a key is written `\.`, a backslash `\\`.
   */
  readonly property: string;
  /** How to compare. A negative comparison is the exact complement of its positive. */
  readonly comparison: ComparisonTaking<Kind>;
  /**
   * The operand: a scalar, an array for `IN` and `NOT_IN`, null for `IS_NULL` and `IS_NOT_NULL`. For
   * `eventTs` and `receivedAt` it is an ISO 8601 date, or date-time with an offset; for `eventDate` a
   * `YYYY-MM-DD` date.
   */
  readonly value: Operands[Kind];
}

/** One comparison of a value of the event; the operator determines the operand that it takes. */
export type Filter = { [Kind in OperandKind]: FilterTaking<Kind> }[OperandKind];

/** At least one entry must match; an empty list matches no event. */
export interface AnyOf {
  /** The alternatives: comparisons and groups. */
  readonly anyOf: readonly FilterEntry[];
}

/** Every entry must match; an empty list matches every event. */
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

/** The meaning of a name in a filter's `comparison`. */
export interface Comparison {
  /** The positive operator. */
  readonly operator: Operator;
  /** The kind of `value` that it takes. */
  readonly takes: OperandKind;
  /** Whether the comparison is the exact complement of `operator`. */
  readonly negated: boolean;
  /** Whether `eventTs`, `eventDate` and `receivedAt` accept it. */
  readonly ofDates: boolean;
  /** The words that the dashboard shows between a path and a value. */
  readonly said: string;
  /** How it is written in a text, as on a command line. */
  readonly written: string;
  /** Its description in the README. */
  readonly meaning: string;
}

/**
 * Every comparison by name; the complement of an operator follows it. Pure, so that bundles without filters
 * leave it out.
 */
export const COMPARISONS = /* @__PURE__ */ comparisonsByName();

function comparisonsByName(): Readonly<Record<ComparisonName, Comparison>> {
  const entries = (Object.keys(OPERATORS) as Operator[]).flatMap((name) => {
    const { takes, complement, said, written, meaning, instants } = rowOf(name);
    const positive: Comparison = {
      operator: name,
      takes,
      negated: false,
      ofDates: instants !== undefined,
      said: said[0],
      written: written[0],
      meaning,
    };
    const opposite = `the exact complement of \`${name}\`: events without the property match`;
    const words = { said: said[1] ?? '', written: written[1] ?? '' };
    const negative: Comparison = { ...positive, ...words, negated: true, meaning: opposite };
    return complement === undefined
      ? [[name, positive] as const]
      : [[name, positive] as const, [complement, negative] as const];
  });
  return Object.fromEntries(entries) as Readonly<Record<ComparisonName, Comparison>>;
}

/** The comparison of a name from outside; undefined for an unknown one. */
export function comparisonOf(name: unknown): Comparison | undefined {
  return typeof name === 'string' && Object.hasOwn(COMPARISONS, name)
    ? COMPARISONS[name as ComparisonName]
    : undefined;
}
