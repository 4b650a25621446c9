import type { EventLog } from './log.ts';

/** A log as it is now, for parts of the index that outlive its versions. */
export interface CurrentLog extends EventLog {
  /** Takes the next version of the log. */
  adopt(next: EventLog): void;
}

/** Reads a log through its latest version. */
export function createCurrentLog(first: EventLog): CurrentLog {
  let log = first;
  return {
    id: first.id,
    get version() {
      return log.version;
    },
    get chunks() {
      return log.chunks;
    },
    size: () => log.size(),
    erased: () => log.erased(),
    values: (paths, from, to) => log.values(paths, from, to),
    valuesAt: (paths, rows) => log.valuesAt(paths, rows),
    insertIdAt: (row) => log.insertIdAt(row),
    events: (rows) => log.events(rows),
    bytesOf: (rows) => log.bytesOf(rows),
    adopt: (next) => void (log = next),
  };
}
