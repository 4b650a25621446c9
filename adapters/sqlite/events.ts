import {
  type EventStore,
  type MemoryBudget,
  type Resources,
  type Scheduler,
  type Signal,
} from '../../src/index.ts';
import {
  aroundEach,
  createColumnIndex,
  createIdleWork,
  type AppendOptions,
  type AppendResult,
  type ChosenRows,
  type CommitErasure,
  type EventQuery,
  type HashSeed,
  type Pacer,
  type StoredEvent,
} from '../../src/store-kit.ts';
import { createAppending } from './appending.ts';
import { prepareChunks } from './chunks.ts';
import { guard, type SqliteDatabase } from './file/database.ts';
import { toErasedChunks } from './log/erased-rows.ts';
import { prepareLogs } from './log/event-log.ts';
import type { LogName } from './log/log-name.ts';
import type { FileState } from './file/state.ts';
import type { FileWatch } from './file/watch.ts';
import type { Reserve } from './file/reserve.ts';
import { createRecentEvents } from './log/recent-events.ts';
import type { RowReader } from './row-reader.ts';
import { createSweeper } from './sweeper.ts';
import { idlePauses, rest } from './log/pauses.ts';
import { emptyLog } from './writer/empty-log.ts';
import { SMALL, type TaskSize, type Writer } from './writer/writer.ts';
import type { ErasedCount, RowsToErase } from './writes/erase-rows.ts';

/**
 * How many rows an erasure looks at in its transaction, at first: some milliseconds of work. All other
 * writers of the file wait meanwhile.
 */
const LATER_ROWS = 1024;

/** How many names are read at once; a name has at most 256 characters. */
const NAMES_STEP = 1024;

export interface SqliteEventOptions {
  readonly memory: MemoryBudget;
  readonly scheduler: Scheduler;
  readonly meter: Resources['meter'];
  readonly distinctMax?: number | undefined;
  readonly columnDiskBytesMax?: number | undefined;
  readonly prepareColumns?: boolean | undefined;
  /** Reads the rows for building columns ahead, in another thread. */
  readonly reader?: RowReader | undefined;
  /** Tells whether events are accepted. */
  readonly state?: Pick<FileState, 'check' | 'checkRoom'> | undefined;
  /** The disk space reserved for erasing on a full disk. */
  readonly reserve: Reserve;
}

/** The event store, with a way to stop its background work. */
export interface SqliteEvents extends EventStore {
  /** Stops the background work; resolves when the writer has stored everything that it was given. */
  stop(): Promise<void>;
}

/** The memory for recently read events, for pages that are requested repeatedly. */
const RECENT_BYTES_MAX = 33_554_432;

/** Events in a SQLite file, answered from columns. */
export function sqliteEventStore(
  database: SqliteDatabase,
  writer: Writer,
  watch: FileWatch,
  options: SqliteEventOptions,
): SqliteEvents {
  const { memory, scheduler, meter } = options;
  const selectLog = database.prepare('SELECT number, version FROM logs WHERE tenant_id = ?');
  const selectNames = database.prepare(
    `SELECT name FROM event_names WHERE log = ? AND name > ? ORDER BY name LIMIT ${NAMES_STEP}`,
  );
  // It is reserved once and as a whole; if that fails, no events are cached.
  const recentBytes = memory.reservation('sqlite').reserve(RECENT_BYTES_MAX) ? RECENT_BYTES_MAX : 0;
  const findLog = watch.remember((tenantId) => selectLog.get(tenantId) as LogName | undefined);
  const openLog = prepareLogs(database, {
    watch,
    chunksOf: prepareChunks(database, writer, options.columnDiskBytesMax),
    recent: createRecentEvents(recentBytes),
    aheadOf: options.reader?.of,
  });
  const appending = createAppending(writer, memory);
  const sweeper = createSweeper(database, (sweep, number) => writer.run(sweep, [number]));
  const index = createColumnIndex({
    open: (tenantId) => {
      const log = guard(() => findLog(tenantId));
      return log && openLog(log);
    },
    memory,
    scheduler,
    seed: [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed,
    distinctMax: options.distinctMax,
    meter,
  });
  const idle =
    options.prepareColumns === true
      ? createIdleWork((tenantId, pacer) => index.prepare(tenantId, pacer), { scheduler, ...idlePauses() })
      : undefined;
  // A process that ended during an erasure leaves behind events that no query sees.
  void removeErased();

  /**
   * Removes the data of decided erasures, in the background. No query sees the data any more: what cannot be
   * removed now, for instance because the disk is full, is removed next time.
   */
  async function removeErased(): Promise<void> {
    if (await sweeper.sweep(rest).catch(() => true)) await emptyLog(writer);
    options.reserve.restore();
  }

  async function leave(tenantId: string, how: 'detachLog' | 'dropTenant'): Promise<number> {
    // The write keeps its order among the tenant's other writes.
    const own = { ...SMALL, owner: tenantId };
    const count = await appending.inTurn(tenantId, () => writer.run(how, [tenantId], own));
    index.forget(tenantId);
    await removeErased();
    return count;
  }

  async function eraseMatching(tenantId: string, query: EventQuery, signal?: Signal): Promise<number> {
    const decide = ({ log, bitmaps, ...chosen }: ChosenRows, laterMax: number): Promise<ErasedCount> => {
      const name = { number: log.id, version: log.version };
      const rows = { ...chosen, log: name, query, chunks: toErasedChunks(bitmaps), laterMax };
      return writer.run('eraseRows', [tenantId, rows], sizeOfErasure(tenantId, rows));
    };
    const commit: CommitErasure = async (chosen, catchUp) => {
      let erased = await appending.inTurn(tenantId, () => decide(chosen, LATER_ROWS));
      if (erased === 'too many later rows')
        // The tenant's later batches of this process wait. Those of others come while it catches up.
        erased = await appending.holding(tenantId, async () => {
          let latest = chosen;
          for (let laterMax = LATER_ROWS; ; laterMax *= 2) {
            latest = await catchUp(latest);
            const outcome = await decide(latest, laterMax);
            if (outcome !== 'too many later rows') return outcome;
          }
        });
      return erased === 'another version' ? undefined : erased;
    };
    const count = await index.erase(tenantId, query, commit, signal);
    if (count > 0) await removeErased();
    // The columns of the remaining events are not stored now.
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
      await pacer.yieldIfDue();
    }
  }

  const { properties, since, plan, ...asked } = index.answers;
  /** Tells the background indexing which tenant is active. */
  const noted = aroundEach(asked, (ask, tenantId) => {
    idle?.note(tenantId as string);
    return ask();
  });

  async function append(
    tenantId: string,
    events: readonly StoredEvent[],
    limits?: AppendOptions,
  ): Promise<AppendResult> {
    options.state?.check();
    options.state?.checkRoom();
    const result = await appending.append(tenantId, events, limits);
    // Before the commit there is nothing to index.
    idle?.note(tenantId);
    return result;
  }

  return {
    ...noted,
    ...{ properties, since, plan },
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

function sizeOfErasure(owner: string, { chunks, names, kept }: RowsToErase): TaskSize {
  let bytes = 1024;
  for (const { bits } of chunks) bytes += bits.length;
  for (const name of [...names, ...kept]) bytes += name.length;
  return { owner, rows: chunks.length + names.size, bytes };
}
