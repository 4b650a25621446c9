import type { CacheEntry } from '../../bounds/memory-budget.ts';
import { overloaded } from '../../base/errors.ts';
import type { DerivedPart } from '../log/index-up-to.ts';
import { LogGoneError, readRows, type EventLog } from '../log/log.ts';
import { createPropertyTable, type PropertyTable } from './property-table.ts';

/**
 * The properties of the first `indexedRows` rows of a log. Later steps read new rows only. Once it is broken,
 * it throws `overloaded()` to all questions that still use it.
 */
export interface KnownProperties extends DerivedPart, Pick<PropertyTable, 'answer'> {
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
  /** The version of the log whose events it has counted. */
  readonly version: number;
  /** Whether it ran out of memory on the way, so that a new one has to begin from the first row. */
  readonly isBroken: boolean;
}

/** How many events one step reads, at most. */
const STEP_ROWS = 256;

/** Begins without properties. Each step reads some events of the log. */
export function createKnownProperties(log: EventLog, entry: CacheEntry): KnownProperties {
  const table = createPropertyTable(entry);
  const { version } = log;
  let indexedRows = 0;
  let isBroken = false;
  return {
    entry,
    version,
    get indexedRows() {
      return indexedRows;
    },
    get isBroken() {
      return isBroken;
    },
    indexStep(to) {
      if (isBroken) throw overloaded();
      if (log.version !== version) throw new LogGoneError('Events were erased that are counted already.');
      const { events, end } = readRows(log, indexedRows, Math.min(to, indexedRows + STEP_ROWS));
      // Events that are half counted must not be counted again.
      isBroken = true;
      for (const event of events) table.add(event);
      isBroken = false;
      indexedRows = end;
    },
    answer(event) {
      if (isBroken) throw overloaded();
      return table.answer(event);
    },
  };
}
