import { toAll, toDuring } from '../filter/condition.ts';
import { generatePredicate } from '../filter/generate.ts';
import { compileCondition, type Predicate } from '../filter/predicate.ts';
import type { EventQuery } from './event-query.ts';

/** How to compile a predicate. */
export interface CompileOptions {
  /**
   * Whether to generate code, which makes a predicate two to four times as fast; by default where it is
   * allowed. `true` throws EvalError where it is forbidden (Workers, a content security policy, `node
   * --disallow-code-generation-from-strings`).
   */
  readonly codeGeneration?: boolean;
}

/**
 * Compiles a query to a function that tells whether an event matches it. This function defines the meaning of
 * a query: every store answers accordingly. Compiling takes some microseconds, so keep the function for
 * reuse.
 *
 * @throws {EvalError} If `codeGeneration` is true and code generation is forbidden.
 * @example
 * ```ts
 * import { compilePredicate, parseCountBody, toEventView } from 'event-query/store-kit';
 *
 * const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] as const;
 * const matches = compilePredicate(parseCountBody({ filterSet }));
 * const ada = { eventName: 'signed_up', userId: 'ada', eventTs: 0, insertId: '1' };
 * console.log(matches(toEventView({ ...ada, propertiesJson: '{"plan":"pro"}' })));
 * // prints: true
 * ```
 */
export function compilePredicate(query: EventQuery, { codeGeneration }: CompileOptions = {}): Predicate {
  const { from, until, condition } = query;
  const asked = toAll([toDuring([{ from, until }]), condition]);
  if (codeGeneration === false) return compileCondition(asked);
  try {
    return generatePredicate(asked);
  } catch (error) {
    if (codeGeneration === true || !(error instanceof EvalError)) throw error;
    return compileCondition(asked);
  }
}
