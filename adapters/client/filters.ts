import type { AllOf, AnyOf, ComparisonName, Filter, FilterEntry, NotEntry } from '../../src/index.ts';
import type { FilterTaking, OperandKind, Operands } from '../../src/store-kit.ts';

/** A comparison's name in camel case: `notEquals` for `NOT_EQUALS`. */
export type MethodName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<MethodName<Rest>>}`
  : Lowercase<Name>;

/** The kind of operand of a comparison. */
export type KindOf<Name extends ComparisonName> = {
  [Kind in OperandKind]: Name extends FilterTaking<Kind>['comparison'] ? Kind : never;
}[OperandKind];

/** One method per comparison, which takes its operand and returns a filter. */
export type Comparisons = {
  readonly [Name in ComparisonName as MethodName<Name>]: KindOf<Name> extends 'none'
    ? () => Filter
    : (value: Operands[KindOf<Name>]) => Filter;
};

/**
 * Begins a filter on a property path: `where('properties.plan').equals('pro')`. Each `comparison` of the
 * server is a method, in camel case: `GREATER_THAN` is `greaterThan`.
 *
 * @example
 * ```ts
 * import { where } from 'event-query/client';
 *
 * console.log(JSON.stringify(where('properties.total').greaterThan(50)));
 * // prints: {"property":"properties.total","comparison":"GREATER_THAN","value":50}
 * ```
 */
export function where(property: string): Comparisons {
  return new Proxy({} as Comparisons, {
    get: (_target, method) => {
      // Symbols name no method, and a `then` would make `await` treat this object as a promise.
      if (typeof method === 'symbol' || method === 'then') return undefined;
      const comparison = method.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      return (value: unknown = null) => ({ property, comparison, value });
    },
  });
}

/** Matches when at least one of these matches. */
export function anyOf(...entries: readonly FilterEntry[]): AnyOf {
  return { anyOf: entries };
}

/** Matches when all of these match. */
export function allOf(...entries: readonly FilterEntry[]): AllOf {
  return { allOf: entries };
}

/** Matches when this does not match. */
export function not(entry: FilterEntry): NotEntry {
  return { not: entry };
}
