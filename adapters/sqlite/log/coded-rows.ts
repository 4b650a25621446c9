import {
  codeRows,
  createKeyedHash,
  type CodedRows,
  type EventLog,
  type FoundValue,
  type Path,
} from '../../../src/index.ts';
import type { SqliteDatabase } from '../database.ts';
import { createFileWatch } from '../file-watch.ts';
import { prepareLogs, type OpenLog } from './event-log.ts';
import { toEditionId, type LogName } from './log-name.ts';
import { createRecentEvents } from './recent-events.ts';

/** How much is read at once: values that come again are sent once, so few large answers take less to take in. */
const STEPS = 4;

/** Prepares the reading of rows for another thread, which is sent what paths find with codes. */
export function prepareCodedRows(database: SqliteDatabase) {
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

  return (name: LogName, paths: readonly Path[], from: number, to: number): readonly CodedRows[] => {
    const log = open(name);
    const steps: (readonly (readonly FoundValue[])[])[] = [];
    for (let row = from; row < to && steps.length < STEPS; row += steps.at(-1)![0]!.length)
      steps.push(log.values(paths, row, to));
    return paths.map((_, path) =>
      codeRows(
        steps.map((step) => step[path]!),
        hash,
      ),
    );
  };
}
