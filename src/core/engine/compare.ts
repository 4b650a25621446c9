import { aborted } from '../base/errors.ts';
import { createFirstOf } from '../base/first-of.ts';
import type { Signal } from '../base/signal.ts';
import { reserveOrThrow, type MemoryBudget, type Reservation } from '../bounds/memory-budget.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { compareCodePoints } from '../event/text.ts';
import { toAll } from '../filter/condition.ts';
import type { Scalar } from '../filter/operands.ts';
import { MEMBERSHIP } from '../filter/operators.ts';
import { parseFilterSet } from '../filter/parse-filter.ts';
import { EVENT_NAME, parsePath, pathText, type FilterPath } from '../filter/path.ts';
import { GROUPS_SIZE_MAX } from '../query/body.ts';
import {
  COMPARED_PATHS_MAX,
  compareDifferences,
  toDifference,
  type AskedCompare,
  type Difference,
  type Differences,
  type SetCounts,
} from '../query/compare.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { OptionalAnswers } from '../query/event-store.ts';
import type { Breakdown } from '../query/grouping.ts';
import { selectWithin } from '../query/parse-query.ts';
import type { Properties, Property } from '../query/properties.ts';

/** What the comparison is put together from. */
export interface CompareTools {
  readonly answers: Pick<OptionalAnswers, 'breakdown' | 'properties'>;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
  /** How many values of a path are looked at in each set, the most frequent ones; 1,000 when absent. */
  readonly valuesMax?: number;
}

/** Answers what differs between the selected events of a tenant and the baseline. */
export type Compare = (tenantId: string, asked: AskedCompare, signal?: Signal) => Promise<Differences>;

/**
 * Makes what finds where two sets of events differ, from breakdowns of each by path after path. Of each set
 * the first 1,000 values of a path are looked at, and how often the other set has them: a value that is not
 * among these is at most a 1,001st of each set, so its shares differ by less than that.
 *
 * The sets have no event in common, and each count comes from one answer of the store. So an event that
 * arrives or is erased between two answers makes no count wrong.
 */
export function createCompare({
  answers,
  scheduler,
  memory,
  valuesMax = GROUPS_SIZE_MAX,
}: CompareTools): Compare {
  return async (tenantId, asked, signal) => {
    const { paths, more } = await pathsOf();
    const first = createFirstOf<Difference>(asked.size, compareDifferences);
    const kept = memory.reservation(tenantId);
    let totals: SetCounts | undefined;
    try {
      for (const path of paths) {
        if (signal?.aborted === true) throw aborted();
        const room = memory.reservation(tenantId);
        try {
          const { selected, baseline } = await countsAt(path, room);
          totals ??= { selected: selected.total, baseline: baseline.total };
          await scheduler.run(tenantId, signal, () => {
            for (const row of differencesAt(pathText(path), selected, baseline)) first.add(row);
          });
          kept.release();
          reserveOrThrow(kept, bytesOf(first.sorted().map(({ value }) => value)));
        } finally {
          room.release();
        }
      }
      return { ...totals!, paths: paths.map(pathText), more, rows: first.sorted() };
    } finally {
      kept.release();
    }

    async function pathsOf(): Promise<ChosenPaths> {
      if (asked.paths !== undefined) return { paths: asked.paths, more: false };
      const known = await answers.properties(tenantId, asked.event, signal);
      return scheduler.run(tenantId, signal, () => chooseFrequent(known));
    }

    /** Counts the values of both sets at a path. */
    async function countsAt(path: FilterPath, room: Reservation) {
      const ask = async (query: EventQuery): Promise<Breakdown> => {
        const found = await answers.breakdown(tenantId, query, { by: path, size: valuesMax }, signal);
        reserveOrThrow(room, bytesOf(found.groups.map(({ key }) => key)));
        return found;
      };
      const selected = toValueCounts(await ask(asked.selected));
      const baseline = toValueCounts(await ask(asked.baseline));
      /** Asks how often a set has the values of the other that are not among its own first ones. */
      const addMissing = async (own: ValueCounts, other: ValueCounts, query: EventQuery) => {
        const keys = [...other.counts.keys()].filter((key) => key !== null && !own.counts.has(key));
        if (own.isWhole || keys.length === 0) return;
        const { groups } = await ask(restrict(query, path, keys as Scalar[]));
        for (const { key, count } of groups) own.counts.set(key, count);
      };
      await addMissing(selected, baseline, asked.selected);
      await addMissing(baseline, selected, asked.baseline);
      return { selected, baseline };
    }
  };
}

/** The paths to compare. */
interface ChosenPaths {
  readonly paths: readonly FilterPath[];
  /** Whether events have others. */
  readonly more: boolean;
}

/** How many events of a set have which value at a path. */
interface ValueCounts {
  readonly total: number;
  /** Events without a value are those of null. */
  readonly counts: Map<Scalar | null, number>;
  /** Whether these are all values that the set has. */
  readonly isWhole: boolean;
}

function toValueCounts({ total, groups, groupsTotal, missing }: Breakdown): ValueCounts {
  const counts = new Map<Scalar | null, number>(groups.map(({ key, count }) => [key, count]));
  return { total, counts: counts.set(null, missing), isWhole: groupsTotal === groups.length };
}

/** About how many bytes a value takes besides its text, of which a character takes two. */
const VALUE_BYTES = 128;

function bytesOf(values: readonly (Scalar | null)[]): number {
  return values.reduce<number>((sum, value) => sum + VALUE_BYTES + String(value).length * 2, 0);
}

/** The events of a query that have one of some values at a path. */
function restrict(
  { condition, ...range }: EventQuery,
  path: FilterPath,
  value: readonly Scalar[],
): EventQuery {
  const entry = { property: pathText(path), comparison: MEMBERSHIP, value } as const;
  return selectWithin(range, toAll([condition, parseFilterSet([entry], 'paths')]));
}

function differencesAt(path: string, selected: ValueCounts, baseline: ValueCounts): readonly Difference[] {
  const values = new Set([...selected.counts.keys(), ...baseline.counts.keys()]);
  const countIn = ({ counts }: ValueCounts, value: Scalar | null) => counts.get(value) ?? 0;
  return [...values].flatMap((value) => {
    const counts = { selected: countIn(selected, value), baseline: countIn(baseline, value) };
    const totals = { selected: selected.total, baseline: baseline.total };
    return toDifference(path, value, counts, totals) ?? [];
  });
}

/** The name of events, and the paths at which most of them have a value that can be counted. */
function chooseFrequent({ properties, more }: Properties): ChosenPaths {
  const counted = properties.map((property) => ({ path: property.path, events: scalarsOf(property) }));
  const known = counted
    .filter(({ events }) => events > 0)
    .sort((a, b) => b.events - a.events || compareCodePoints(a.path, b.path));
  const chosen = known.slice(0, COMPARED_PATHS_MAX - 1).map(({ path }) => parsePath(path, 'paths'));
  return { paths: [EVENT_NAME, ...chosen], more: more || known.length > chosen.length };
}

/** How many events have a string, a number or a boolean at a path. */
function scalarsOf({ types }: Property): number {
  const { string = 0, number = 0, boolean = 0 } = types;
  return string + number + boolean;
}
