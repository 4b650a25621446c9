import { transact, type SqliteDatabase, type Synchronous } from '../database.ts';
import {
  OPERATION_RULES,
  prepareOperations,
  type OperationOptions,
  type Operations,
} from '../writes/operations.ts';
import { prepareOpenLogs } from '../writes/open-logs.ts';
import { watchPlace } from '../file-identity.ts';
import { findNewer } from '../schema.ts';
import { notOurs } from '../trouble.ts';

/** One operation that waits to be written, as plain data. */
export interface Task {
  readonly name: keyof Operations;
  readonly args: readonly unknown[];
  /** About how many rows it writes, and how many bytes its arguments take. */
  readonly rows: number;
  readonly bytes: number;
}

/** What became of a task: what it returns once it is committed, or why it is not stored. */
export type TaskResult = { readonly value: unknown } | { readonly error: unknown };

/** A larger group lets the first of it wait for the last; a task that is larger by itself goes alone. */
const GROUP_ROWS_MAX = 4096;
const GROUP_BYTES_MAX = 8_388_608;

/** Writes the tasks that wait. */
export interface GroupWriter {
  /** Writes the first group of the tasks, and takes them off the list: what became of each, in order. */
  writeNext(tasks: Task[]): TaskResult[];
}

/**
 * Makes the one that writes to a file. Tasks that wait share one transaction, and so one sync of the disk.
 * Each has a savepoint of its own, so that one that fails takes nobody with it, and none is told to be
 * stored before the commit.
 */
export function createGroupWriter(database: SqliteDatabase, options: OperationOptions): GroupWriter {
  const logs = prepareOpenLogs(database);
  const operations = prepareOperations(database, logs, options) as Readonly<
    Record<keyof Operations, (...args: readonly unknown[]) => unknown>
  >;
  const savepoint = database.prepare('SAVEPOINT task');
  const release = database.prepare('RELEASE task');
  const rollBack = database.prepare('ROLLBACK TO task');
  const setMode = createModes(database, options.busyTimeoutMs);
  const askVersion = database.prepare('PRAGMA data_version');
  const newer = findNewer(database);
  const findDisplaced = options.identity && watchPlace(options.identity);
  let versionSeen: number | undefined;

  /** Runs work in a transaction, unless another process has brought the file to a newer schema since. */
  function transactOwn<T>(work: () => T): T {
    return transact(database, () => {
      const { data_version: version } = askVersion.get() as { data_version: number };
      if (version !== versionSeen && newer() !== undefined) throw notOurs('The file has a newer schema.');
      if (version !== versionSeen) logs.forget();
      versionSeen = version;
      return work();
    });
  }

  /**
   * What is committed to a file that is not in its place any more is lost: none of it is told to be stored.
   * Looked at behind the commit, so that whatever is told to be stored was in its place then.
   */
  function judge(outcomes: TaskResult[]): TaskResult[] {
    if (findDisplaced?.() === undefined) return outcomes;
    return outcomes.map(() => ({ error: notOurs('The file is not in its place any more.') }));
  }

  const apply = ({ name, args }: Task): TaskResult => ({ value: operations[name](...args) });

  function applyInSavepoint(task: Task): TaskResult {
    savepoint.run();
    let result: TaskResult;
    try {
      result = apply(task);
    } catch (error) {
      // This throws where the engine has rolled the whole transaction back, as it may when the disk is full.
      logs.forget();
      rollBack.run();
      result = { error };
    }
    release.run();
    return result;
  }

  /** Each in a transaction of its own; once there is no lock to be had there is none for the others. */
  function writeEach(tasks: readonly Task[]): TaskResult[] {
    let refused: TaskResult | undefined;
    return tasks.map((task) => {
      if (refused !== undefined) return refused;
      let began = false as boolean;
      try {
        return transactOwn(() => {
          began = true;
          return apply(task);
        });
      } catch (error) {
        logs.forget();
        if (!began) refused = { error };
        return { error };
      }
    });
  }

  function write(tasks: readonly Task[]): TaskResult[] {
    if (tasks.length === 1) return writeEach(tasks);
    let began = false as boolean;
    try {
      return transactOwn(() => {
        began = true;
        return tasks.map(applyInSavepoint);
      });
    } catch (error) {
      logs.forget();
      // Where the group as a whole cannot be stored, some of it may: each is told what became of itself.
      return began ? writeEach(tasks) : tasks.map(() => ({ error }));
    }
  }

  return {
    writeNext(tasks) {
      const group = tasks.splice(0, countOfGroup(tasks));
      const rules = group.map(({ name }) => OPERATION_RULES[name]);
      try {
        const isDurable = rules.some(({ durable }) => durable);
        setMode(
          isDurable ? 'FULL' : 'NORMAL',
          rules.some(({ waits }) => waits),
        );
        if (rules[0]?.outside === true) return group.map(apply);
        const outcomes = write(group);
        return isDurable ? judge(outcomes) : outcomes;
      } catch (error) {
        return group.map(() => ({ error }));
      }
    },
  };
}

function countOfGroup(tasks: readonly Task[]): number {
  let [rows, bytes] = [0, 0];
  for (let i = 0; i < tasks.length; i++) {
    const task = tasks[i]!;
    rows += task.rows;
    bytes += task.bytes;
    const goesAlone = OPERATION_RULES[task.name].outside;
    if (goesAlone || rows > GROUP_ROWS_MAX || bytes > GROUP_BYTES_MAX) return Math.max(1, i);
  }
  return tasks.length;
}

/** Sets what a connection does at its next commit, where that is something else than at the last. */
function createModes(database: SqliteDatabase, busyTimeoutMs: number) {
  let synchronousNow: Synchronous | undefined;
  let waitMsNow: number | undefined;
  return (synchronous: Synchronous, waits: boolean): void => {
    const waitMs = waits ? Math.trunc(busyTimeoutMs) : 0;
    if (synchronous !== synchronousNow) database.exec(`PRAGMA synchronous = ${synchronous}`);
    synchronousNow = synchronous;
    if (waitMs !== waitMsNow) database.exec(`PRAGMA busy_timeout = ${waitMs}`);
    waitMsNow = waitMs;
  };
}
