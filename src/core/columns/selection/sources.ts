import { rowOf } from '../../filter/operators.ts';
import { pathText, type Path } from '../../filter/path.ts';
import type { Column } from '../column.ts';
import type { EventLog } from '../log.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { Order } from '../order/order.ts';
import type { Asked, Joined, Place } from '../question/asked.ts';
import { createIdSource, isSought } from '../question/id-source.ts';
import { createColumnSource } from './column-source.ts';
import { createInstantSource } from './instant-source.ts';
import type { Source, SourceTools } from './source.ts';
import { createStreamedSource } from './streamed-source.ts';

/** The parts of the index that sources read. */
export interface SourceParts {
  readonly log: EventLog;
  readonly columnOf: (path: Path) => Column;
  readonly orderOf: () => Order;
  readonly idHashesOf: () => IdHashes;
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

/** The source of each atom: one for all times, and one for each path. */
export function createSources(
  atoms: readonly Place[],
  parts: SourceParts,
  tools: SourceTools,
): Map<Place, Source> {
  const sources = new Map<Place, Source>();
  const share = (group: readonly Place[], source: Source) =>
    group.forEach((atom) => sources.set(atom, source));
  const openSource: Record<Kind, (group: readonly Asked[], path: Path) => Source> = {
    ids: (group) => createIdSource(parts.log, parts.idHashesOf(), group, tools),
    streamed: (group) => createStreamedSource(parts.log, group, tools),
    column: (group, path) => createColumnSource(parts.log, parts.columnOf(path), group, tools),
  };
  const times = atoms.filter((atom) => atom.kind === 'during');
  if (times.length > 0) share(times, createInstantSource(parts.orderOf(), times, tools));
  const tests = atoms.filter((atom) => atom.kind !== 'during');
  const groups = new Map<string, Asked[]>();
  for (const test of tests) {
    const name = `${kindOf(test)} ${pathText(test.path)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [test]);
    else group.push(test);
  }
  for (const group of groups.values()) {
    const [first] = group;
    const source = openSource[kindOf(first!)](group, first!.path);
    share(group, source);
  }
  return sources;
}

/** What answers a test. */
export type Kind = 'ids' | 'streamed' | 'column';

/**
 * Each event has an id of its own, so a dictionary of ids would be as long as the log. A column knows all
 * objects by one code, which is not enough for an operator that looks into them.
 */
export function kindOf(asked: Asked): Kind {
  if (asked.path.root === 'insertId') return isSought(asked) ? 'ids' : 'streamed';
  return asked.kind === 'search' || rowOf(asked.operator).objectsAlike ? 'column' : 'streamed';
}
