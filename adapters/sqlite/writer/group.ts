import { transact, type SqliteDatabase, type Synchronous } from '../file/database.ts';
import {
  OPERATION_RULES,
  prepareOperations,
  type OperationOptions,
  type Operations,
} from '../writes/operations.ts';
import { prepareOpenLogs } from '../writes/open-logs.ts';
import { watchPlace } from '../file/identity.ts';
import { findNewer } from '../file/schema.ts';
import { notOurs } from '../file/trouble.ts';

/** An operation that waits to be written, as plain data. */
export interface Task {
  readonly name: keyof Operations;
  readonly args: readonly unknown[];
  /** The approximate number of rows that it writes, and of bytes in its arguments. */
  readonly rows: number;
  readonly bytes: number;
}

/** The result of a task: its return value once it is committed, or why it is not stored. */
export type TaskResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * In a larger group the first task would wait for the last; a task that is larger by itself is written alone.
 */
const GROUP_ROWS_MAX = 4096;
const GROUP_BYTES_MAX = 8_388_608;

/** Writes waiting tasks. */
export interface GroupWriter {
  /** Writes the first group of the tasks and removes it from the list; returns their results, in order. */
  writeNext(tasks: Task[]): TaskResult[];
}

/**
 * Creates the writer of groups. Waiting tasks share one transaction, and thus one disk sync. Each task has
 * its own savepoint, so that its failure does not affect others, and none is reported as stored before the
 * commit.
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

  /** Runs work in a transaction, unless another process has migrated the file to a newer schema. */
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
   * Commits to a file that was moved or replaced are lost: none of them is reported as stored. This check
   * follows the commit, so that the file was in place for everything that is reported as stored.
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
      // This throws if the engine has rolled back the whole transaction, as it may when the disk is full.
      logs.forget();
      rollBack.run();
      result = { error };
    }
    release.run();
    return result;
  }

  /**
   * Writes each task in its own transaction; once the lock is unavailable, it is unavailable for the others
   * too.
   */
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
      // If the group as a whole cannot be stored, some of its tasks may be: each gets its own result.
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

/** Changes a connection's settings for its next commit if they differ from those of the last one. */
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
