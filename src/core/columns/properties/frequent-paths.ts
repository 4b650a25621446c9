import type { Pacer } from '../../bounds/scheduler.ts';
import { EVENT_NAME, parsePath, type Path } from '../../filter/path.ts';
import { JSON_TYPES, type Property } from '../../query/properties.ts';
import { isErased } from '../log/erased-rows.ts';
import { readSample, type EventLog } from '../log/log.ts';
import { createPropertyTable } from './property-table.ts';

/** How many events the sample has, and how many of them are read in a step. */
const SAMPLE_ROWS = 256;
const STEP_ROWS = 8;

/** A path is frequent if at least one of so many events has it. */
const FREQUENT_SHARE = 20;
const PATHS_MAX = 16;

/** The paths that all kinds of questions use. */
const ALWAYS: readonly Path[] = [EVENT_NAME, { root: 'userId', segments: [] }];

/** The paths that are frequent in a sample of events from the whole log, most frequent first. */
export async function findFrequentPaths(log: EventLog, size: number, pacer: Pacer): Promise<readonly Path[]> {
  const count = Math.min(size, SAMPLE_ROWS);
  const erased = log.erased();
  const rows = Array.from({ length: count }, (_, i) => Math.floor((i * size) / count)).filter(
    (row) => !isErased(erased, row),
  );
  const table = createPropertyTable();
  let seen = 0;
  for (let from = 0; from < rows.length; from += STEP_ROWS) {
    for (const event of readSample(log, rows.slice(from, from + STEP_ROWS))) {
      table.add(event);
      seen += 1;
      // An event may have a hundred thousand keys.
      await pacer.yieldIfDue();
    }
  }
  const frequent = table
    .answer(undefined)
    .properties.map((property) => ({ path: property.path, found: countFound(property) }))
    .filter(({ found }) => found > 0 && found * FREQUENT_SHARE >= seen)
    .sort((a, b) => b.found - a.found)
    .slice(0, PATHS_MAX);
  return [...ALWAYS, ...frequent.map(({ path }) => parsePath(path, 'path') as Path)];
}

/** How many events have a value at a path that a test can tell from other values. */
function countFound({ types }: Property): number {
  const testable = JSON_TYPES.filter((type) => type !== 'null' && type !== 'object');
  return testable.reduce((sum, type) => sum + (types[type] ?? 0), 0);
}
