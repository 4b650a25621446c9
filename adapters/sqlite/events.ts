import {
  createColumnIndex,
  createLedger,
  createScheduler,
  type EventStore,
  type HashSeed,
  type Ledger,
  type Scheduler,
  type StoredEvent,
} from '../../src/index.ts';
import { prepareChunks } from './chunks.ts';
import { guard, promised, transact, type Connections, type SqliteDatabase } from './database.ts';
import { prepareLogs, ROWS_PER_LOG } from './event-log.ts';
import type { FileWatch } from './file-watch.ts';

/** An id is a whole number below 2^53, which leaves this many logs. */
const LOGS_MAX = 2 ** 21;

/** How many events of an erased log are removed at once: some milliseconds of work. */
const SWEEP_ROWS = 2000;

interface LogRow {
  number: number;
  size: number;
}

export interface SqliteEventOptions {
  readonly ledger?: Ledger | undefined;
  readonly scheduler?: Scheduler | undefined;
  readonly distinctMax?: number | undefined;
}

/** The event store, and how to stop what it does in the background. */
export interface SqliteEvents extends EventStore {
  stop(): void;
}

const LEDGER_BYTES = 536_870_912;

/** Resolves when the event loop has taken in what came meanwhile. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Events in a SQLite file, answered from columns. */
export function sqliteEventStore(
  { durable, quick, cache }: Connections,
  watch: FileWatch,
  options: SqliteEventOptions,
): SqliteEvents {
  const selectLog = durable.prepare('SELECT number, size FROM logs WHERE tenant_id = ?');
  const detachLog = durable.prepare('UPDATE logs SET tenant_id = NULL WHERE tenant_id = ?');
  const findLog = watch.remember((tenantId) => selectLog.get(tenantId) as LogRow | undefined);
  const openLog = prepareLogs(durable, watch, prepareChunks(cache));
  const append = prepareAppend(durable);
  const sweeper = createSweeper(quick);
  const index = createColumnIndex({
    open: (tenantId) => {
      const log = guard(() => findLog(tenantId));
      return log && openLog(log.number);
    },
    ledger: options.ledger ?? createLedger({ bytesMax: LEDGER_BYTES }),
    scheduler: options.scheduler ?? createScheduler({ now: () => performance.now(), nextTurn }),
    seed: [...crypto.getRandomValues(new Uint32Array(2))] as unknown as HashSeed,
    distinctMax: options.distinctMax,
  });
  // A process that ended while it erased leaves events of a log without a tenant behind.
  void sweeper.sweep();
  return {
    query: index.query,
    count: index.count,
    eventNames: index.eventNames,
    append: (tenantId, events) =>
      promised(() => watch.writing(() => transact(durable, () => append(tenantId, events)))),
    erase: async (tenantId) => {
      // From here on the events are gone for everybody; removing them takes its time and may be taken up
      // later.
      await promised(() => watch.writing(() => detachLog.run(tenantId)));
      index.forget(tenantId);
      await sweeper.sweep();
    },
    stop: sweeper.stop,
  };
}

/** Writes a batch within a transaction. */
function prepareAppend(database: SqliteDatabase) {
  const selectLog = database.prepare('SELECT number, size FROM logs WHERE tenant_id = ?');
  const insertLog = database.prepare(
    'INSERT INTO logs (tenant_id, size) VALUES (?, 0) RETURNING number, size',
  );
  const resize = database.prepare('UPDATE logs SET size = ? WHERE number = ?');
  const insert = database.prepare(
    `INSERT INTO events (id, log, ts, insert_id, name, user_id, properties)
     VALUES (?, ?, ?, ?, ?, ?, jsonb(?))
     ON CONFLICT (log, ts, insert_id) DO NOTHING`,
  );
  return (tenantId: string, events: readonly StoredEvent[]) => {
    // Rows are numbered behind the write lock, so that several processes number them without a gap.
    const { number, size } = (selectLog.get(tenantId) ?? insertLog.get(tenantId)) as LogRow;
    if (number >= LOGS_MAX || size + events.length > ROWS_PER_LOG)
      throw new Error('The file has no room for more rows.');
    const base = number * ROWS_PER_LOG;
    const duplicates: number[] = [];
    let row = size;
    for (let i = 0; i < events.length; i++) {
      const { eventTs, insertId, eventName, userId, propertiesJson } = events[i]!;
      const { changes } = insert.run(
        base + row,
        number,
        eventTs,
        insertId,
        eventName,
        userId,
        propertiesJson,
      );
      if (Number(changes) === 0) duplicates.push(i);
      else row += 1;
    }
    resize.run(row, number);
    return { duplicates };
  };
}

/** Removes what erased logs have left, a little at a time. */
function createSweeper(quick: SqliteDatabase) {
  const selectErased = quick.prepare('SELECT number FROM logs WHERE tenant_id IS NULL ORDER BY number');
  const removeEvents = quick.prepare(
    `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id >= ? AND id < ? LIMIT ${SWEEP_ROWS})`,
  );
  const removeChunks = quick.prepare('DELETE FROM column_chunks WHERE log = ?');
  const removeLog = quick.prepare('DELETE FROM logs WHERE number = ?');
  let stopped = false;

  /** Removes some events of a log, or the log when it has no more; whether it is gone. */
  function step(number: number): boolean {
    const removed = removeEvents.run(number * ROWS_PER_LOG, (number + 1) * ROWS_PER_LOG);
    if (Number(removed.changes) === SWEEP_ROWS) return false;
    transact(quick, () => {
      removeChunks.run(number);
      removeLog.run(number);
    });
    return true;
  }

  return {
    /**
     * Never rejects: what cannot be removed now, since the disk is full for instance, is removed next time.
     */
    async sweep(): Promise<void> {
      try {
        const erased = selectErased.all() as LogRow[];
        for (const { number } of erased) {
          while (!stopped && !step(number)) await nextTurn();
        }
      } catch {
        // Nobody can see these events any more.
      }
    },
    stop: () => {
      stopped = true;
    },
  };
}
