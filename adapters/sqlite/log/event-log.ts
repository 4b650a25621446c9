import {
  isErased,
  LogGoneError,
  type ChunkStore,
  type ErasedRows,
  type EventLog,
  type FoundValue,
  type Path,
} from '../../../src/store-kit.ts';
import { guard, type SqliteDatabase } from '../file/database.ts';
import type { FileWatch } from '../file/watch.ts';
import { prepareTimeIndex } from './time-index.ts';
import { prepareAreErased, prepareErasedRows } from './erased-rows.ts';
import {
  prepareField,
  prepareFindBelow,
  type FindBelow,
  type FoundBelow,
  type Listed,
  type ListField,
  type ReadSize,
} from './listing.ts';
import { ROWS_PER_LOG, toChunksId, type LogName } from './log-name.ts';
import { LARGE_BYTES, prepareEvents } from './pick-events.ts';
import type { RecentEvents } from './recent-events.ts';

/** About how many stored bytes of properties are read at once: some milliseconds of work. */
const STEP_BYTES = 1_048_576;

/**
 * How many rows are read at once, whatever they contain. Texts other than properties have at most 256
 * characters. Properties that are not large have at most 4096 bytes, but only reading tells how many.
 */
const STEP_ROWS = {
  ...{ eventTs: 32_768, eventName: 4096, userId: 4096, insertId: 4096 },
  ...{ properties: 2048, receivedAt: 4096 },
};

const FIELDS = {
  ...{ eventName: 'name', userId: 'user_id', insertId: 'insert_id', eventTs: 'ts' },
  receivedAt: 'received_at',
} as const;

/** Opens logs for reading. */
export type LogOpener = (name: LogName) => EventLog;

/**
 * Prepares the reading of events. No step reads much more than a mebibyte of properties, whatever clients
 * have sent: `large_events` tells where the large ones are, and how many of the others make a mebibyte is
 * learnt while they are read.
 */
export function prepareLogs(
  database: SqliteDatabase,
  { watch, chunksOf, recent, aheadOf }: EventLogOptions,
): LogOpener {
  const fields = Object.entries(FIELDS).map(
    ([root, column]) => [root, prepareField(database, column)] as const,
  );
  const listField = Object.fromEntries(fields) as Record<keyof typeof FIELDS, ListField>;
  const createFindBelow = prepareFindBelow(database);
  const selectSize = database.prepare(
    'SELECT size, version FROM logs WHERE number = ? AND tenant_id IS NOT NULL',
  );
  const findSize = watch.remember((number) => selectSize.get(Number(number)) as LogSize | undefined);
  const selectInsertId = database.prepare('SELECT insert_id FROM events WHERE id = ?');
  const pick = prepareEvents(database, recent);
  const timeIndexOf = prepareTimeIndex(database);
  const findStepEnd = prepareStepEnd(database);
  const findErased = prepareErasedRows(database);
  const areErased = prepareAreErased(database);

  /** What shows that rows are gone is newer than the last look at the file, so there will be a new one. */
  function read<T>(work: () => T): T {
    try {
      return guard(work);
    } catch (error) {
      if (error instanceof LogGoneError) watch.changed();
      throw error;
    }
  }

  return (name) => {
    const base = name.number * ROWS_PER_LOG;
    let findBelow: FindBelow | undefined;
    let propertiesRows = STEP_ROWS_FIRST;
    let known: ErasedRows | undefined;

    const erased = () => (known ??= findErased(name));
    const idOf = (row: number) => base + row;
    /** The rows from one on, up to an id; those that were erased are hidden until they are removed. */
    const toListed = (from: number, end: number): Listed => {
      const first = idOf(from);
      const hidden: number[] = [];
      const found = erased();
      for (let id = first; found.count > 0 && id < end; id++) if (isErased(found, id - base)) hidden.push(id);
      return { first, end, rows: end - first - hidden.length, hidden };
    };

    /** Notes how many rows of properties a step may read, by what it has read of the last. */
    function learn({ rows, bytes }: ReadSize): void {
      if (bytes === null) return;
      const rowsOfStep = Math.floor((STEP_BYTES * rows) / Math.max(1, bytes));
      propertiesRows = Math.max(1, Math.min(propertiesRows * 4, rowsOfStep, STEP_ROWS.properties));
    }

    /** What paths below properties find. */
    function readBelow(paths: readonly Path[], listed: Listed): FoundBelow['values'] {
      if (paths.length === 0) return [];
      const { values, size } = (findBelow ??= createFindBelow())(paths, listed);
      learn(size);
      return values;
    }

    /** How many rows are read at once, and whether their properties have to be read through. */
    function stepOf(paths: readonly Path[]): { readonly rows: number; readonly isFar: boolean } {
      const rows = Math.min(...paths.map(({ root }) => STEP_ROWS[root]));
      const isBelow = paths.some(({ root }) => root === 'properties');
      // SQLite reads through the properties of an event to find the fields after them.
      const isFar = isBelow || paths.some(({ root }) => root === 'receivedAt');
      return { rows: isBelow ? Math.min(rows, propertiesRows) : rows, isFar };
    }

    /** What paths find in the listed rows. */
    function readListed(paths: readonly Path[], listed: Listed): readonly (readonly FoundValue[])[] {
      const below = paths.filter(({ root }) => root === 'properties');
      const found = readBelow(below, listed);
      return paths.map((path) => {
        const own = path.root === 'properties' ? found[below.indexOf(path)]! : listField[path.root](listed);
        return withErased(own, listed);
      });
    }

    return {
      id: name.number,
      version: name.version,
      ...(chunksOf && { chunks: chunksOf(toChunksId(name)) }),
      erased: () => read(erased),
      size: () =>
        read(() => {
          const found = findSize(String(name.number));
          if (found?.version !== name.version) throw new LogGoneError('The log was erased.');
          return found.size;
        }),
      values: (paths, from, to) =>
        read(() => {
          const { rows, isFar } = stepOf(paths);
          const end = idOf(Math.min(to, from + rows) - 1) + 1;
          return readListed(paths, toListed(from, isFar ? findStepEnd(idOf(from), end) : end));
        }),
      valuesAt: (paths, rows) =>
        read(() => {
          const step = stepOf(paths);
          let ids = rows.slice(0, step.rows).map(idOf);
          if (step.isFar) ids = ids.slice(0, pick.countAtOnce(ids));
          const [first, end] = [ids[0]!, ids.at(-1)! + 1];
          return readListed(paths, { first, end, rows: ids.length, hidden: [], ids });
        }),
      byTime: timeIndexOf(name, read),
      ...aheadOf?.(name),
      insertIdAt: (row) =>
        read(() => {
          const found = selectInsertId.get(idOf(row)) as { insert_id: string } | undefined;
          if (found === undefined) throw new LogGoneError('The log was erased.');
          return found.insert_id;
        }),
      events: (rows) =>
        read(() => {
          const ids = rows.map(idOf);
          const version = findSize(String(name.number))?.version;
          // An erased event must not appear in a page that is still being read, even before its row is
          // removed.
          if (version === undefined || (version !== name.version && areErased(name.number, rows)))
            throw new LogGoneError('Events of the page were erased while it was read.');
          return pick.events(ids);
        }),
      bytesOf: (rows) => read(() => pick.bytesOf(rows.map(idOf))),
    };
  };
}

/** Values by row: an erased row has none. */
function withErased(values: readonly FoundValue[], { first, end, hidden }: Listed): readonly FoundValue[] {
  if (hidden.length === 0) return values;
  const all = new Array<FoundValue>(end - first).fill(undefined);
  let [next, skipped] = [0, 0];
  for (let row = 0; row < all.length; row++) {
    if (hidden[skipped] === first + row) skipped += 1;
    else all[row] = values[next++];
  }
  return all;
}

interface LogSize {
  readonly size: number;
  readonly version: number;
}

/** How many rows of properties are read first, before it is known how large they are. */
const STEP_ROWS_FIRST = 32;

/** What the reading of logs works with. */
export interface EventLogOptions {
  readonly watch: FileWatch;
  /** The chunk store of a version of a log, for an index that answers from columns. */
  readonly chunksOf?: (versionId: number) => ChunkStore;
  readonly recent: RecentEvents;
  /** How another thread reads a log, where one does. */
  readonly aheadOf?: ((name: LogName) => ReadsAhead) | undefined;
}

/** How another thread reads a log. */
export type ReadsAhead = Required<Pick<EventLog, 'valuesAhead' | 'sortedAhead'>>;

/** Finds the id before which a step has to end, so that its large events make about a mebibyte. */
function prepareStepEnd(database: SqliteDatabase): (first: number, end: number) => number {
  const select = database.prepare(
    `SELECT id, length(properties) AS bytes FROM events INDEXED BY large_events
     WHERE length(properties) > ${LARGE_BYTES} AND id >= ? AND id < ?
     ORDER BY id LIMIT ${STEP_BYTES / LARGE_BYTES}`,
  );
  return (first, end) => {
    let bytes = 0;
    for (const large of select.all(first, end) as { id: number; bytes: number }[]) {
      bytes += large.bytes;
      if (bytes > STEP_BYTES) return Math.max(large.id, first + 1);
    }
    return end;
  };
}
