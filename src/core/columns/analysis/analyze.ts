import type { Condition, During } from '../../filter/condition.ts';
import { rowOf } from '../../filter/operators.ts';
import { pathText } from '../../filter/path.ts';
import {
  isSought,
  mergeSearches,
  type PathTest,
  type ConditionTree,
  type ConditionLeaf,
} from './path-test.ts';

/** The kind of source that answers a test. */
export type SourceKind = 'ids' | 'scan' | 'column';

/** Tests of one path that share a source. */
export interface TestGroup {
  readonly kind: SourceKind;
  readonly tests: readonly PathTest[];
}

/** A condition, prepared for the column index. */
export interface AnalyzedCondition {
  readonly tree: ConditionTree;
  /** All leaves of the tree: the ranges of time, and the tests of all groups. */
  readonly leaves: readonly ConditionLeaf[];
  readonly times: readonly During[];
  readonly groups: readonly TestGroup[];
}

/** Prepares a condition for the column index. */
export function analyze(condition: Condition): AnalyzedCondition {
  const tree = mergeSearches(condition);
  const leaves = leavesOf(tree);
  const groups = new Map<string, { readonly kind: SourceKind; readonly tests: PathTest[] }>();
  for (const leaf of leaves) {
    if (leaf.kind === 'during') continue;
    const kind = kindOf(leaf);
    const name = `${kind} ${pathText(leaf.path)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { kind, tests: [leaf] });
    else group.tests.push(leaf);
  }
  const times = leaves.filter((leaf) => leaf.kind === 'during');
  return { tree, leaves, times, groups: [...groups.values()] };
}

/** The leaves of a condition. */
function leavesOf(condition: ConditionTree): ConditionLeaf[] {
  switch (condition.kind) {
    case 'test':
    case 'search':
    case 'during':
      return [condition];
    case 'not':
      return leavesOf(condition.of);
    default:
      return condition.of.flatMap(leavesOf);
  }
}

/**
 * The source that answers a test. Each event has its own id, so a dictionary of ids would be as long as the
 * log. A column has one code for all objects, which is not enough for an operator that looks into them.
 */
export function kindOf(test: PathTest): SourceKind {
  if (test.path.root === 'insertId') return isSought(test) ? 'ids' : 'scan';
  return test.kind === 'search' || rowOf(test.operator).objectsAlike ? 'column' : 'scan';
}
