import {
  LogGoneError,
  valueBelow,
  type ChunkStore,
  type EventLog,
  type FoundValue,
  type JsonObject,
  type Path,
  type Survivors,
} from '../../../src/index.ts';
import { guard, type SqliteDatabase } from '../database.ts';
import type { FileWatch } from '../file-watch.ts';
import { prepareAreErased, prepareSurvivors } from './erased-rows.ts';
import { ROWS_PER_LOG, toEditionId, type LogName } from './log-name.ts';
import { LARGE_BYTES, prepareEvents } from './pick-events.ts';
import type { RecentEvents } from './recent-events.ts';

/** About how many stored bytes of properties are read at once: some milliseconds of work. */
const STEP_BYTES = 1_048_576;

/**
 * How many rows at once, whatever they hold: other texts than properties are at most 256 characters long, and
 * properties that are not large at most 4096 bytes, which nobody knows before they are read.
 */
const STEP_ROWS = { eventTs: 32_768, eventName: 4096, userId: 4096, insertId: 4096, properties: 2048 };

/** How many paths SQLite looks up in each event: of more, the whole text is parsed sooner. */
const LOOKUPS_MAX = 8;

/** Keys that SQLite's own JSON paths can name in every version; others are looked up in JavaScript. */
const PLAIN_KEY = /^[^"\\\p{Cc}]+$/u;

const FIELDS = { eventName: 'name', userId: 'user_id', insertId: 'insert_id', eventTs: 'ts' } as const;

/** Opens logs for reading. */
export type OpenLog = (name: LogName) => EventLog;

/**
 * Prepares the reading of events: many rows come as one JSON array, several times faster than row by row. No
 * step reads much more than a mebibyte of properties, whatever clients have sent: `large_events` tells where
 * the large ones are, and how many of the others make a mebibyte is learnt while they are read.
 */
export function prepareLogs(database: SqliteDatabase, { watch, chunksOf, recent }: LogOptions): OpenLog {
  const fields = Object.entries(FIELDS).map(
    ([root, column]) => [root, prepareList(database, column, 'NULL')] as const,
  );
  const listField = Object.fromEntries(fields) as Record<keyof typeof FIELDS, ListRows>;
  const listProperties = prepareList(database, 'json(properties)');
  const listLookups = once((count) => {
    const lookups = new Array<string>(count).fill('properties -> ?').join(', ');
    return prepareList(database, count === 1 ? lookups : `json_array(${lookups})`);
  });
  const selectSize = database.prepare(
    'SELECT size, edition FROM logs WHERE number = ? AND tenant_id IS NOT NULL',
  );
  const findSize = watch.remember((number) => selectSize.get(Number(number)) as LogSize | undefined);
  const selectInsertId = database.prepare('SELECT insert_id FROM events WHERE id = ?');
  const pick = prepareEvents(database, recent);
  const findStepEnd = prepareStepEnd(database);
  const findSurvivors = prepareSurvivors(database);
  const areErased = prepareAreErased(database);

  return (name) => {
    const base = name.number * ROWS_PER_LOG;
    let propertiesRows = STEP_ROWS_FIRST;
    let known: { readonly survivors: Survivors | undefined } | undefined;

    const survivorsOf = () => (known ??= { survivors: findSurvivors(name) }).survivors;
    const toRow = (id: number) => id - base;
    const idOf = (row: number) => base + (survivorsOf()?.arrivalOf(row) ?? row);
    /** The rows from one on, up to an id; those that were erased are hidden until they are removed. */
    const toListed = (from: number, end: number): Listed => {
      const survivors = survivorsOf();
      const first = idOf(from);
      const hidden = survivors?.erasedIn(first - base, end - base) ?? [];
      return { first, end, rows: end - first - hidden.length, hidden: hidden.map((row) => base + row) };
    };

    /** Notes how many rows of properties a step may read, by what it has read of the last. */
    function learn({ rows, bytes }: ListRow): void {
      const rowsOfStep = Math.floor((STEP_BYTES * rows) / Math.max(1, bytes ?? 0));
      propertiesRows = Math.max(1, Math.min(propertiesRows * 4, rowsOfStep, STEP_ROWS.properties));
    }

    /** What paths below properties find. */
    function readProperties(paths: readonly Path[], listed: Listed): FoundValue[][] {
      const jsonPaths = paths.map(({ segments }) => toJsonPath(segments));
      const areLookedUp = paths.length <= LOOKUPS_MAX && !jsonPaths.includes(undefined);
      const row = areLookedUp
        ? listLookups(paths.length)(listed, ...(jsonPaths as string[]))
        : listProperties(listed);
      learn(row);
      const values = toValues(row, listed.rows);
      if (!areLookedUp) {
        return paths.map(({ segments }) => values.map((all) => valueBelow(all as JsonObject, segments)));
      }
      if (paths.length === 1) return [values];
      return paths.map((_, i) => (values as readonly FoundValue[][]).map((found) => found[i]));
    }

    return {
      id: toEditionId(name),
      chunks: chunksOf(toEditionId(name)),
      survivors: () => guard(survivorsOf),
      size: () =>
        guard(() => {
          const found = findSize(String(name.number));
          if (found?.edition !== name.edition) throw new LogGoneError('The log was erased.');
          return found.size - (survivorsOf()?.erased ?? 0);
        }),
      values: (paths, from, to) =>
        guard(() => {
          const below = paths.filter(({ root }) => root === 'properties');
          const rows = Math.min(...paths.map(({ root }) => STEP_ROWS[root]));
          const last = Math.min(to, from + Math.min(rows, below.length > 0 ? propertiesRows : rows)) - 1;
          const end = idOf(last) + 1;
          const listed = toListed(from, below.length > 0 ? findStepEnd(idOf(from), end) : end);
          const found = below.length > 0 ? readProperties(below, listed) : [];
          return paths.map((path) => {
            if (path.root === 'properties') return found[below.indexOf(path)]!;
            return toValues(listField[path.root](listed), listed.rows);
          });
        }),
      insertIdAt: (row) =>
        guard(() => {
          const found = selectInsertId.get(idOf(row)) as { insert_id: string } | undefined;
          if (found === undefined) throw new LogGoneError('The log was erased.');
          return found.insert_id;
        }),
      events: (rows) =>
        guard(() => {
          const ids = rows.map(idOf);
          const edition = findSize(String(name.number))?.edition;
          // What is gone for everybody is gone for who still reads a page of it, though it may be there yet.
          if (edition === undefined || (edition !== name.edition && areErased(name.number, ids.map(toRow))))
            throw new LogGoneError('Events of the page were erased while it was read.');
          return pick.events(ids);
        }),
      bytesOf: (rows) => guard(() => pick.bytesOf(rows.map(idOf))),
    };
  };
}

/** A range of ids, and which of them are of rows that were erased. */
interface Listed {
  readonly first: number;
  readonly end: number;
  readonly hidden: readonly number[];
  /** How many rows there are beside the hidden ones. */
  readonly rows: number;
}

/** Lists what an expression finds in rows; `more` is bound before them. */
type ListRows = (listed: Listed, ...more: readonly string[]) => ListRow;

function prepareList(
  database: SqliteDatabase,
  expression: string,
  bytes = 'sum(octet_length(properties))',
): ListRows {
  // An index could serve the ids too, but only the table has all the rest beside them.
  const prepare = (but: string) =>
    database.prepare(
      `SELECT json_group_array(${expression}) AS list, count(*) AS rows,
         ${bytes} AS bytes FROM events NOT INDEXED WHERE id >= ? AND id < ?${but}`,
    );
  const list = prepare('');
  const listOthers = prepare(' AND id NOT IN (SELECT value FROM json_each(?))');
  return ({ first, end, hidden }, ...more) =>
    (hidden.length === 0
      ? list.get(...more, first, end)
      : listOthers.get(...more, first, end, JSON.stringify(hidden))) as ListRow;
}

interface LogSize {
  readonly size: number;
  readonly edition: number;
}

/** How many rows of properties are read first, before it is known how large they are. */
const STEP_ROWS_FIRST = 32;

/** What the reading of logs works with. */
export interface LogOptions {
  readonly watch: FileWatch;
  readonly chunksOf: (editionId: number) => ChunkStore;
  readonly recent: RecentEvents;
}

interface ListRow {
  readonly list: string;
  readonly rows: number;
  readonly bytes: number | null;
}

/** Makes a statement for each number when it is first asked for. */
function once(make: (count: number) => ListRows): (count: number) => ListRows {
  const made: ListRows[] = [];
  return (count) => (made[count] ??= make(count));
}

/** Rows that were swept away must not shift those behind them. */
function toValues({ list, rows }: ListRow, expected: number): FoundValue[] {
  if (rows !== expected) throw new LogGoneError('The log was erased.');
  return JSON.parse(list) as FoundValue[];
}

/** Finds the id before which a step has to end, so that its large events make about a mebibyte. */
function prepareStepEnd(database: SqliteDatabase): (first: number, end: number) => number {
  const select = database.prepare(
    `SELECT id, octet_length(properties) AS bytes FROM events INDEXED BY large_events
     WHERE octet_length(properties) > ${LARGE_BYTES} AND id >= ? AND id < ?
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

function toJsonPath(segments: Path['segments']): string | undefined {
  return segments.every((segment) => PLAIN_KEY.test(segment))
    ? `$${segments.map((segment) => `."${segment}"`).join('')}`
    : undefined;
}
