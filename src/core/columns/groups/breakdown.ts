import type { Breakdown, GroupPath, Grouping } from '../../query/grouping.ts';
import { breakDownByTime } from './by-time.ts';
import { breakDownByValue } from './by-value.ts';
import type { GroupTools, OpenedRows, OrderedRows } from './grouped.ts';

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
