import type { Breakdown, GroupPath, Grouping } from '../../query/grouping.ts';
import type { RowRange } from '../selection/selector.ts';
import type { Selector } from '../selection/selector.ts';
import { breakDownByTime, type Places } from './by-time.ts';
import { breakDownByValue } from './by-value.ts';
import type { GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';

/** The rows of a question's snapshot, and what its paths find in them. */
export interface OpenedRows {
  readonly selector: Selector;
  readonly range: RowRange;
  /** How many rows the snapshot has. */
  readonly size: number;
  /** By path, in the order of the request. */
  readonly coded: readonly Coded[];
}

/** How a question opens its rows: by row number, or in order of time. */
export interface RowOpener {
  readonly open: (paths: readonly GroupPath[]) => Promise<OpenedRows>;
  readonly openInOrder: (paths: readonly GroupPath[]) => Promise<OpenedRows & Places>;
}

/** Counts the groups of all selected rows. */
export async function breakDown(
  { by, distinct, size }: Grouping,
  { open, openInOrder }: RowOpener,
  tools: GroupTools,
): Promise<Breakdown> {
  const counted = distinct === undefined ? [] : [distinct];
  if ('unit' in by) {
    const opened = await openInOrder(counted);
    const grouped = { ...opened, distinct: opened.coded[0] };
    return breakDownByTime(opened, grouped, { series: by, size }, tools);
  }
  const { coded, ...rows } = await open([by, ...counted]);
  return breakDownByValue(coded[0]!, { ...rows, distinct: coded[1] }, { by, size }, tools);
}
