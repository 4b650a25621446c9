import type { Condition, During } from '../../filter/condition.ts';
import { rowOf } from '../../filter/operators.ts';
import { pathText } from '../../filter/path.ts';
import { isSought, joinSearches, type PathTest, type Joined, type Place } from './asked.ts';

/** What answers a test. */
export type SourceKind = 'ids' | 'streamed' | 'column';

/** Tests of one path that one source answers. */
export interface TestGroup {
  readonly kind: SourceKind;
  readonly tests: readonly PathTest[];
}

/** A condition as the index takes it. */
export interface Understood {
  readonly joined: Joined;
  /** What it asks of single places of an event: the times, and the tests of all groups. */
  readonly atoms: readonly Place[];
  readonly times: readonly During[];
  readonly groups: readonly TestGroup[];
}

/** Makes what understands conditions, and knows each as long as anybody has it: it may be asked again. */
export function createUnderstanding(): (condition: Condition) => Understood {
  const known = new WeakMap<Condition, Understood>();
  return (condition) => {
    let understood = known.get(condition);
    if (understood === undefined) known.set(condition, (understood = understand(condition)));
    return understood;
  };
}

function understand(condition: Condition): Understood {
  const joined = joinSearches(condition);
  const atoms = atomsOf(joined);
  const groups = new Map<string, { readonly kind: SourceKind; readonly tests: PathTest[] }>();
  for (const atom of atoms) {
    if (atom.kind === 'during') continue;
    const kind = kindOf(atom);
    const name = `${kind} ${pathText(atom.path)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { kind, tests: [atom] });
    else group.tests.push(atom);
  }
  const times = atoms.filter((atom) => atom.kind === 'during');
  return { joined, atoms, times, groups: [...groups.values()] };
}

/** What a condition asks of single places of an event. */
export function atomsOf(condition: Joined): Place[] {
  switch (condition.kind) {
    case 'test':
    case 'search':
    case 'during':
      return [condition];
    case 'not':
      return atomsOf(condition.of);
    default:
      return condition.of.flatMap(atomsOf);
  }
}

/**
 * Each event has an id of its own, so a dictionary of ids would be as long as the log. A column knows all
 * objects by one code, which is not enough for an operator that looks into them.
 */
export function kindOf(asked: PathTest): SourceKind {
  if (asked.path.root === 'insertId') return isSought(asked) ? 'ids' : 'streamed';
  return asked.kind === 'search' || rowOf(asked.operator).objectsAlike ? 'column' : 'streamed';
}
