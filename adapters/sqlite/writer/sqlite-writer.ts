import { constants, setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import type { SqliteDatabase } from '../database.ts';
import { findDisplaced } from '../file-identity.ts';
import { openFile } from '../schema.ts';
import { notOurs } from '../trouble.ts';
import { createGroupWriter, type Task } from './group.ts';
import { toPlain, type WriterMessage, type Report, type ThreadSettings } from './protocol.ts';

/** What a driver's module gives: better-sqlite3 by default, node:sqlite by name. */
interface DriverModule {
  readonly default?: new (file: string) => SqliteDatabase;
  readonly DatabaseSync?: new (file: string) => SqliteDatabase;
}

/** Lets all others come first where processors are short. */
function giveWay(): void {
  // Linux has a priority for each thread; elsewhere it would be that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is a courtesy, which some sandboxes refuse.
  }
}

/**
 * The writing thread. It takes all that waits, writes a group of it, sends what became of it, and begins
 * again. An error that is nobody's ends the thread, and the other side says so to whoever waits.
 */
async function serve(port: MessagePort, settings: ThreadSettings): Promise<void> {
  if (settings.isIdle === true) giveWay();
  const module = (await import(settings.driver)) as DriverModule;
  const Driver = module.DatabaseSync ?? module.default;
  if (Driver === undefined) throw new Error(`${settings.driver} is no driver of SQLite`);
  const database = new Driver(settings.file);
  openFile(database, settings.busyTimeoutMs, 'keep');
  // Another file may have taken the place of the one that the stores have open.
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

// Outside of a thread, where a package's entry points are tried for instance, there is nothing to do.
if (parentPort !== null) void serve(parentPort, workerData as ThreadSettings);
