import {
  LogGoneError,
  valueBelow,
  type ChunkStore,
  type EventLog,
  type FoundValue,
  type JsonObject,
  type Path,
  type StoredEvent,
} from '../../../src/index.ts';
import { guard, type SqliteDatabase, type SqliteStatement } from '../database.ts';
import type { FileWatch } from '../file-watch.ts';
import { createRecentEvents } from './recent-events.ts';

/**
 * The ids of a log's events begin at its number times this: so a range of ids is a range of rows of one log.
 */
export const ROWS_PER_LOG = 2 ** 32;

/** A JSON text beyond this is read in two halves: V8 ends the process on a string of 512 MiB. */
const LIST_BYTES_MAX = 67_108_864;

/** Keys that SQLite's own JSON paths can name in every version; others are looked up in JavaScript. */
const PLAIN_KEY = /^[^"\\\p{Cc}]+$/u;

const FIELDS = { eventName: 'name', userId: 'user_id', insertId: 'insert_id', eventTs: 'ts' } as const;

/** What the events that were read lately may take, for pages that are asked for over and over. */
const RECENT_BYTES_MAX = 33_554_432;

/** Opens logs for reading. */
export type OpenLog = (number: number) => EventLog;

/** Prepares the reading of events: many rows come as one JSON array, several times faster than row by row. */
export function prepareLogs(
  database: SqliteDatabase,
  watch: FileWatch,
  chunksOf: (number: number) => ChunkStore,
): OpenLog {
  const list = (expression: string) =>
    // An index could serve the ids too, but only the table has all the rest beside them.
    `(SELECT json_group_array(${expression}) AS list FROM events NOT INDEXED WHERE id >= ? AND id < ?)`;
  const prepareList = (expression: string) =>
    database.prepare(
      `SELECT iif(octet_length(list) <= ${LIST_BYTES_MAX}, list, NULL) AS list FROM ${list(expression)}`,
    );
  const fields = Object.entries(FIELDS).map(([root, column]) => [root, prepareList(column)] as const);
  const listField = Object.fromEntries(fields) as Record<keyof typeof FIELDS, SqliteStatement>;
  const listProperty = prepareList('properties -> ?');
  const listProperties = prepareList('json(properties)');
  const selectSize = database.prepare('SELECT size FROM logs WHERE number = ? AND tenant_id IS NOT NULL');
  const findSize = watch.remember((number) => selectSize.get(Number(number)) as { size: number } | undefined);
  const selectInsertId = database.prepare('SELECT insert_id FROM events WHERE id = ?');
  const selectEvents = database.prepare(
    `SELECT name AS eventName, user_id AS userId, ts AS eventTs, insert_id AS insertId,
       json(properties) AS propertiesJson
     FROM json_each(?) AS wanted CROSS JOIN events ON events.id = wanted.value ORDER BY wanted.key`,
  );

  const sumBytes = database.prepare(
    `SELECT sum(octet_length(properties) + 256) AS bytes
     FROM json_each(?) AS wanted CROSS JOIN events ON events.id = wanted.value`,
  );

  const recent = createRecentEvents(RECENT_BYTES_MAX);

  function readList(
    statement: SqliteStatement,
    first: number,
    end: number,
    ...values: string[]
  ): FoundValue[] {
    const text = listText(statement, first, end, values);
    if (text !== undefined) return JSON.parse(text) as FoundValue[];
    const middle = Math.floor((first + end) / 2);
    return [...readList(statement, first, middle, ...values), ...readList(statement, middle, end, ...values)];
  }

  function readEvents(ids: readonly number[]): StoredEvent[] {
    const events = ids.map((id) => recent.get(id));
    const missing = ids.filter((_, i) => events[i] === undefined);
    if (missing.length === 0) return events as StoredEvent[];
    const read = selectEvents.all(JSON.stringify(missing)) as StoredEvent[];
    if (read.length !== missing.length) throw new LogGoneError('The log was erased.');
    read.forEach((event, i) => recent.add(missing[i]!, event));
    let next = 0;
    return events.map((event) => event ?? read[next++]!);
  }

  return (number) => {
    const base = number * ROWS_PER_LOG;
    return {
      id: number,
      chunks: chunksOf(number),
      size: () =>
        guard(() => {
          const row = findSize(String(number));
          if (row === undefined) throw new LogGoneError('The log was erased.');
          return row.size;
        }),
      values: (path, from, to) =>
        guard(() => {
          const [first, end] = [base + from, base + to];
          const { root, segments } = path;
          if (root === 'properties') {
            const jsonPath = toJsonPath(segments);
            if (jsonPath !== undefined) return readList(listProperty, first, end, jsonPath);
            const texts = readList(listProperties, first, end) as JsonObject[];
            return texts.map((properties) => valueBelow(properties, segments));
          }
          return readList(listField[root], first, end);
        }),
      insertIdAt: (row) =>
        guard(() => {
          const found = selectInsertId.get(base + row) as { insert_id: string } | undefined;
          if (found === undefined) throw new LogGoneError('The log was erased.');
          return found.insert_id;
        }),
      events: (rows) => guard(() => readEvents(rows.map((row) => base + row))),
      bytesOf: (rows) =>
        guard(() => {
          const ids = JSON.stringify(rows.map((row) => base + row));
          return (sumBytes.get(ids) as { bytes: number | null }).bytes ?? 0;
        }),
    };
  };
}

/** The text of a list of values, undefined when it would be too long. */
function listText(
  statement: SqliteStatement,
  first: number,
  end: number,
  values: string[],
): string | undefined {
  try {
    return (statement.get(...values, first, end) as { list: string | null }).list ?? undefined;
  } catch (error) {
    const { code, errcode } = error as { code?: unknown; errcode?: unknown };
    const tooBig = code === 'SQLITE_TOOBIG' || errcode === 18;
    if (tooBig && end - first > 1) return undefined;
    throw error;
  }
}

function toJsonPath(segments: Path['segments']): string | undefined {
  return segments.every((segment) => PLAIN_KEY.test(segment))
    ? `$${segments.map((segment) => `."${segment}"`).join('')}`
    : undefined;
}
