import type { Atom, Condition, Test } from '../../filter/condition.ts';
import type { Scalar } from '../../filter/operands.ts';
import { rowOf, type FoundValue, type ValueTest } from '../../filter/operators.ts';
import { pathText } from '../../filter/path.ts';
import { compileTest } from '../../filter/predicate.ts';
import { compileSubstrings, isOneSearch } from '../../filter/substring.ts';

/** Tests that look for texts on one path, of which one has to hold: a value is read once for all. */
export interface Search {
  readonly kind: 'search';
  readonly path: Test['path'];
  readonly parts: readonly string[];
}

/** What is asked of the value of a path. */
export type PathTest = Test | Search;

/** What is asked of one place of an event. */
export type Place = Atom | Search;

/** A condition of which such tests are joined. */
export type Joined =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Joined[] }
  | { readonly kind: 'not'; readonly of: Joined }
  | Place;

/** Decides what is asked of a value. */
export function compileAsked(asked: PathTest): ValueTest {
  if (asked.kind === 'test') return compileTest(asked);
  const inText = compileSubstrings(asked.parts);
  const parts = new Set<FoundValue>(asked.parts);
  return (value) =>
    typeof value === 'string' ? inText(value) : Array.isArray(value) && value.some((one) => parts.has(one));
}

/** The only values that can pass, where the operator knows them: a large dictionary is asked for them. */
export function soughtScalars(asked: PathTest): readonly Scalar[] | undefined {
  return asked.kind === 'test' ? rowOf(asked.operator).sought?.(asked.operand) : undefined;
}

/** Whether the only values that can pass are known. */
export const isSought = (asked: PathTest): boolean => soughtScalars(asked) !== undefined;

/** Names what is asked of a path. Tests of one column with the same name share a code mask. */
export function keyOf(asked: PathTest): string {
  // A search has a list where a test has a word: texts may be words of operators.
  return JSON.stringify(asked.kind === 'test' ? [asked.operator, asked.operand] : [asked.parts]);
}

/** Joins the tests of a condition that a search can decide together. */
export function joinSearches(condition: Condition): Joined {
  switch (condition.kind) {
    case 'any':
      return { kind: 'any', of: joinTests(condition.of.map(joinSearches), false) };
    case 'all':
      // That none of some holds is that not one of them does.
      return { kind: 'all', of: joinTests(condition.of.map(joinSearches), true) };
    case 'not':
      return { kind: 'not', of: joinSearches(condition.of) };
    default:
      return condition;
  }
}

/** The parts of a group, with one in the place of those that seek texts in the same path. */
function joinTests(parts: readonly Joined[], negated: boolean): readonly Joined[] {
  const groups = new Map<string, { readonly path: Test['path']; readonly sought: string[] }>();
  for (const part of parts) {
    const test = textTestOf(part, negated);
    if (test === undefined) continue;
    const group = groups.get(pathText(test.path));
    if (group === undefined) groups.set(pathText(test.path), { path: test.path, sought: [test.operand] });
    else group.sought.push(test.operand);
  }
  const searches = new Map<string, Joined>();
  for (const [name, { path, sought }] of groups) {
    // Other tests are evaluated one after the other, with a pause after each.
    if (sought.length === 1 || !isOneSearch(sought)) continue;
    const search: Search = { kind: 'search', path, parts: sought };
    searches.set(name, negated ? { kind: 'not', of: search } : search);
  }
  const joined = new Set<Joined>();
  return parts.flatMap((part): Joined[] => {
    const test = textTestOf(part, negated);
    const search = test === undefined ? undefined : searches.get(pathText(test.path));
    if (search === undefined) return [part];
    if (joined.has(search)) return [];
    joined.add(search);
    return [search];
  });
}

/** The test for a text that a part is, or that it negates. */
function textTestOf(part: Joined, negated: boolean): { path: Test['path']; operand: string } | undefined {
  const test = negated && part.kind === 'not' ? part.of : part;
  if (negated !== (part.kind === 'not') || test.kind !== 'test') return undefined;
  const { path, operator, operand } = test;
  return rowOf(operator).looksForText && typeof operand === 'string' ? { path, operand } : undefined;
}
