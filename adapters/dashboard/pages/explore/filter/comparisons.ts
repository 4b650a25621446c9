import type { ComparisonName, Filter } from '../../../../../src/index.ts';

/** A value that a cell or a group shows. */
type ShownValue = string | number | boolean | null;

// The pages send filters as every client does. They write the names of comparisons here and nowhere else.

/** A comparison that says nothing yet. */
export const NEW_FILTER: Filter = { property: '', comparison: 'EQUALS', value: '' };

/** The comparisons that bound a range of instants: from one on, and before one. */
export const FROM = 'GREATER_THAN_OR_EQUALS' satisfies ComparisonName;
/** See `FROM`. */
export const BEFORE = 'LESS_THAN' satisfies ComparisonName;

/** Asks for the events that have a value at a path, or for all others. A missing value counts as null. */
export function hasValue(property: string, value: ShownValue, not: boolean): Filter {
  if (value === null) return { property, comparison: not ? 'IS_NOT_NULL' : 'IS_NULL', value };
  return { property, comparison: not ? 'NOT_EQUALS' : 'EQUALS', value };
}

/** Asks for the events that have a value in the list at a path, or for all others. */
export function hasInList(property: string, value: Exclude<ShownValue, null>, not: boolean): Filter {
  return { property, comparison: not ? 'NOT_CONTAINS' : 'CONTAINS', value };
}
