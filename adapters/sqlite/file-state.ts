import { unavailable } from '../../src/index.ts';
import type { SqliteDatabase } from './database.ts';
import { findDisplaced, type FileIdentity } from './file-identity.ts';
import { hasRoom, type Reserve } from './reserve.ts';
import { findNewer } from './schema.ts';
import { explain, isFull, isNotOurs, notOurs, resultOf } from './trouble.ts';

/** How often the file is looked at. */
const LOOK_MS = 1000;

/** How long a disk that was tried and is full is not tried again. */
const TRIAL_MS = 200;

/** How long there has to be room before it is told. */
const LASTING_MS = 5000;

/** What a full disk means for who sends and who asks. */
const UNTIL_ROOM = 'until there is room no events are taken, and limits are counted in memory';

/** What is wrong with the whole file. */
interface Trouble {
  readonly error: Error;
  /** What it stops: everything, what brings events, or nothing as long as it can be done. */
  readonly stops: 'all' | 'events' | 'nothing';
}

/** Knows what is wrong with the file as a whole, and tells once when that begins and when it ends. */
export interface FileState {
  /** Throws `unavailable` where nothing can be answered: the file is away, or of a newer schema. */
  check(): void;
  /** Throws `unavailable` where no events are taken now, since the disk is full. */
  checkRoom(): void;
  /** Looks at the file now. Throws `unavailable` where anything is wrong with it. */
  ready(): void;
  /** Looks whether the file has a newer schema, since another has written. Throws `unavailable` where so. */
  checkSchema(): void;
  /** Takes note of an error of the engine; the same error in words that name the file and what to do. */
  hear(error: unknown): unknown;
  stop(): void;
}

export interface FileStateOptions {
  readonly identity: FileIdentity;
  readonly reserve: Reserve;
  /** Is told in a sentence what is wrong with the file now; undefined when nothing is any more. */
  readonly onTrouble?: ((trouble: string | undefined) => void) | undefined;
}

/** Watches over the file of a connection, once a second and whenever it is asked. */
export function createFileState(
  database: SqliteDatabase,
  { identity, reserve, onTrouble }: FileStateOptions,
): FileState {
  const { file } = identity;
  const newer = findNewer(database);
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
    // That there is room again is told when it has lasted: what was tried was little.
    const isEarly = next === undefined && trouble?.stops === 'events';
    trouble = next;
    if (next?.stops === 'events') fullAt = performance.now();
    if (!isEarly) tell(next?.error.message);
  }

  /** What keeps anything from being answered. */
  function findStop(): string | undefined {
    const displaced = findDisplaced(identity);
    if (displaced === 'gone')
      return `${file} or its -wal is not in its place any more: put it back, or restart`;
    if (displaced === 'replaced') return `${file} was replaced by another file: restart to serve that one`;
    const version = newer();
    if (version === undefined) return undefined;
    return `${file} has schema ${version} of a newer event-query now: restart with that version`;
  }

  function look(): void {
    const stop = guarded(findStop);
    if (stop !== undefined) set({ error: notOurs(stop), stops: 'all' });
    else if (trouble?.stops === 'all') set(undefined);
    else if (trouble?.stops === 'events') tryRoom();
    // Another process erases with it, or the disk has no room for it since the beginning.
    else if (!reserve.isThere() && !reserve.make(2))
      set({ error: new Error(`the disk of ${file} has no room in reserve; ${UNTIL_ROOM}`), stops: 'events' });
    if (trouble === undefined && performance.now() - fullAt > LASTING_MS) tell(undefined);
  }

  function tryRoom(): void {
    if (performance.now() - triedAt < TRIAL_MS) return;
    if (reserve.make(2) && hasRoom(file)) set(undefined);
    else triedAt = performance.now();
  }

  /** An error that comes while the file is looked at says nothing more than others do. */
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

  /** Whether the log has heard of an error by `onTrouble`. */
  function isTold(error: unknown): boolean {
    if (onTrouble === undefined || trouble === undefined || !(error instanceof Error)) return false;
    return isNotOurs(error) || isFull(error) || resultOf(error) === 'SQLITE_CORRUPT';
  }

  const refuse = ({ error }: Trouble) => unavailable(error, 1, onTrouble !== undefined);
  function check(): void {
    if (trouble?.stops === 'all') throw refuse(trouble);
  }

  const timer = setInterval(look, LOOK_MS).unref();
  return {
    check,
    checkRoom: () => {
      if (trouble?.stops === 'events') tryRoom();
      if (trouble?.stops === 'events') throw refuse(trouble);
    },
    ready: () => {
      look();
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
