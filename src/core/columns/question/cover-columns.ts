import type { Pacer } from '../../bounds/scheduler.ts';
import type { Column } from '../column.ts';
import { createStep } from '../cover.ts';
import { chunkEnd, readTogether, type EventLog } from '../log.ts';

/**
 * As `cover`, for several columns of a log: rows that some of them have to read are read once for all of
 * these. A column that is given up on the way is left.
 */
export async function coverColumns(
  log: EventLog,
  columns: readonly Column[],
  size: number,
  pacer: Pacer,
): Promise<void> {
  const step = createStep(pacer);
  for (;;) {
    const behind = columns.filter(({ covered, givenUp }) => givenUp === undefined && covered < size);
    if (behind.length === 0) return;
    // What was kept of a column is taken in first, a step for one column.
    if (behind.some((column) => column.restore())) await pacer.pause();
    else {
      let next: Next | undefined;
      await step((rows) => void (next = readNext(log, behind, size, rows)));
      for (const [i, column] of next!.columns.entries()) {
        // Another question may have gone on with a column meanwhile.
        if (column.covered === next!.from && column.givenUp === undefined) column.take(next!.values[i]!);
        const pause = pacer.pause();
        if (pause !== undefined) await pause;
      }
    }
  }
}

/** The next rows for some columns. */
interface Next {
  readonly columns: readonly Column[];
  readonly from: number;
  /** What each column's path finds in them. */
  readonly values: ReturnType<typeof readTogether>;
}

/** Reads the next rows for those columns that have the fewest, up to where another column is. */
function readNext(log: EventLog, columns: readonly Column[], size: number, rows: number): Next {
  const from = Math.min(...columns.map(({ covered }) => covered));
  const others = columns.map(({ covered }) => covered).filter((covered) => covered > from);
  const group = columns.filter(({ covered }) => covered === from);
  const to = Math.min(size, from + rows, chunkEnd(from), ...others);
  const paths = group.map(({ path }) => path);
  return { columns: group, from, values: readTogether(log, paths, from, to) };
}
