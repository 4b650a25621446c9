import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import type { Column } from './column.ts';
import { createStep } from '../log/cover.ts';
import { chunkEnd, readTogether, type EventLog, type FoundRows } from '../log/log.ts';

/**
 * Reads what some paths find in the rows from one on, without a gap: at least one, all before another.
 * Nothing where another question has read them.
 */
export type ReadRows = (paths: readonly Path[], from: number, to: number) => Promise<readonly FoundRows[]>;

/**
 * As `cover`, for several columns of a log: rows that some of them have to read are read once for all of
 * these. A column that is given up on the way is left. `begun` is called whenever first rows were read.
 */
export async function coverColumns(
  log: EventLog,
  columns: readonly Column[],
  size: number,
  pacer: Pacer,
  read = readInSteps(log, pacer),
  begun: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    const behind = columns.filter(({ covered, givenUp }) => givenUp === undefined && covered < size);
    if (behind.length === 0) return;
    // What was kept of a column is taken in first, a step for one column.
    if (behind.some((column) => column.restore())) await pacer.yieldIfDue();
    else {
      const { group, from, to } = nextRows(behind, size);
      const paths = group.map(({ path }) => path);
      const found = await read(paths, from, to);
      if (from === 0 && found.length > 0) begun();
      for (const [i, column] of group.entries()) {
        const rows = found[i];
        // Another question may have gone on with a column meanwhile.
        if (rows && column.covered === from && column.givenUp === undefined) column.take(rows);
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  }
}

/** The next rows for those columns that have the fewest, up to where another column is. */
function nextRows(behind: readonly Column[], size: number) {
  const from = Math.min(...behind.map(({ covered }) => covered));
  const others = behind.map(({ covered }) => covered).filter((covered) => covered > from);
  const group = behind.filter(({ covered }) => covered === from);
  return { group, from, to: Math.min(size, chunkEnd(from), ...others) };
}

/** Reads in steps of a few milliseconds. */
export function readInSteps(log: EventLog, pacer: Pacer): ReadRows {
  const step = createStep(pacer);
  return async (paths, from, to) => {
    let lists: ReturnType<typeof readTogether>;
    await step((rows) => void (lists = readTogether(log, paths, from, Math.min(to, from + rows))));
    return lists!.map((values) => ({ values }));
  };
}
