import { compareCodePoints } from '../event/text.ts';
import type { Scalar } from '../filter/operands.ts';
import {
  bucketsOf,
  compareKeys,
  toBucketKey,
  toMeasuring,
  type Breakdown,
  type Dimension,
  type Grouping,
  type MeasuredGrouping,
  type GroupRow,
  type TimeSeries,
  type Told,
  type Whole,
} from './grouping.ts';
import { measuredOfNone, type MeasuredNumbers } from './measures.ts';

/** The groups of one dimension. */
export interface GroupKeys {
  /** The keys of those that are returned, in their order. */
  readonly keys: readonly Scalar[];
  /** How many groups there are. */
  readonly total: number;
}

/**
 * Groups of one dimension, or of two, and what is told of their events. A place is that of a group among
 * those that are returned; the place behind the last is that of all events outside of them; undefined stands
 * for all events.
 */
export interface GroupTable extends Pick<Breakdown, 'missing' | 'arrays' | 'objects'> {
  /** What its rows are of. */
  readonly rows: GroupKeys;
  /** What its columns are of; undefined for one dimension. */
  readonly columns: GroupKeys | undefined;
  /** What is told of the events of a row and a column, by their places. */
  readonly tell: (row: number | undefined, column: number | undefined) => Told;
}

/** Writes the breakdown that a table is, with the rest of all events. */
export function toBreakdown({ missing, arrays, objects, rows, columns, tell }: GroupTable): Breakdown {
  const { count: total, ...whole } = tell(undefined, undefined);
  const rowAt = (row: number): GroupRow => ({
    ...tell(row, undefined),
    ...(columns && {
      cells: columns.keys.map((_, column) => tell(row, column)),
      rest: tell(row, columns.keys.length),
    }),
  });
  return {
    ...{ total, missing, arrays, objects, groupsTotal: rows.total },
    groups: rows.keys.map((key, row) => ({ key, ...rowAt(row) })),
    ...whole,
    ...(columns && {
      columns: columns.keys.map((key, column) => ({ key, ...tell(undefined, column) })),
      columnsTotal: columns.total,
    }),
    rest: rowAt(rows.keys.length),
  };
}

/** A breakdown as it is where nothing beyond it is asked for. */
export function withoutRest(found: Breakdown): Breakdown {
  const { rest, ...plain } = found;
  return rest === undefined ? found : plain;
}

/** What is told of no events. */
function toldOfNone({ distinct, measures }: Pick<MeasuredGrouping, 'distinct' | 'measures'>): Told {
  return {
    count: 0,
    ...(distinct === undefined ? {} : { distinct: 0 }),
    ...(measures.length === 0 ? {} : { measures: measuredOfNone(measures) }),
  };
}

/** The breakdown of zero events. */
export function emptyBreakdown<G extends Grouping | MeasuredGrouping>(
  grouping: G,
): G extends Grouping ? Breakdown : Breakdown | Whole {
  return breakdownOfNone(grouping) as Breakdown;
}

function breakdownOfNone(grouping: Grouping | MeasuredGrouping): Breakdown | Whole {
  const { by, size, columns, ...asked } = toMeasuring(grouping);
  const none = toldOfNone(asked);
  const { count: total, ...figures } = none;
  if (by === undefined) return { total, ...figures };
  const found = toBreakdown({
    ...{ missing: 0, arrays: 0, objects: 0 },
    rows: groupsOfNone({ by, size }),
    columns: columns && groupsOfNone(columns),
    tell: () => none,
  });
  return 'measures' in grouping ? found : withoutRest(found);
}

/** The groups that there are without events: the buckets of a series whose bounds are known. */
function groupsOfNone({ by, size }: Dimension): GroupKeys {
  return 'unit' in by ? bucketGroups(by, bucketsOf(by, undefined), size) : { keys: [], total: 0 };
}

/** The groups of a series, by the starts of its buckets and the end of the last one. */
export function bucketGroups(series: TimeSeries, starts: readonly number[], size: number): GroupKeys {
  const buckets = starts.slice(0, -1);
  return {
    keys: buckets.slice(0, size).map((start) => toBucketKey(series, start)),
    total: buckets.length,
  };
}

/** A figure by which groups are ordered. */
export type OrderFigure = MeasuredNumbers['min'];

/** The order of groups by a figure: the greatest first, null last, and those that are equal by their keys. */
export function compareByFigure(
  [key, figure]: readonly [Scalar, OrderFigure],
  [otherKey, otherFigure]: readonly [Scalar, OrderFigure],
): number {
  return compareFigures(otherFigure ?? null, figure ?? null) || compareKeys(key, otherKey);
}

/** Null is less than any other figure; instants are texts of one length. */
function compareFigures(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  return compareCodePoints(String(a), String(b));
}
