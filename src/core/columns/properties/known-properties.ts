import type { CacheEntry } from '../../bounds/memory-budget.ts';
import { overloaded } from '../../base/errors.ts';
import type { DerivedPart } from '../log/cover.ts';
import { readRows, type EventLog } from '../log/log.ts';
import { createPropertyTable, type PropertyTable } from './property-table.ts';

/**
 * The properties of the first `covered` rows of a log, extended by the new rows only. Once broken, it throws
 * `overloaded()` to whoever still has it.
 */
export interface KnownProperties extends DerivedPart, Pick<PropertyTable, 'answer'> {
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /** Whether it found no room on the way, so that it has to begin anew. */
  readonly isBroken: boolean;
}

/** How many events are taken in by one step, at most. */
const STEP_ROWS = 256;

/** Knows nothing yet, and reads the log when it is extended. */
export function createKnownProperties(log: EventLog, entry: CacheEntry): KnownProperties {
  const table = createPropertyTable(entry);
  let covered = 0;
  let isBroken = false;
  return {
    entry,
    get covered() {
      return covered;
    },
    get isBroken() {
      return isBroken;
    },
    extend(to) {
      if (isBroken) throw overloaded();
      for (const event of readRows(log, covered, Math.min(to, covered + STEP_ROWS))) {
        // An event that is half counted must not be counted again.
        isBroken = true;
        table.add(event);
        isBroken = false;
        covered += 1;
      }
    },
    answer(event) {
      if (isBroken) throw overloaded();
      return table.answer(event);
    },
  };
}
