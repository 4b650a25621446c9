import {
  createColumnIndex,
  createLedger,
  createScheduler,
  type EventStore,
  type HashSeed,
  type Ledger,
  type Pacer,
  type Scheduler,
} from '../../src/index.ts';
import { prepareAppend } from './log/append.ts';
import { prepareChunks } from './log/chunks.ts';
import { guard, prepareEmptyLog, promised, transact, type Connections } from './database.ts';
import { prepareLogs } from './log/event-log.ts';
import type { FileWatch } from './file-watch.ts';
import { createRecentEvents } from './log/recent-events.ts';
import { createSweeper } from './log/sweeper.ts';

/** How many names are read at once: they are at most 256 characters long. */
const NAMES_STEP = 1024;

export interface SqliteEventOptions {
  readonly ledger?: Ledger | undefined;
  readonly scheduler?: Scheduler | undefined;
  readonly distinctMax?: number | undefined;
  readonly columnDiskBytesMax?: number | undefined;
}

/** The event store, and how to stop what it does in the background. */
export interface SqliteEvents extends EventStore {
  stop(): void;
}

/** What the events that were read lately may take, for pages that are asked for over and over. */
const RECENT_BYTES_MAX = 33_554_432;

const LEDGER_BYTES = 536_870_912;

/** Resolves when the event loop has taken in what came meanwhile. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Events in a SQLite file, answered from columns. */
export function sqliteEventStore(
  { durable, quick, cache }: Connections,
  watch: FileWatch,
  options: SqliteEventOptions,
): SqliteEvents {
  const { ledger = createLedger({ bytesMax: LEDGER_BYTES }) } = options;
  const { scheduler = createScheduler({ now: () => performance.now(), nextTurn }) } = options;
  const selectLog = durable.prepare('SELECT number FROM logs WHERE tenant_id = ?');
  const detachLog = durable.prepare('UPDATE logs SET tenant_id = NULL WHERE tenant_id = ?');
  const insertDropped = durable.prepare('INSERT OR IGNORE INTO dropped_tenants (id) VALUES (?)');
  const selectNames = durable.prepare(
    `SELECT name FROM event_names WHERE log = ? AND name > ? ORDER BY name LIMIT ${NAMES_STEP}`,
  );
  // It is booked as a whole, and for good: where there is no room for it, nothing is kept.
  const recentBytes = ledger.account('sqlite').book(RECENT_BYTES_MAX) ? RECENT_BYTES_MAX : 0;
  const findLog = watch.remember((tenantId) => selectLog.get(tenantId) as { number: number } | undefined);
  const openLog = prepareLogs(durable, {
    watch,
    chunksOf: prepareChunks(cache, options.columnDiskBytesMax),
    recent: createRecentEvents(recentBytes),
  });
  const append = prepareAppend(durable);
  const emptyLog = prepareEmptyLog(cache);
  const sweeper = createSweeper(quick);
  const index = createColumnIndex({
    open: (tenantId) => {
      const log = guard(() => findLog(tenantId));
      return log && openLog(log.number);
    },
    ledger,
    scheduler,
    seed: [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed,
    distinctMax: options.distinctMax,
  });
  const write = <T>(work: () => T) => promised(() => watch.writing(() => transact(durable, work)));
  const sweep = (owner: string) => scheduler.run(owner, undefined, (pacer) => sweeper.sweep(pacer));
  // A process that ended while it erased leaves events of a log without a tenant behind.
  void sweep('');

  /** From the commit on the events are gone for everybody; removing them takes its time. */
  async function leave(tenantId: string, detach: () => void): Promise<void> {
    await write(detach);
    index.forget(tenantId);
    await sweep(tenantId);
    emptyLog();
  }

  async function listNames(tenantId: string, pacer: Pacer): Promise<string[]> {
    const log = guard(() => findLog(tenantId));
    const names: string[] = [];
    if (log === undefined) return names;
    for (;;) {
      const rows = guard(() => selectNames.all(log.number, names.at(-1) ?? '')) as { name: string }[];
      for (const { name } of rows) names.push(name);
      if (rows.length < NAMES_STEP) return names;
      await pacer.pause();
    }
  }

  return {
    query: index.query,
    count: index.count,
    eventNames: (tenantId, signal) => scheduler.run(tenantId, signal, (pacer) => listNames(tenantId, pacer)),
    append: (tenantId, events, limits) => write(() => append(tenantId, events, limits)),
    erase: (tenantId) => leave(tenantId, () => detachLog.run(tenantId)),
    drop: (tenantId) =>
      leave(tenantId, () => {
        insertDropped.run(tenantId);
        detachLog.run(tenantId);
      }),
    stop: () => sweeper.stop(),
  };
}
