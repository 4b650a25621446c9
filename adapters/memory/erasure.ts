import { createSurvivors, type ChosenRows, type Pacer, type Survivors } from '../../src/store-kit.ts';
import type { MemoryLog } from './event-log.ts';

/** How many rows are copied between two pauses. */
const STEP_ROWS = 512;

/** How a log comes to stand in the place of another. */
export interface Replacing {
  readonly create: (survivors: Survivors) => MemoryLog;
  /** Whether it stands there now. */
  readonly replace: (after: MemoryLog) => boolean;
}

/**
 * Copies the events that stay into a log of their own, and replaces the old one by it; whether it did.
 * What arrives meanwhile is copied too: from the last look at the old log on nothing is waited for. To move
 * what stays gives the memory back; the texts themselves are not copied.
 */
export async function copyWithout(
  { log: before, rows, arrivals }: ChosenRows,
  { create, replace }: Replacing,
  pacer: Pacer,
): Promise<boolean> {
  const survivors = before.survivors?.();
  const after = create(createSurvivors(survivors?.log ?? before.id, arrivals, survivors));
  let next = 0;
  for (let from = 0; from < before.size(); await pacer.pause()) {
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
