import { withoutRest } from '../../query/group-table.ts';
import {
  toMeasuring,
  type Breakdown,
  type Dimension,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type Whole,
} from '../../query/grouping.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { breakDownByTime } from './by-time.ts';
import { breakDownByValue } from './by-value.ts';
import type { GroupTools, OpenedRows, OrderedRows } from './grouped.ts';
import { measureAll, type LookedAt } from './measured.ts';
import type { Coded } from './reading.ts';
import { breakDownTable, type TimeDimension, type ValueDimension } from './table.ts';

/** The same rows as spans, and in order of time. */
type OpenedInOrder = OpenedRows & OrderedRows;

/** How a question opens its rows: by row number, or in order of time. */
export interface RowOpener {
  readonly open: (
    paths: readonly GroupPath[],
  ) => Promise<OpenedRows & { readonly places?: readonly PlaceSpan[] }>;
  readonly openInOrder: (paths: readonly GroupPath[]) => Promise<OpenedInOrder>;
}

/** Counts the groups of all selected rows, and measures them. */
export async function breakDown(
  grouping: Grouping | MeasuredGrouping,
  { open, openInOrder }: RowOpener,
  tools: GroupTools,
): Promise<Breakdown | Whole> {
  const { by, size, columns, distinct, measures, orderBy } = toMeasuring(grouping);
  const dimensions = [
    ...(by === undefined ? [] : [{ by, size }]),
    ...(columns === undefined ? [] : [columns]),
  ];
  const grouped = dimensions.flatMap((dimension) => ('unit' in dimension.by ? [] : [dimension.by]));
  const paths = [...grouped, ...(distinct === undefined ? [] : [distinct]), ...measures.map(({ of }) => of)];
  const isOrdered = grouped.length < dimensions.length;
  const opened: OpenedRows & Partial<OrderedRows> = await (isOrdered ? openInOrder(paths) : open(paths));
  const codes = [...opened.coded];
  const rows = toDimension(dimensions[0], codes);
  const crossed = toDimension(dimensions[1], codes);
  const looked: LookedAt = {
    distinct: distinct === undefined ? undefined : codes.shift(),
    measured: measures.map((measure) => ({ measure, coded: codes.shift()! })),
  };
  const places = opened.places ?? [];
  const all = { ...opened, ...looked, places };
  if (rows === undefined) return measureAll(all, tools);
  if ('measures' in grouping && ('coded' in rows || crossed !== undefined))
    return breakDownTable(all, { rows, columns: crossed, orderBy }, tools);
  if ('coded' in rows) return breakDownByValue(rows.coded, all, rows, tools);
  const found = await breakDownByTime(all, { series: rows.by, size }, tools);
  return 'measures' in grouping ? found : withoutRest(found);
}

/** A dimension with the first of the codes, which it takes, if it is one of values. */
function toDimension<D extends Dimension | undefined>(
  dimension: D,
  codes: Coded[],
): ValueDimension | TimeDimension | Extract<D, undefined> {
  if (dimension === undefined) return undefined as Extract<D, undefined>;
  const { by, size } = dimension;
  return 'unit' in by ? { by, size } : { by, size, coded: codes.shift()! };
}
