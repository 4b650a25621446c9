import type { Pacer } from '../../bounds/scheduler.ts';
import type { Path } from '../../filter/path.ts';
import type { Column } from './column.ts';
import { createStep } from '../log/index-up-to.ts';
import { segmentEnd, readTogether, type EventLog, type FoundRows } from '../log/log.ts';

/**
 * Reads what some paths find in the rows from `from` on and before `to`, without a gap: at least one row.
 * Returns nothing if another question has read them meanwhile.
 */
export type ReadRows = (paths: readonly Path[], from: number, to: number) => Promise<readonly FoundRows[]>;

/**
 * As `indexUpTo`, for several columns of a log. Columns that need the same rows share one read. A column that
 * is disabled on the way is left out. `begun` is called after each read of the log's first rows.
 */
export async function indexColumns(
  log: EventLog,
  columns: readonly Column[],
  size: number,
  pacer: Pacer,
  read = readInSteps(log, pacer),
  begun: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    const pending = columns.filter(
      ({ indexedRows, disabled }) => disabled === undefined && indexedRows < size,
    );
    if (pending.length === 0) {
      // A column that was disabled on the way is no longer built either.
      pacer.note?.({ indexed: size, of: size });
      return;
    }
    // Stored chunks are loaded first, one step for one column.
    if (pending.some((column) => column.loadStep())) await pacer.yieldIfDue();
    else {
      const { group, from, to } = nextRows(pending, size);
      pacer.note?.({ indexed: from, of: size });
      const paths = group.map(({ path }) => path);
      const found = await read(paths, from, to);
      if (from === 0 && found.length > 0) begun();
      for (const [i, column] of group.entries()) {
        const rows = found[i];
        // Another question may have indexed a column further meanwhile.
        if (rows && column.indexedRows === from && column.disabled === undefined) column.addRows(rows);
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  }
}

/** The columns with the fewest rows, and the next rows for them, up to where another column stands. */
function nextRows(pending: readonly Column[], size: number) {
  const from = Math.min(...pending.map(({ indexedRows }) => indexedRows));
  const others = pending.map(({ indexedRows }) => indexedRows).filter((indexedRows) => indexedRows > from);
  const group = pending.filter(({ indexedRows }) => indexedRows === from);
  return { group, from, to: Math.min(size, segmentEnd(from), ...others) };
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
