import type { Breakdown } from '../../../../src/index.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { countsOf } from '../explore/filter/found-groups.ts';

/** How many events of a group have a path. */
export interface Presence {
  /** The value of the group; null for the events without a value. */
  readonly key: Group['key'] | null;
  /** Those that have it. */
  readonly count: number;
  readonly total: number;
}

/**
 * How many events of each group have a path, by the groups of all events and of those that have it. A group
 * is left out where it is not known how many of it have the path.
 */
export function presenceOf(all: Breakdown, having: Breakdown): readonly Presence[] {
  const countHaving = countsOf(having);
  const groups = all.groups.flatMap((group) => {
    const count = countHaving(group);
    return count === undefined ? [] : [{ key: group.key, count, total: group.count }];
  });
  if (all.missing === 0) return groups;
  return [...groups, { key: null, count: having.missing, total: all.missing }];
}
