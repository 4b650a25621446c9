import type { Breakdown, GroupPath, Grouping } from '../../query/grouping.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { breakDownByTime } from './by-time.ts';
import { breakDownByValue } from './by-value.ts';
import type { ChosenSpans, GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';

/** The rows of a question's snapshot, and what its paths find in them. */
export interface OpenedRows extends ChosenSpans {
  /** Whether these are all rows of the log, each of them selected. */
  readonly isEveryRow: boolean;
  /** How many rows the snapshot has. */
  readonly size: number;
  /** By path, in the order of the request. */
  readonly coded: readonly Coded[];
}

/** The same in order of time, segment by segment. */
export interface OrderedRows extends Pick<OpenedRows, 'selectorAt' | 'coded'> {
  readonly places: readonly PlaceSpan[];
}

/** How a question opens its rows: by row number, or in order of time. */
export interface RowOpener {
  readonly open: (paths: readonly GroupPath[]) => Promise<OpenedRows>;
  readonly openInOrder: (paths: readonly GroupPath[]) => Promise<OrderedRows>;
}

/** Counts the groups of all selected rows. */
export async function breakDown(
  { by, distinct, size }: Grouping,
  { open, openInOrder }: RowOpener,
  tools: GroupTools,
): Promise<Breakdown> {
  const counted = distinct === undefined ? [] : [distinct];
  if ('unit' in by) return breakDownByTime(await openInOrder(counted), { series: by, size }, tools);
  const opened = await open([by, ...counted]);
  const grouped = { ...opened, distinct: opened.coded[1] };
  return breakDownByValue(opened.coded[0]!, grouped, { by, size }, tools);
}
