import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Scalar } from '../../filter/operands.ts';
import { bucketGroups, toBreakdown, type GroupKeys } from '../../query/group-table.ts';
import {
  bucketsOf,
  toKey,
  type Breakdown,
  type Dimension,
  type GroupOrder,
  type GroupPath,
  type TimeSeries,
} from '../../query/grouping.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { findEnds } from './blocks.ts';
import { countCodes } from './by-value.ts';
import type { Grouped, GroupTools, OpenedRows } from './grouped.ts';
import { tellParts } from './measured.ts';
import { orderByFigure } from './ordered.ts';
import type { TablePart } from './parted.ts';
import type { Coded } from './reading.ts';
import { eachPlacedByTime, eachPlacedByValues, type EachPlaced, type PlacedCodes } from './row-places.ts';
import { summarize, type GroupSummary } from './summary.ts';

/** The rows of a table, and what is told of them. */
export interface CrossedRows extends Grouped, Pick<OpenedRows, 'isEveryRow' | 'size'> {
  /** The rows in order of time, where a dimension is one of time. */
  readonly places: readonly PlaceSpan[];
}

/** A dimension of values, and what the rows have there. */
export interface ValueDimension extends Dimension {
  readonly by: GroupPath;
  readonly coded: Coded;
}

/** A dimension of time. */
export interface TimeDimension extends Dimension {
  readonly by: TimeSeries;
}

/** What a table is asked for. */
export interface AskedDimensions {
  readonly rows: ValueDimension | TimeDimension;
  readonly columns: ValueDimension | TimeDimension | undefined;
  readonly orderBy: GroupOrder | undefined;
}

/** The groups of a dimension that are returned. */
interface ChosenDimension extends GroupKeys {
  readonly outside: Pick<GroupSummary, 'missing' | 'arrays' | 'objects'>;
  /** The groups by code, of a dimension of values; of time, the start of each bucket and the last end. */
  readonly given: readonly number[];
  /** Of a dimension of values: how many rows each group has, and behind them the rest. */
  readonly counts?: Uint32Array;
}

/**
 * Puts rows into a table by one dimension or two, with the rest of each, and tells what is asked for of all
 * its parts. What it tells besides counts takes an arrangement of the rows by their places in the table.
 */
export async function breakDownTable(
  table: CrossedRows,
  { rows, columns, orderBy }: AskedDimensions,
  tools: GroupTools,
): Promise<Breakdown> {
  const first = await choose(table, rows, tools, orderBy);
  const second = columns && (await choose(table, columns, tools));
  const width = second === undefined ? 1 : second.keys.length + 1;
  const height = first.keys.length + 1;
  reserveOrThrow(tools.reservation, height * width * 4);
  const eachPlaced = placeRows(
    table,
    { dimension: rows, chosen: first, step: width },
    columns && second && { dimension: columns, chosen: second, step: 1 },
    tools,
  );
  const known = second === undefined ? first.counts : undefined;
  const counts = known ?? (await countPlaces(eachPlaced, height * width));
  const parts = partsOf(height, width, second !== undefined);
  const told = await tellParts(table, { eachPlaced, counts, parts }, tools);
  return toBreakdown({
    ...first.outside,
    rows: first,
    columns: second,
    tell: (row, column) => told[placeOfPart(height, width, row, column)]!,
  });
}

/** How many rows have each place. */
async function countPlaces(eachPlaced: EachPlaced, length: number): Promise<Uint32Array> {
  const counts = new Uint32Array(length);
  await eachPlaced((places) => {
    for (let i = 0; i < places.length; i++) counts[places[i]!]! += 1;
  });
  return counts;
}

/** The parts of a table: all, its rows, and with columns these and all cells. */
function partsOf(height: number, width: number, isCrossed: boolean): readonly TablePart[] {
  const rows = Array.from({ length: height }, (_, row): TablePart => [[row * width, (row + 1) * width]]);
  const all: TablePart = [[0, height * width]];
  if (!isCrossed) return [all, ...rows];
  const columns = Array.from({ length: width }, (_, column) =>
    rows.map((_, row) => [row * width + column, row * width + column + 1] as const),
  );
  const cells = Array.from({ length: height * width }, (_, cell): TablePart => [[cell, cell + 1]]);
  return [all, ...rows, ...columns, ...cells];
}

/** Where the part of a row and a column is among all parts. */
function placeOfPart(
  height: number,
  width: number,
  row: number | undefined,
  column: number | undefined,
): number {
  if (row === undefined) return column === undefined ? 0 : 1 + height + column;
  return column === undefined ? 1 + row : 1 + height + width + row * width + column;
}

/** Chooses the groups of a dimension as if it were the only one. */
async function choose(
  table: CrossedRows,
  dimension: ValueDimension | TimeDimension,
  tools: GroupTools,
  orderBy?: GroupOrder,
): Promise<ChosenDimension> {
  if (!('coded' in dimension)) {
    const { by, size } = dimension;
    const starts = bucketsOf(by, await findEnds(table.selectorAt, table.places, tools.pacer));
    const outside = { missing: 0, arrays: 0, objects: 0 };
    return { ...bucketGroups(by, starts, size), outside, given: starts };
  }
  const { by, size, coded } = dimension;
  const counts = await countCodes(coded, table, tools);
  const isBefore = orderBy && (await orderByFigure(table, { coded, counts, orderBy }, tools));
  const { given, groupsTotal, total, ...tally } = await summarize(coded, counts, size, tools.pacer, isBefore);
  const inGroups = given.map((code) => counts[code]!);
  return {
    keys: given.map((code) => toKey(by, coded.values[code] as Scalar)),
    total: groupsTotal,
    outside: { missing: tally.missing, arrays: tally.arrays, objects: tally.objects },
    given,
    counts: Uint32Array.of(
      ...inGroups,
      inGroups.reduce((left, count) => left - count, total),
    ),
  };
}

/** A dimension with its groups, and how far these are from each other in the table. */
interface Placed {
  readonly dimension: ValueDimension | TimeDimension;
  readonly chosen: ChosenDimension;
  readonly step: number;
}

/** Makes what finds the place of each row: at most one of the dimensions is one of time. */
function placeRows(
  table: CrossedRows,
  first: Placed,
  second: Placed | undefined,
  tools: GroupTools,
): EachPlaced {
  const [values, other] = 'coded' in first.dimension ? [first, second] : [second!, first];
  const placed = placeCodes(values, tools);
  if (other === undefined) return eachPlacedByValues(placed, undefined, table, tools);
  if ('coded' in other.dimension) return eachPlacedByValues(placed, placeCodes(other, tools), table, tools);
  const { given, keys } = other.chosen;
  // What is behind the buckets that are returned is one more.
  const starts = given.filter((_, i) => i <= keys.length || i === given.length - 1);
  return eachPlacedByTime({ starts, step: other.step }, placed, table, tools);
}

/** What each code adds to the place of its rows; those of no group come behind all groups. */
function placeCodes({ dimension, chosen, step }: Placed, { reservation }: GroupTools): PlacedCodes {
  const { coded } = dimension as ValueDimension;
  reserveOrThrow(reservation, coded.count * 4);
  const placeOf = new Uint32Array(coded.count).fill(chosen.given.length * step);
  chosen.given.forEach((code, i) => (placeOf[code] = i * step));
  return { coded, placeOf };
}
