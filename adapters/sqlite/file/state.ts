import { unavailable } from '../../../src/index.ts';
import type { SqliteDatabase } from './database.ts';
import { findDisplaced, type FileIdentity } from './identity.ts';
import { watchLength } from './length.ts';
import { hasRoom, type Reserve } from './reserve.ts';
import { findNewer } from './schema.ts';
import { explain, isFull, isNotOurs, notOurs, resultOf, WHEN_DAMAGED } from './trouble.ts';

/** How often the file is checked. */
const LOOK_MS = 1000;

/** How long a full disk is not probed again. */
const TRIAL_MS = 200;

/** How long there has to be room before it is reported. */
const LASTING_MS = 5000;

/** The consequences of a full disk, worded for users. */
const UNTIL_ROOM = 'until there is room no events are taken, and limits are counted in memory';

/** A problem that affects the whole file. */
interface Trouble {
  readonly error: Error;
  /** What it prevents: everything, storing events, or nothing as long as each operation succeeds. */
  readonly stops: 'all' | 'events' | 'nothing';
}

/** Tracks problems of the whole file, and reports each once when it begins and when it ends. */
export interface FileState {
  /** Throws `unavailable` if nothing can be answered: the file is gone, or its schema is newer. */
  check(): void;
  /** Throws `unavailable` if no events are accepted, since the disk is full. */
  checkRoom(): void;
  /** Checks the file now. Throws `unavailable` if there is any problem. */
  ready(): void;
  /** Checks for a newer schema, since another process has written. Throws `unavailable` if there is one. */
  checkSchema(): void;
  /** Records an error of the engine; returns it with a message that names the file and what to do. */
  hear(error: unknown): unknown;
  stop(): void;
}

export interface FileStateOptions {
  readonly identity: FileIdentity;
  readonly reserve: Reserve;
  /** Receives a sentence that describes the file's current problem; undefined once there is none. */
  readonly onTrouble?: ((trouble: string | undefined) => void) | undefined;
}

/** Checks the file of a connection once a second and on request. */
export function createFileState(
  database: SqliteDatabase,
  { identity, reserve, onTrouble }: FileStateOptions,
): FileState {
  const { file } = identity;
  const newer = findNewer(database);
  const countMissing = watchLength(database, identity);
  let missing = 0;
  let trouble: Trouble | undefined;
  let told: string | undefined;
  let triedAt = -Infinity;
  let fullAt = -Infinity;

  function tell(next: string | undefined): void {
    if (next === told) return;
    told = next;
    onTrouble?.(next);
  }

  function set(next: Trouble | undefined): void {
    // New room is reported only when it has lasted, because the probe was small.
    const isEarly = next === undefined && trouble?.stops === 'events';
    trouble = next;
    if (next?.stops === 'events') fullAt = performance.now();
    if (!isEarly) tell(next?.error.message);
  }

  /** The problem that prevents every answer. */
  function findStop(): string | undefined {
    const displaced = findDisplaced(identity);
    if (displaced === 'gone')
      return `${file} or its -wal is not in its place any more: put it back before you restart`;
    if (displaced === 'replaced') return `${file} was replaced by another file: restart to serve that one`;
    const version = newer();
    if (version !== undefined)
      return `${file} has schema ${version} of a newer event-query now: restart with that version`;
    if (missing === 0) return undefined;
    return `${file} or its -wal was truncated, and at least ${missing} pages are lost: ${WHEN_DAMAGED}`;
  }

  function look(): void {
    const stop = guarded(findStop);
    if (stop !== undefined) set({ error: notOurs(stop), stops: 'all' });
    else if (trouble?.stops === 'all') set(undefined);
    else if (trouble?.stops === 'events') tryRoom();
    // Another process is erasing with the reserve, or the disk had no room for it from the start.
    else if (!reserve.isThere() && !reserve.make(2))
      set({ error: new Error(`the disk of ${file} has no room in reserve; ${UNTIL_ROOM}`), stops: 'events' });
    if (trouble === undefined && performance.now() - fullAt > LASTING_MS) tell(undefined);
  }

  function tryRoom(): void {
    if (performance.now() - triedAt < TRIAL_MS) return;
    if (reserve.make(2) && hasRoom(file)) set(undefined);
    else triedAt = performance.now();
  }

  /** An error of the check itself adds nothing to those that other calls report. */
  function guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      hear(error);
      return undefined;
    }
  }

  function hear(error: unknown): unknown {
    const explained = explain(error, file);
    if (isNotOurs(error)) look();
    else if (isFull(error)) {
      const words = `${(explained as Error).message}; ${UNTIL_ROOM}`;
      if (trouble === undefined || trouble.stops === 'nothing')
        set({ error: new Error(words, { cause: error }), stops: 'events' });
    } else if (trouble === undefined && resultOf(error) === 'SQLITE_CORRUPT')
      set({ error: explained as Error, stops: 'nothing' });
    return isTold(error) ? Object.assign(explained as Error, { told: true }) : explained;
  }

  /** Whether `onTrouble` has already reported an error. */
  function isTold(error: unknown): boolean {
    if (onTrouble === undefined || trouble === undefined || !(error instanceof Error)) return false;
    return isNotOurs(error) || isFull(error) || resultOf(error) === 'SQLITE_CORRUPT';
  }

  const refuse = ({ error }: Trouble) => unavailable(error, 1, onTrouble !== undefined);
  function check(): void {
    if (trouble?.stops === 'all') throw refuse(trouble);
  }

  /** Looks at its length too, in a transaction: an error may be heard while there is one. */
  function lookWhole(): void {
    missing = guarded(countMissing) ?? missing;
    look();
  }

  const timer = setInterval(lookWhole, LOOK_MS).unref();
  return {
    check,
    checkRoom: () => {
      if (trouble?.stops === 'events') tryRoom();
      if (trouble?.stops === 'events') throw refuse(trouble);
    },
    ready: () => {
      lookWhole();
      if (trouble !== undefined) throw refuse(trouble);
    },
    checkSchema: () => {
      if (guarded(newer) !== undefined) look();
      check();
    },
    hear,
    stop: () => clearInterval(timer),
  };
}
