import { createLiveRows, type ChosenRows, type Pacer, type LiveRows } from '../../src/store-kit.ts';
import type { MemoryLog } from './event-log.ts';

/** How many rows are copied before the copy yields. */
const STEP_ROWS = 512;

/** How a log is replaced by another. */
export interface Replacing {
  readonly create: (liveRows: LiveRows) => MemoryLog;
  /** Puts the new log in place; false when another log was there already. */
  readonly replace: (after: MemoryLog) => boolean;
}

/**
 * Copies the events that stay into a new log and replaces the old log by it; false when the old log was
 * replaced meanwhile. Events that arrive during the copy are copied too: nothing is awaited between the last
 * look at the old log and the replacement. The copy frees the memory of erased events; the texts of the
 * others are shared, not copied.
 */
export async function copyWithout(
  { log: before, rows, sequences }: ChosenRows,
  { create, replace }: Replacing,
  pacer: Pacer,
): Promise<boolean> {
  const liveRows = before.liveRows?.();
  const after = create(createLiveRows(liveRows?.log ?? before.id, sequences, liveRows));
  let next = 0;
  for (let from = 0; from < before.size(); await pacer.yieldIfDue()) {
    const step: number[] = [];
    for (const end = Math.min(before.size(), from + STEP_ROWS); from < end; from++) {
      if (from === rows[next]) next += 1;
      else step.push(from);
    }
    for (let copied = 0; copied < step.length;) {
      const events = before.events(step.slice(copied));
      after.append(events);
      copied += events.length;
    }
  }
  return replace(after);
}
