import {
  LogGoneError,
  valueBelow,
  type ChunkStore,
  type EventLog,
  type FoundValue,
  type JsonObject,
  type Path,
} from '../../../src/index.ts';
import { guard, type SqliteDatabase, type SqliteStatement } from '../database.ts';
import type { FileWatch } from '../file-watch.ts';
import { LARGE_BYTES, prepareEvents } from './pick-events.ts';
import type { RecentEvents } from './recent-events.ts';

/**
 * The ids of a log's events begin at its number times this: so a range of ids is a range of rows of one log.
 */
export const ROWS_PER_LOG = 2 ** 32;

/** About how many stored bytes of properties are read at once: some milliseconds of work. */
const STEP_BYTES = 1_048_576;

/** How many rows at once, whatever they hold: other texts than properties are at most 256 characters long. */
const STEP_ROWS = { eventTs: 32_768, eventName: 4096, userId: 4096, insertId: 4096, properties: 32_768 };

/** How many paths SQLite looks up in each event: of more, the whole text is parsed sooner. */
const LOOKUPS_MAX = 12;

/** Keys that SQLite's own JSON paths can name in every version; others are looked up in JavaScript. */
const PLAIN_KEY = /^[^"\\\p{Cc}]+$/u;

const FIELDS = { eventName: 'name', userId: 'user_id', insertId: 'insert_id', eventTs: 'ts' } as const;

/** Opens logs for reading. */
export type OpenLog = (number: number) => EventLog;

/**
 * Prepares the reading of events: many rows come as one JSON array, several times faster than row by row. No
 * step reads much more than a mebibyte of properties, whatever clients have sent: `large_events` tells where
 * the large ones are, and how many of the others make a mebibyte is learnt while they are read.
 */
export function prepareLogs(database: SqliteDatabase, { watch, chunksOf, recent }: LogOptions): OpenLog {
  const prepareList = (expression: string) =>
    // An index could serve the ids too, but only the table has all the rest beside them.
    database.prepare(
      `SELECT json_group_array(${expression}) AS list, count(*) AS rows,
         sum(octet_length(properties)) AS bytes FROM events NOT INDEXED WHERE id >= ? AND id < ?`,
    );
  const fields = Object.entries(FIELDS).map(([root, column]) => [root, prepareList(column)] as const);
  const listField = Object.fromEntries(fields) as Record<keyof typeof FIELDS, SqliteStatement>;
  const listProperties = prepareList('json(properties)');
  const listLookups = once((count) => {
    const lookups = new Array<string>(count).fill('properties -> ?').join(', ');
    return prepareList(count === 1 ? lookups : `json_array(${lookups})`);
  });
  const selectSize = database.prepare('SELECT size FROM logs WHERE number = ? AND tenant_id IS NOT NULL');
  const findSize = watch.remember((number) => selectSize.get(Number(number)) as { size: number } | undefined);
  const selectInsertId = database.prepare('SELECT insert_id FROM events WHERE id = ?');
  const pick = prepareEvents(database, recent);
  const findStepEnd = prepareStepEnd(database);

  return (number) => {
    const base = number * ROWS_PER_LOG;
    let propertiesRows = STEP_ROWS_FIRST;

    /** Notes how many rows of properties a step may read, by what it has read of the last. */
    function learn({ rows, bytes }: ListRow): void {
      const rowsOfStep = Math.floor((STEP_BYTES * rows) / Math.max(1, bytes ?? 0));
      propertiesRows = Math.max(1, Math.min(propertiesRows * 4, rowsOfStep, STEP_ROWS.properties));
    }

    /** What paths below properties find. */
    function readProperties(paths: readonly Path[], first: number, end: number): FoundValue[][] {
      const jsonPaths = paths.map(({ segments }) => toJsonPath(segments));
      const areLookedUp = paths.length <= LOOKUPS_MAX && !jsonPaths.includes(undefined);
      const row = (
        areLookedUp
          ? listLookups(paths.length).get(...(jsonPaths as string[]), first, end)
          : listProperties.get(first, end)
      ) as ListRow;
      learn(row);
      const values = toValues(row, end - first);
      if (!areLookedUp) {
        return paths.map(({ segments }) => values.map((all) => valueBelow(all as JsonObject, segments)));
      }
      if (paths.length === 1) return [values];
      return paths.map((_, i) => (values as readonly FoundValue[][]).map((found) => found[i]));
    }

    return {
      id: number,
      chunks: chunksOf(number),
      size: () =>
        guard(() => {
          const row = findSize(String(number));
          if (row === undefined) throw new LogGoneError('The log was erased.');
          return row.size;
        }),
      values: (paths, from, to) =>
        guard(() => {
          const [first, end] = [base + from, base + to];
          const below = paths.filter(({ root }) => root === 'properties');
          const rows = Math.min(...paths.map(({ root }) => STEP_ROWS[root]));
          let stepEnd = Math.min(end, first + rows);
          if (below.length > 0) stepEnd = findStepEnd(first, Math.min(stepEnd, first + propertiesRows));
          const found = below.length > 0 ? readProperties(below, first, stepEnd) : [];
          return paths.map((path) => {
            if (path.root === 'properties') return found[below.indexOf(path)]!;
            return toValues(listField[path.root].get(first, stepEnd) as ListRow, stepEnd - first);
          });
        }),
      insertIdAt: (row) =>
        guard(() => {
          const found = selectInsertId.get(base + row) as { insert_id: string } | undefined;
          if (found === undefined) throw new LogGoneError('The log was erased.');
          return found.insert_id;
        }),
      events: (rows) => guard(() => pick.events(rows.map((row) => base + row))),
      bytesOf: (rows) => guard(() => pick.bytesOf(rows.map((row) => base + row))),
    };
  };
}

/** How many rows of properties are read first, before it is known how large they are. */
const STEP_ROWS_FIRST = 512;

/** What the reading of logs works with. */
export interface LogOptions {
  readonly watch: FileWatch;
  readonly chunksOf: (number: number) => ChunkStore;
  readonly recent: RecentEvents;
}

interface ListRow {
  readonly list: string;
  readonly rows: number;
  readonly bytes: number | null;
}

/** Makes a statement for each number when it is first asked for. */
function once(make: (count: number) => SqliteStatement): (count: number) => SqliteStatement {
  const made: SqliteStatement[] = [];
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
