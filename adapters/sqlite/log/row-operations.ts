import {
  createKeyedHash,
  createRowCoder,
  readSortedChunk,
  type CodedRows,
  type EventLog,
  type Path,
} from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import { createFileWatch } from '../file-watch.ts';
import { prepareLogs, type OpenLog } from './event-log.ts';
import { toEditionId, type LogName } from './log-name.ts';
import { createRecentEvents } from './recent-events.ts';

/** How much is read at once: values that come again are sent once, so few large answers take less to take in. */
const STEPS = 4;

/** Prepares the reading of rows for another thread, by name; arguments and results are plain data. */
export function prepareRowOperations(database: SqliteDatabase) {
  let openLog: OpenLog | undefined;
  let log: EventLog | undefined;
  const [low, high] = crypto.getRandomValues(new Uint32Array(2));
  const hash = createKeyedHash([low!, high!]);

  function open(name: LogName): EventLog {
    // A thread that only writes prepares none of this.
    openLog ??= prepareLogs(database, { watch: createFileWatch(database), recent: createRecentEvents(0) });
    // The log of the last call knows what its events take.
    return (log = log?.id === toEditionId(name) ? log : openLog(name));
  }

  function codeRows(name: LogName, paths: readonly Path[], from: number, to: number): readonly CodedRows[] {
    const log = open(name);
    const coders = paths.map(() => createRowCoder(hash));
    for (let [row, step] = [from, 0]; row < to && step < STEPS; step++) {
      const lists = log.values(paths, row, to);
      lists.forEach((values, path) => coders[path]!.add(values));
      row += lists[0]!.length;
    }
    return coders.map((coder) => coder.rows());
  }

  return {
    /** As `EventLog.valuesAhead`. */
    codeRows,
    /** As `EventLog.sortedAhead`. */
    sortRows: (name: LogName, from: number, to: number) => readSortedChunk(open(name), from, to),
  };
}

/** What another thread may be asked to read. */
export type RowOperations = ReturnType<typeof prepareRowOperations>;
