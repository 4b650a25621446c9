import { compareCodePoints } from '../../src/core/event/text.ts';
import { parsePath, pathText } from '../../src/core/filter/path.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { AskedCompare, Difference, Differences } from '../../src/core/query/compare.ts';
import { compilePredicate } from '../../src/core/query/predicate.ts';
import type { EventView, StoredEvent } from '../../src/store-kit.ts';
import { compareKeys, valueAt } from './expected-breakdown.ts';
import { typesOf } from './expected-properties.ts';

type Value = string | number | boolean | null;

/**
 * What differs between two sets of events, as plainly as it can be said. Only the first `valuesMax` values of
 * each set are looked at, and the missing one.
 */
export function differencesOf(
  events: readonly StoredEvent[],
  asked: AskedCompare,
  valuesMax: number,
): Differences {
  const isSelected = compilePredicate(asked.selected, { codeGeneration: false });
  const matching = events.map(toEventView).filter(compilePredicate(asked.query, { codeGeneration: false }));
  const selected = matching.filter((view) => isSelected(view));
  const baseline = matching.filter((view) => !isSelected(view));
  const known = asked.paths?.map(pathText) ?? ['eventName', ...frequentPaths(events, asked)];
  const paths = known.slice(0, 50);
  const rows = paths.flatMap((path) => {
    const values = new Set([
      ...firstValues(selected, path, valuesMax),
      ...firstValues(baseline, path, valuesMax),
    ]);
    return [...values].map((value) => differenceOf(path, value, selected, baseline));
  });
  const more = known.length > paths.length;
  const order = (a: Difference, b: Difference) =>
    Math.abs(b.difference) - Math.abs(a.difference) ||
    compareCodePoints(a.path, b.path) ||
    compareValues(a.value, b.value);
  return {
    ...{ selected: selected.length, baseline: baseline.length, paths, more },
    rows: rows
      .filter(({ difference }) => difference !== 0)
      .sort(order)
      .slice(0, asked.size),
  };
}

function differenceOf(
  path: string,
  value: Value,
  all: readonly EventView[],
  others: readonly EventView[],
): Difference {
  const countIn = (views: readonly EventView[]) =>
    views.filter((view) => valueOf(view, path) === value).length;
  const [selected, baseline] = [countIn(all), countIn(others)];
  const [of, from] = [Math.max(1, all.length), Math.max(1, others.length)];
  return {
    ...{ path, value, selected, baseline, selectedShare: selected / of, baselineShare: baseline / from },
    difference: (selected * from - baseline * of) / (of * from),
  };
}

/** The value of an event at a path: undefined for an array or an object, null for none. */
function valueOf(view: EventView, path: string): Value | undefined {
  const value = valueAt(view, parsePath(path, 'path')) ?? null;
  return value !== null && typeof value === 'object' ? undefined : value;
}

function firstValues(views: readonly EventView[], path: string, most: number): Value[] {
  const counts = new Map<Value, number>([[null, Infinity]]);
  for (const view of views) {
    const value = valueOf(view, path);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, count], [b, other]) => compareNumbers(other, count) || compareValues(a, b))
    .map(([value]) => value)
    .slice(0, most + 1);
}

/** Infinity less itself is no number. */
const compareNumbers = (a: number, b: number) => Number(a > b) - Number(a < b);

function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareKeys(a, b);
}

/** The paths of properties by how many events have a string, a number or a boolean there. */
function frequentPaths(events: readonly StoredEvent[], { event }: AskedCompare): string[] {
  const named = events.filter(({ eventName }) => event === undefined || eventName === event);
  return [...typesOf(named).paths]
    .map(([path, { types }]) => {
      const { string = 0, number = 0, boolean = 0 } = types;
      return [path, string + number + boolean] as const;
    })
    .filter(([, count]) => count > 0)
    .sort(([a, count], [b, other]) => other - count || compareCodePoints(a, b))
    .map(([path]) => path);
}
