import {
  toMeasuring,
  type Breakdown,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type Whole,
} from '../../query/grouping.ts';
import { breakDownByTime } from './by-time.ts';
import { breakDownByValue } from './by-value.ts';
import type { GroupTools, OpenedRows, OrderedRows } from './grouped.ts';
import { measureAll, type LookedAt } from './measured.ts';
import type { Coded } from './reading.ts';

/** How a question opens its rows: by row number, or in order of time. */
export interface RowOpener {
  readonly open: (paths: readonly GroupPath[]) => Promise<OpenedRows>;
  readonly openInOrder: (paths: readonly GroupPath[]) => Promise<OrderedRows>;
}

/** Counts the groups of all selected rows, and measures them. */
export async function breakDown(
  grouping: Grouping | MeasuredGrouping,
  { open, openInOrder }: RowOpener,
  tools: GroupTools,
): Promise<Breakdown | Whole> {
  const { by, distinct, size, measures } = toMeasuring(grouping);
  const paths = [...(distinct === undefined ? [] : [distinct]), ...measures.map(({ of }) => of)];
  /** What was opened of those paths. */
  const lookAt = (coded: readonly Coded[]): LookedAt => {
    const measured = coded.slice(paths.length - measures.length);
    return {
      distinct: distinct === undefined ? undefined : coded[0],
      measured: measures.map((measure, i) => ({ measure, coded: measured[i]! })),
    };
  };
  if (by !== undefined && 'unit' in by) {
    const opened = await openInOrder(paths);
    return breakDownByTime({ ...opened, ...lookAt(opened.coded) }, { series: by, size }, tools);
  }
  const opened = await open(by === undefined ? paths : [by, ...paths]);
  if (by === undefined) return measureAll({ ...opened, ...lookAt(opened.coded) }, tools);
  const [first, ...others] = opened.coded;
  return breakDownByValue(first!, { ...opened, ...lookAt(others) }, { by, size }, tools);
}
