import { constants, setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import type { SqliteDatabase } from '../file/database.ts';
import { findDisplaced } from '../file/identity.ts';
import { openFile } from '../file/schema.ts';
import { notOurs } from '../file/trouble.ts';
import { createGroupWriter, type Task } from './group.ts';
import { toPlain, type WriterMessage, type Report, type ThreadSettings } from './protocol.ts';

/** The exports of a driver's module: the default for better-sqlite3, a named class for node:sqlite. */
interface DriverModule {
  readonly default?: new (file: string) => SqliteDatabase;
  readonly DatabaseSync?: new (file: string) => SqliteDatabase;
}

/** Lowers the priority of this thread, so that others run first if processors are short. */
function giveWay(): void {
  // Linux has a priority for each thread; elsewhere this would change that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The lower priority is optional, and some sandboxes refuse it.
  }
}

/**
 * The writing thread. It takes all waiting tasks, writes a group of them, sends the results, and starts over.
 * An error that belongs to no task ends the thread, and the other side reports it to all that wait.
 */
async function serve(port: MessagePort, settings: ThreadSettings): Promise<void> {
  if (settings.isIdle === true) giveWay();
  const module = (await import(settings.driver)) as DriverModule;
  const Driver = module.DatabaseSync ?? module.default;
  if (Driver === undefined) throw new Error(`${settings.driver} is no driver of SQLite`);
  const database = new Driver(settings.file);
  openFile(database, settings.busyTimeoutMs, 'keep');
  // Another file may have replaced the one that the stores have open.
  if (settings.identity !== undefined && findDisplaced(settings.identity) !== undefined)
    throw notOurs('The file is not in its place any more.');
  const writer = createGroupWriter(database, settings);
  const send = (report: Report) => port.postMessage(report);
  const waiting: Task[] = [];
  let closing = false;

  function take(order: WriterMessage): void {
    if (order === 'close') closing = true;
    else for (const task of order) waiting.push(task);
  }

  port.on('message', (first: WriterMessage) => {
    take(first);
    do {
      let more: { message: WriterMessage } | undefined;
      while ((more = receiveMessageOnPort(port) as typeof more) !== undefined) take(more.message);
      if (waiting.length > 0) send(writer.writeNext(waiting).map(toPlain));
    } while (waiting.length > 0);
    if (!closing) return;
    database.close();
    port.close();
  });
  send('ready');
}

// Outside a thread, for instance when a test imports the package's entry points, there is nothing to do.
if (parentPort !== null) void serve(parentPort, workerData as ThreadSettings);
