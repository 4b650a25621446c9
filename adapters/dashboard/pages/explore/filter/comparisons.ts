import type { AnyOf, ComparisonName, Filter } from '../../../../../src/index.ts';

/** A value that a cell or a group shows. */
type ShownValue = string | number | boolean | null;

// The pages send filters as every client does. Only this file contains names of comparisons.

/** An empty comparison, to be filled in. */
export const NEW_FILTER: Filter = { property: '', comparison: 'EQUALS', value: '' };

/** The comparison with the first instant of a range. */
export const FROM = 'GREATER_THAN_OR_EQUALS' satisfies ComparisonName;
/** The comparison with the exclusive end of a range of instants. */
export const BEFORE = 'LESS_THAN' satisfies ComparisonName;

/**
 * A filter for the events with a value at a path, or for all others (`not`). A missing value counts as null.
 */
export function hasValue(property: string, value: ShownValue, not: boolean): Filter {
  if (value === null) return { property, comparison: not ? 'IS_NOT_NULL' : 'IS_NULL', value };
  return { property, comparison: not ? 'NOT_EQUALS' : 'EQUALS', value };
}

/** A filter for the events with a value in the list at a path, or for all others (`not`). */
export function hasInList(property: string, value: Exclude<ShownValue, null>, not: boolean): Filter {
  return { property, comparison: not ? 'NOT_CONTAINS' : 'CONTAINS', value };
}

/** A filter for the events that have a text in a value at a path, or the number that the text means. */
export function hasText(property: string, text: string): AnyOf {
  const within: Filter = { property, comparison: 'CONTAINS', value: text };
  const number = Number(text);
  const isNumber = Number.isFinite(number);
  return { anyOf: isNumber ? [within, hasValue(property, number, false)] : [within] };
}

/** A filter for the events of some names. */
export const hasNames = (names: readonly string[]): Filter => ({
  property: 'eventName',
  comparison: 'IN',
  value: names,
});

/** The sign for a comparison where there is little room; undefined if there is none. */
export const signOf = (comparison: ComparisonName): string | undefined =>
  comparison === 'EQUALS' ? '=' : undefined;

/** The event name that a filter asks for; undefined if it asks for something else. */
export const nameAsked = ({ property, comparison, value }: Filter): string | undefined =>
  property === 'eventName' && comparison === 'EQUALS' && typeof value === 'string' && value !== ''
    ? value
    : undefined;
