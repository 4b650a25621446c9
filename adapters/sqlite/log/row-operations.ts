import { createAheadReader, type EventLog, type HashSeed, type Path } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { createFileWatch } from '../file/watch.ts';
import { prepareLogs, type LogOpener } from './event-log.ts';
import type { LogName } from './log-name.ts';
import { createRecentEvents } from './recent-events.ts';

/** Prepares the reading of rows for another thread, by name; arguments and results are plain data. */
export function prepareRowOperations(database: SqliteDatabase) {
  let openLog: LogOpener | undefined;
  let log: EventLog | undefined;
  const reader = createAheadReader([...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed);

  function open(name: LogName): EventLog {
    // A thread that only writes prepares none of this.
    openLog ??= prepareLogs(database, { watch: createFileWatch(database), recent: createRecentEvents(0) });
    // The log of the last call knows what its events take.
    const isSame = log?.id === name.number && log.version === name.version;
    return (log = log !== undefined && isSame ? log : openLog(name));
  }

  return {
    /** As `EventLog.valuesAhead`. */
    codeRows: (name: LogName, paths: readonly Path[], from: number, to: number) =>
      reader.values(open(name), paths, from, to),
    /** As `EventLog.sortedAhead`. */
    sortRows: (name: LogName, from: number, to: number) => reader.sorted(open(name), from, to),
  };
}

/** What another thread may be asked to read. */
export type RowOperations = ReturnType<typeof prepareRowOperations>;
