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

/**
 * What a problem of the whole file prevents: everything, as it is not our file any more; storing events, as
 * the disk is full; or nothing as long as each operation succeeds, as it is damaged. The worst is the first.
 */
const STOPS = ['all', 'events', 'nothing'] as const;
type Stops = (typeof STOPS)[number];

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
  /** A file may have one problem of each kind at once. Damage lasts until the file is opened again. */
  const troubles = new Map<Stops, Error>();
  let told: string | undefined;
  let triedAt = -Infinity;
  let fullAt = -Infinity;

  function tell(next: string | undefined): void {
    if (next === told) return;
    told = next;
    onTrouble?.(next);
  }

  /** All problems that there are; of a file that is not ours, nothing else matters. */
  function describe(): string | undefined {
    const errors = STOPS.flatMap((stops) => troubles.get(stops) ?? []);
    const shown = troubles.has('all') ? errors.slice(0, 1) : errors;
    return shown.length === 0 ? undefined : shown.map(({ message }) => message).join('; ');
  }

  function begin(stops: Stops, error: Error): void {
    troubles.set(stops, error);
    if (stops === 'events') fullAt = performance.now();
    tell(describe());
  }

  function end(stops: Stops): void {
    troubles.delete(stops);
    // New room is reported only when it has lasted, because the probe was small.
    if (stops !== 'events') tell(describe());
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
    if (stop !== undefined) begin('all', notOurs(stop));
    else if (troubles.has('all')) end('all');
    else if (troubles.has('events')) tryRoom();
    // Another process is erasing with the reserve, or the disk had no room for it from the start.
    else if (!reserve.isThere() && !reserve.make(2))
      begin('events', new Error(`the disk of ${file} has no room in reserve; ${UNTIL_ROOM}`));
    if (!troubles.has('events') && performance.now() - fullAt > LASTING_MS) tell(describe());
  }

  function tryRoom(): void {
    if (performance.now() - triedAt < TRIAL_MS) return;
    if (reserve.make(2) && hasRoom(file)) end('events');
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
    const stops = stopsOf(error);
    if (stops !== undefined && !troubles.has('all') && !troubles.has(stops)) {
      const { message } = explained as Error;
      begin(
        stops,
        stops === 'events' ? new Error(`${message}; ${UNTIL_ROOM}`, { cause: error }) : (explained as Error),
      );
    }
    return isTold(error) ? Object.assign(explained as Error, { told: true }) : explained;
  }

  /** Whether `onTrouble` has already reported an error. */
  function isTold(error: unknown): boolean {
    if (onTrouble === undefined || !(error instanceof Error)) return false;
    if (isNotOurs(error)) return troubles.size > 0;
    const stops = stopsOf(error);
    return stops !== undefined && (troubles.has('all') || troubles.has(stops));
  }

  const refuse = (error: Error) => unavailable(error, 1, onTrouble !== undefined);
  function refuseIf(...stops: readonly Stops[]): void {
    const error = stops.flatMap((each) => troubles.get(each) ?? [])[0];
    if (error !== undefined) throw refuse(error);
  }

  const check = () => refuseIf('all');

  /** Looks at its length too, in a transaction: an error may be heard while there is one. */
  function lookWhole(): void {
    missing = guarded(countMissing) ?? missing;
    look();
  }

  const timer = setInterval(lookWhole, LOOK_MS).unref();
  return {
    check,
    checkRoom: () => {
      if (troubles.has('events')) tryRoom();
      refuseIf('events');
    },
    ready: () => {
      lookWhole();
      refuseIf(...STOPS);
    },
    checkSchema: () => {
      if (guarded(newer) !== undefined) look();
      check();
    },
    hear,
    stop: () => clearInterval(timer),
  };
}

/** What an error of the engine says of the whole file; undefined if nothing. */
function stopsOf(error: unknown): Stops | undefined {
  if (isFull(error)) return 'events';
  return resultOf(error) === 'SQLITE_CORRUPT' ? 'nothing' : undefined;
}
