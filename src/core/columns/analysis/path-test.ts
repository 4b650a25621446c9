import type { Atom, Condition, Test } from '../../filter/condition.ts';
import type { Scalar } from '../../filter/operands.ts';
import { rowOf, type FoundValue, type ValueTest } from '../../filter/operators.ts';
import { pathText } from '../../filter/path.ts';
import { compileTest } from '../../filter/predicate.ts';
import { compileSubstrings, isOneSearch } from '../../filter/substring.ts';

/** Tests that look for texts at one path, one of which has to pass. They read each value only once. */
export interface Search {
  readonly kind: 'search';
  readonly path: Test['path'];
  readonly parts: readonly string[];
}

/** A test of the value at a path. */
export type PathTest = Test | Search;

/** A leaf of a condition: a test of a path, or ranges of time. */
export type ConditionLeaf = Atom | Search;

/** A condition whose text searches are merged. */
export type ConditionTree =
  | { readonly kind: 'all' | 'any'; readonly of: readonly ConditionTree[] }
  | { readonly kind: 'not'; readonly of: ConditionTree }
  | ConditionLeaf;

/** Compiles a test of values. */
export function compilePathTest(test: PathTest): ValueTest {
  if (test.kind === 'test') return compileTest(test);
  const inText = compileSubstrings(test.parts);
  const parts = new Set<FoundValue>(test.parts);
  return (value) =>
    typeof value === 'string' ? inText(value) : Array.isArray(value) && value.some((one) => parts.has(one));
}

/** The only values that can pass, if the operator knows them. A column looks them up in its dictionary. */
export function soughtScalars(test: PathTest): readonly Scalar[] | undefined {
  return test.kind === 'test' ? rowOf(test.operator).sought?.(test.operand) : undefined;
}

/** Whether the only values that can pass are known. */
export const isSought = (test: PathTest): boolean => soughtScalars(test) !== undefined;

/** A name for a test. Tests of one column that have the same name share a code mask. */
export function pathTestKey(test: PathTest): string {
  // A search starts with a list and a test with a word, so no text can be taken for an operator.
  return JSON.stringify(test.kind === 'test' ? [test.operator, test.operand] : [test.parts]);
}

/** Merges the tests of a condition that one search can decide together. */
export function mergeSearches(condition: Condition): ConditionTree {
  switch (condition.kind) {
    case 'any':
      return { kind: 'any', of: mergeTests(condition.of.map(mergeSearches), false) };
    case 'all':
      // "None of them passes" is the same as "not any of them passes".
      return { kind: 'all', of: mergeTests(condition.of.map(mergeSearches), true) };
    case 'not':
      return { kind: 'not', of: mergeSearches(condition.of) };
    default:
      return condition;
  }
}

/** The parts of a group, where one search replaces all parts that look for texts at the same path. */
function mergeTests(parts: readonly ConditionTree[], negated: boolean): readonly ConditionTree[] {
  const groups = new Map<string, { readonly path: Test['path']; readonly sought: string[] }>();
  for (const part of parts) {
    const test = textTestOf(part, negated);
    if (test === undefined) continue;
    const group = groups.get(pathText(test.path));
    if (group === undefined) groups.set(pathText(test.path), { path: test.path, sought: [test.operand] });
    else group.sought.push(test.operand);
  }
  const searches = new Map<string, ConditionTree>();
  for (const [name, { path, sought }] of groups) {
    // Other tests are evaluated one after the other, with a pause after each.
    if (sought.length === 1 || !isOneSearch(sought)) continue;
    const search: Search = { kind: 'search', path, parts: sought };
    searches.set(name, negated ? { kind: 'not', of: search } : search);
  }
  const joined = new Set<ConditionTree>();
  return parts.flatMap((part): ConditionTree[] => {
    const test = textTestOf(part, negated);
    const search = test === undefined ? undefined : searches.get(pathText(test.path));
    if (search === undefined) return [part];
    if (joined.has(search)) return [];
    joined.add(search);
    return [search];
  });
}

/** The text test that a part is, or that it negates. */
function textTestOf(
  part: ConditionTree,
  negated: boolean,
): { path: Test['path']; operand: string } | undefined {
  const test = negated && part.kind === 'not' ? part.of : part;
  if (negated !== (part.kind === 'not') || test.kind !== 'test') return undefined;
  const { path, operator, operand } = test;
  return rowOf(operator).looksForText && typeof operand === 'string' ? { path, operand } : undefined;
}
