import type { AllOf, AnyOf, ComparisonName, Filter, FilterEntry, NotEntry } from '../../src/index.ts';
import type { FilterTaking, OperandKind, Operands } from '../../src/store-kit.ts';

/** A comparison's name as methods are written: `notEquals` for `NOT_EQUALS`. */
export type MethodName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<MethodName<Rest>>}`
  : Lowercase<Name>;

/** The kind of operand that a comparison takes. */
export type KindOf<Name extends ComparisonName> = {
  [Kind in OperandKind]: Name extends FilterTaking<Kind>['comparison'] ? Kind : never;
}[OperandKind];

/** A method for each comparison, which takes that comparison's operand and makes a filter. */
export type Comparisons = {
  readonly [Name in ComparisonName as MethodName<Name>]: KindOf<Name> extends 'none'
    ? () => Filter
    : (value: Operands[KindOf<Name>]) => Filter;
};

/**
 * Begins a filter at a property path: `where('properties.plan').equals('pro')`. Whatever the server knows as
 * a `comparison` is a method here, its words joined: `GREATER_THAN` is `greaterThan`.
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
      // No method is asked for by a symbol, and whoever awaits this must not take it for a promise.
      if (typeof method === 'symbol' || method === 'then') return undefined;
      const comparison = method.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      return (value: unknown = null) => ({ property, comparison, value });
    },
  });
}

/** At least one of these has to match. */
export function anyOf(...entries: readonly FilterEntry[]): AnyOf {
  return { anyOf: entries };
}

/** All of these have to match. */
export function allOf(...entries: readonly FilterEntry[]): AllOf {
  return { allOf: entries };
}

/** This must not match. */
export function not(entry: FilterEntry): NotEntry {
  return { not: entry };
}
