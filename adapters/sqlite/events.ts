import { type EventStore, type Ledger, type Scheduler, type Signal } from '../../src/index.ts';
import {
  createColumnIndex,
  createIdleWork,
  type AppendOptions,
  type AppendResult,
  type ChosenRows,
  type EventQuery,
  type HashSeed,
  type Pacer,
  type StoredEvent,
} from '../../src/store-kit.ts';
import { createAppending } from './appending.ts';
import { prepareChunks } from './log/chunks.ts';
import { guard, type SqliteDatabase } from './database.ts';
import { toErasedChunks } from './log/erased-rows.ts';
import { prepareLogs } from './log/event-log.ts';
import { fromEditionId, type LogName } from './log/log-name.ts';
import type { FileState } from './file-state.ts';
import type { FileWatch } from './file-watch.ts';
import type { Reserve } from './reserve.ts';
import { createRecentEvents } from './log/recent-events.ts';
import type { RowReader } from './log/row-reader.ts';
import { createSweeper } from './log/sweeper.ts';
import { idlePauses, rest } from './log/pauses.ts';
import { emptyLog } from './writer/empty-log.ts';
import { SMALL, type TaskSize, type Writer } from './writer/writer.ts';
import type { RowsToErase } from './writes/erase-rows.ts';

/** How many names are read at once: they are at most 256 characters long. */
const NAMES_STEP = 1024;

export interface SqliteEventOptions {
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
  readonly distinctMax?: number | undefined;
  readonly columnDiskBytesMax?: number | undefined;
  readonly prepareColumns?: boolean | undefined;
  /** Reads what columns are made of ahead, in another thread. */
  readonly reader?: RowReader | undefined;
  /** Says whether events are taken. */
  readonly state?: Pick<FileState, 'check' | 'checkRoom'> | undefined;
  /** What erasing may take on a full disk. */
  readonly reserve: Reserve;
}

/** The event store, and how to end what it does. */
export interface SqliteEvents extends EventStore {
  /** Ends what is done in the background; resolves when the writer has all that it was asked to store. */
  stop(): Promise<void>;
}

/** What the events that were read lately may take, for pages that are asked for over and over. */
const RECENT_BYTES_MAX = 33_554_432;

/** Events in a SQLite file, answered from columns. */
export function sqliteEventStore(
  database: SqliteDatabase,
  writer: Writer,
  watch: FileWatch,
  options: SqliteEventOptions,
): SqliteEvents {
  const { ledger, scheduler } = options;
  const selectLog = database.prepare('SELECT number, edition FROM logs WHERE tenant_id = ?');
  const selectNames = database.prepare(
    `SELECT name FROM event_names WHERE log = ? AND name > ? ORDER BY name LIMIT ${NAMES_STEP}`,
  );
  // It is booked as a whole, and for good: where there is no room for it, nothing is kept.
  const recentBytes = ledger.account('sqlite').book(RECENT_BYTES_MAX) ? RECENT_BYTES_MAX : 0;
  const findLog = watch.remember((tenantId) => selectLog.get(tenantId) as LogName | undefined);
  const openLog = prepareLogs(database, {
    watch,
    chunksOf: prepareChunks(database, writer, options.columnDiskBytesMax),
    recent: createRecentEvents(recentBytes),
    aheadOf: options.reader?.of,
  });
  const appending = createAppending(writer, ledger);
  const sweeper = createSweeper(database, (sweep, number) => writer.run(sweep, [number]));
  const index = createColumnIndex({
    open: (tenantId) => {
      const log = guard(() => findLog(tenantId));
      return log && openLog(log);
    },
    ledger,
    scheduler,
    seed: [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed,
    distinctMax: options.distinctMax,
  });
  const idle =
    options.prepareColumns === true
      ? createIdleWork((tenantId, pacer) => index.prepare(tenantId, pacer), { scheduler, ...idlePauses() })
      : undefined;
  // A process that ended while it erased leaves events behind that nobody sees.
  void removeErased();

  /**
   * Removes what was decided to be gone. It takes its time, and nobody sees it any more: what cannot be
   * removed now, since the disk is full for instance, is removed next time.
   */
  async function removeErased(): Promise<void> {
    if (await sweeper.sweep(rest).catch(() => true)) await emptyLog(writer);
    options.reserve.restore();
  }

  async function leave(tenantId: string, how: 'detachLog' | 'dropTenant'): Promise<number> {
    // It keeps its place among what is stored for the tenant.
    const own = { ...SMALL, owner: tenantId };
    const count = await appending.inTurn(tenantId, () => writer.run(how, [tenantId], own));
    index.forget(tenantId);
    await removeErased();
    return count;
  }

  async function eraseMatching(tenantId: string, query: EventQuery, signal?: Signal): Promise<number> {
    const commit = ({ log, arrivals, end, names }: ChosenRows) => {
      const rows = { log: fromEditionId(log.id), chunks: toErasedChunks(arrivals), end, names };
      const size = sizeOfErasure(tenantId, rows);
      return appending.inTurn(tenantId, () => writer.run('eraseRows', [tenantId, rows], size));
    };
    const count = await index.erase(tenantId, query, commit, signal);
    if (count > 0) await removeErased();
    // Of the events that are left there are no columns now.
    idle?.note(tenantId);
    return count;
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

  /** Tells the idle work who is at work. */
  const noting =
    <A extends readonly unknown[], R>(work: (tenantId: string, ...more: A) => R) =>
    (tenantId: string, ...more: A): R => {
      idle?.note(tenantId);
      return work(tenantId, ...more);
    };

  async function append(
    tenantId: string,
    events: readonly StoredEvent[],
    limits?: AppendOptions,
  ): Promise<AppendResult> {
    options.state?.check();
    options.state?.checkRoom();
    const result = await appending.append(tenantId, events, limits);
    // Before it is committed there is nothing to do.
    idle?.note(tenantId);
    return result;
  }

  return {
    query: noting(index.query),
    count: noting(index.count),
    breakdown: noting(index.breakdown),
    properties: index.properties,
    since: index.since,
    plan: index.plan,
    eventNames: (tenantId, signal) => scheduler.run(tenantId, signal, (pacer) => listNames(tenantId, pacer)),
    append,
    erase: (tenantId, query, signal) =>
      query === undefined ? leave(tenantId, 'detachLog') : eraseMatching(tenantId, query, signal),
    drop: async (tenantId) => {
      await leave(tenantId, 'dropTenant');
    },
    stop: async () => {
      sweeper.stop();
      idle?.stop();
      await appending.close();
      await options.reader?.close();
    },
  };
}

function sizeOfErasure(owner: string, { chunks, names }: RowsToErase): TaskSize {
  let bytes = 1024;
  for (const { bits } of chunks) bytes += bits.length;
  for (const name of names) bytes += name.length;
  return { owner, rows: chunks.length + names.length, bytes };
}
