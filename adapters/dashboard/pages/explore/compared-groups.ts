import type { Breakdown } from '../../../../src/index.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { figure } from '../parts/figure.ts';
import { percentText } from '../time/buckets.ts';
import { countsOf } from './filter/found-groups.ts';

/** The events without a group of an answer, each kind a count of its own. */
export type Ungrouped = 'missing' | 'arrays' | 'objects';

/** What the groups of a question were in the period before. */
export interface GroupChanges {
  /** How a group differs from what it was, in words; undefined where that is not known. */
  readonly ofGroup: (group: Group) => string | undefined;
  /** The same of the events without a group; undefined if neither period has such events. */
  readonly ofUngrouped: (kind: Ungrouped) => string | undefined;
  /** The groups that only the period before had, with their counts of then, the largest first. */
  readonly gone: readonly Group[];
  /** The words for one of these. */
  readonly ofGone: (group: Group) => string;
}

/** How a count differs from the one of the period before, in words. */
function wordsOf(now: number, before: number): string {
  if (before === 0) return 'new';
  if (now === 0) return `gone, ${figure(before)} before`;
  return `${percentText(now, before)!} from ${figure(before)}`;
}

/**
 * Compares the groups of two periods. Nothing is called new or gone by an answer that does not hold all
 * groups.
 */
export function changesOf(now: Breakdown, before: Breakdown): GroupChanges {
  const [countNow, countBefore] = [countsOf(now), countsOf(before)];
  return {
    ofGroup: (group) => {
      const count = countBefore(group);
      return count === undefined ? undefined : wordsOf(group.count, count);
    },
    ofUngrouped: (kind) =>
      now[kind] === 0 && before[kind] === 0 ? undefined : wordsOf(now[kind], before[kind]),
    ofGone: ({ count }) => wordsOf(0, count),
    gone: before.groups.filter((group) => countNow(group) === 0),
  };
}
