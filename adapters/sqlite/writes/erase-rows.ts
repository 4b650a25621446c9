import { chooseLater, type EventQuery, type StoredEvent } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { ERASED_ROWS, erasedFrom, isErased, listErased, type ErasedChunk } from '../log/erased-rows.ts';
import { ROWS_PER_LOG, type LogName } from '../log/log-name.ts';
import { prepareEvents } from '../log/pick-events.ts';
import { createRecentEvents } from '../log/recent-events.ts';
import type { OpenLogs } from './open-logs.ts';

/**
 * How many erased rows are removed at once: each may be on a separate page, and writers in other processes
 * wait meanwhile.
 */
const SWEEP_ROWS = 64;

/** How many bytes of properties are removed at once, of several rows: all of it is overwritten with zeros. */
const SWEEP_BYTES = 4_194_304;

/** How many bytes of properties the later rows may have, for each that is looked at. */
const LATER_ROW_BYTES = 1024;

/** Rows of a log to be erased. */
export interface RowsToErase {
  readonly log: LogName;
  readonly query: EventQuery;
  readonly chunks: readonly ErasedChunk[];
  /** How many they are. */
  readonly count: number;
  /** How many rows of the log were examined to choose them. */
  readonly end: number;
  /** The names that no other examined row has. */
  readonly names: ReadonlySet<string>;
  /** The names of examined rows that stay. */
  readonly kept: ReadonlySet<string>;
  /** How many later rows are looked at in the transaction. All other writers of the file wait meanwhile. */
  readonly laterMax: number;
}

/** How many rows were erased; or why none was. */
export type ErasedCount = number | 'too many later rows' | 'another version';

/**
 * Prepares the decision to erase some events: the chosen ones, and those that match of the rows that came
 * since. Once it commits, no query sees them, because the next version of the log begins.
 */
export function prepareEraseRows(database: SqliteDatabase, logs: OpenLogs) {
  const selectLog = database.prepare(
    'SELECT size FROM logs WHERE tenant_id = ? AND number = ? AND version = ?',
  );
  const selectBits = database.prepare('SELECT bits FROM erased_rows WHERE log = ? AND chunk = ?');
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO erased_rows (log, chunk, count, bits, swept) VALUES (?, ?, ?, ?, 0)',
  );
  const beginVersion = database.prepare('UPDATE logs SET version = version + 1 WHERE number = ?');
  const removeName = database.prepare('DELETE FROM event_names WHERE log = ? AND name = ?');
  const pick = prepareEvents(database, createRecentEvents(0));

  /** The events of the rows of a log from `end` on; undefined if they are more than may be looked at now. */
  function readLater({ log: { number }, end, laterMax }: RowsToErase, size: number) {
    if (size - end > laterMax) return undefined;
    const ids = Array.from({ length: size - end }, (_, i) => number * ROWS_PER_LOG + end + i);
    if (pick.bytesOf(ids) > laterMax * LATER_ROW_BYTES) return undefined;
    const events: StoredEvent[] = [];
    while (events.length < ids.length) events.push(...pick.events(ids.slice(events.length)));
    return events;
  }

  return (tenantId: string, rows: RowsToErase): ErasedCount => {
    const { number, version } = rows.log;
    const found = selectLog.get(tenantId, number, version) as { size: number } | undefined;
    if (found === undefined) return 'another version';
    const later = readLater(rows, found.size);
    if (later === undefined) return 'too many later rows';
    const { places, names } = chooseLater(rows, rows.query, later);
    for (const { chunk, bits } of withRows(rows, places)) {
      const before = selectBits.get(number, chunk) as { bits: Uint8Array } | undefined;
      const all = before === undefined ? bits : join(bits, before.bits);
      upsert.run(number, chunk, listErased([{ chunk, bits: all }]).length, all);
    }
    beginVersion.run(number);
    logs.forget();
    for (const name of names) removeName.run(number, name);
    return rows.count + places.length;
  };
}

/** The chunks of a choice with further rows, counted from its end. */
function withRows({ chunks, end }: RowsToErase, places: readonly number[]): Iterable<ErasedChunk> {
  const all = new Map(chunks.map((own) => [own.chunk, own]));
  for (const place of places) {
    const [chunk, local] = [Math.floor((end + place) / ERASED_ROWS), (end + place) % ERASED_ROWS];
    if (!all.has(chunk)) all.set(chunk, { chunk, bits: new Uint8Array(ERASED_ROWS / 8) });
    all.get(chunk)!.bits[local >> 3]! |= 1 << (local & 7);
  }
  return all.values();
}

/** The rows of a chunk that either bitmap contains. */
function join(some: Uint8Array, others: Uint8Array): Uint8Array {
  const all = some.slice();
  for (let byte = 0; byte < all.length; byte++) all[byte]! |= others[byte]!;
  return all;
}

/** Prepares the removal of some erased rows of a log; returns whether none is left. */
export function prepareSweepRows(database: SqliteDatabase): (number: number) => boolean {
  const selectChunk = database.prepare(
    `SELECT chunk, bits, swept FROM erased_rows
     WHERE log = ? AND swept < ${ERASED_ROWS} ORDER BY chunk LIMIT 1`,
  );
  const selectBytes = database.prepare('SELECT length(properties) AS bytes FROM events WHERE id = ?');
  const remove = database.prepare('DELETE FROM events WHERE id = ?');
  const note = database.prepare('UPDATE erased_rows SET swept = ? WHERE log = ? AND chunk = ?');
  return (number) => {
    const found = selectChunk.get(number) as (ErasedChunk & { swept: number }) | undefined;
    if (found === undefined) return true;
    const base = number * ROWS_PER_LOG + found.chunk * ERASED_ROWS;
    let [rows, bytes, swept] = [0, 0, ERASED_ROWS];
    for (const local of erasedFrom(found.bits, found.swept)) {
      if (rows === SWEEP_ROWS || bytes > SWEEP_BYTES) {
        swept = local;
        break;
      }
      rows += 1;
      bytes += (selectBytes.get(base + local) as { bytes: number } | undefined)?.bytes ?? 0;
      remove.run(base + local);
    }
    note.run(swept, number, found.chunk);
    return false;
  };
}

/**
 * Prepares the early removal of an erased event, to make room for a new one with the same identity; returns
 * whether there was one.
 */
export function prepareGiveWay(database: SqliteDatabase) {
  const selectId = database.prepare('SELECT id FROM events WHERE log = ? AND ts = ? AND insert_id = ?');
  const selectBits = database.prepare(
    `SELECT bits FROM erased_rows WHERE log = ? AND chunk = ? AND swept < ${ERASED_ROWS}`,
  );
  const remove = database.prepare('DELETE FROM events WHERE id = ?');
  return (number: number, eventTs: number, insertId: string): boolean => {
    const { id } = selectId.get(number, eventTs, insertId) as { id: number };
    const row = id - number * ROWS_PER_LOG;
    const found = selectBits.get(number, Math.floor(row / ERASED_ROWS)) as ErasedChunk | undefined;
    if (found === undefined || !isErased(found.bits, row % ERASED_ROWS)) return false;
    remove.run(id);
    return true;
  };
}
