import {
  createColumnIndex,
  createScheduler,
  type EventStore,
  type HashSeed,
  type Ledger,
  type Pacer,
  type Scheduler,
  type StoredEvent,
} from '../../src/index.ts';
import { prepareChunks } from './log/chunks.ts';
import { guard, type SqliteDatabase } from './database.ts';
import { prepareLogs } from './log/event-log.ts';
import type { FileWatch } from './file-watch.ts';
import { createRecentEvents } from './log/recent-events.ts';
import { createSweeper } from './log/sweeper.ts';
import type { TaskSize, Writer } from './writer/writer.ts';

/** How many names are read at once: they are at most 256 characters long. */
const NAMES_STEP = 1024;

export interface SqliteEventOptions {
  readonly ledger: Ledger;
  readonly scheduler?: Scheduler | undefined;
  readonly distinctMax?: number | undefined;
}

/** The event store, and how to stop what it does in the background. */
export interface SqliteEvents extends EventStore {
  stop(): void;
}

/** What the events that were read lately may take, for pages that are asked for over and over. */
const RECENT_BYTES_MAX = 33_554_432;

/** What an event takes while it waits, beside its texts. */
const EVENT_BYTES = 200;

/** Resolves when the event loop has taken in what came meanwhile. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Events in a SQLite file, answered from columns. */
export function sqliteEventStore(
  database: SqliteDatabase,
  writer: Writer,
  watch: FileWatch,
  options: SqliteEventOptions,
): SqliteEvents {
  const { ledger } = options;
  const { scheduler = createScheduler({ now: () => performance.now(), nextTurn }) } = options;
  const selectLog = database.prepare('SELECT number FROM logs WHERE tenant_id = ?');
  const selectNames = database.prepare(
    `SELECT name FROM event_names WHERE log = ? AND name > ? ORDER BY name LIMIT ${NAMES_STEP}`,
  );
  // It is booked as a whole, and for good: where there is no room for it, nothing is kept.
  const recentBytes = ledger.account('sqlite').book(RECENT_BYTES_MAX) ? RECENT_BYTES_MAX : 0;
  const findLog = watch.remember((tenantId) => selectLog.get(tenantId) as { number: number } | undefined);
  const openLog = prepareLogs(database, {
    watch,
    chunksOf: prepareChunks(database, writer),
    recent: createRecentEvents(recentBytes),
  });
  const sweeper = createSweeper(database, (number) => writer.run('sweepLog', [number]));
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
  const sweep = (owner: string) => scheduler.run(owner, undefined, (pacer) => sweeper.sweep(pacer));
  // A process that ended while it erased leaves events of a log without a tenant behind.
  void sweep('');

  /** From the commit on the events are gone for everybody; removing them takes its time. */
  async function leave(tenantId: string, how: 'detachLog' | 'dropTenant'): Promise<void> {
    await writer.run(how, [tenantId]);
    index.forget(tenantId);
    await sweep(tenantId);
    await writer.run('emptyLog', []);
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
    breakdown: index.breakdown,
    properties: index.properties,
    since: index.since,
    eventNames: (tenantId, signal) => scheduler.run(tenantId, signal, (pacer) => listNames(tenantId, pacer)),
    append: (tenantId, events, limits) =>
      writer.run('append', [tenantId, events, limits], sizeOf(tenantId, events)),
    erase: (tenantId) => leave(tenantId, 'detachLog'),
    drop: (tenantId) => leave(tenantId, 'dropTenant'),
    stop: () => sweeper.stop(),
  };
}

/** What a batch takes while it waits to be stored: its letters, of which most take a byte each. */
function sizeOf(owner: string, events: readonly StoredEvent[]): TaskSize {
  let bytes = 0;
  for (const { propertiesJson, eventName, userId, insertId } of events) {
    bytes += EVENT_BYTES + propertiesJson.length + eventName.length + userId.length + insertId.length;
  }
  return { owner, rows: events.length, bytes };
}
