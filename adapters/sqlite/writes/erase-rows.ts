import type { SqliteDatabase } from '../file/database.ts';
import { ERASED_ROWS, erasedFrom, isErased, listErased, type ErasedChunk } from '../log/erased-rows.ts';
import { ROWS_PER_LOG, type LogName } from '../log/log-name.ts';
import type { OpenLogs } from './open-logs.ts';

/**
 * How many erased rows are removed at once: each may be on a separate page, and writers in other processes
 * wait meanwhile.
 */
const SWEEP_ROWS = 64;

/** How many bytes of properties are removed at once, of several rows: all of it is overwritten with zeros. */
const SWEEP_BYTES = 4_194_304;

/** Rows of a log to be erased. */
export interface RowsToErase {
  readonly log: LogName;
  readonly chunks: readonly ErasedChunk[];
  /** How many rows of the log were examined to choose them. */
  readonly end: number;
  /** The names that no other examined row has. */
  readonly names: readonly string[];
}

/**
 * Prepares the decision to erase some events. Once it commits, no query sees them, because the next version
 * of the log begins. If the log or a part of it was erased since, the operation returns false and does
 * nothing.
 */
export function prepareEraseRows(database: SqliteDatabase, logs: OpenLogs) {
  const selectLog = database.prepare('SELECT 1 FROM logs WHERE tenant_id = ? AND number = ? AND edition = ?');
  const selectBits = database.prepare('SELECT bits FROM erased_rows WHERE log = ? AND chunk = ?');
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO erased_rows (log, chunk, count, bits, swept) VALUES (?, ?, ?, ?, 0)',
  );
  const beginEdition = database.prepare('UPDATE logs SET edition = edition + 1 WHERE number = ?');
  const selectNames = database.prepare('SELECT DISTINCT name FROM events WHERE id >= ? AND id < ?');
  const removeName = database.prepare('DELETE FROM event_names WHERE log = ? AND name = ?');
  return (tenantId: string, { log: { number, edition }, chunks, end, names }: RowsToErase): boolean => {
    if (selectLog.get(tenantId, number, edition) === undefined) return false;
    for (const { chunk, bits } of chunks) {
      const before = selectBits.get(number, chunk) as { bits: Uint8Array } | undefined;
      const all = before === undefined ? bits : join(bits, before.bits);
      upsert.run(number, chunk, listErased([{ chunk, bits: all }]).length, all);
    }
    beginEdition.run(number);
    logs.forget();
    // Later events may have added a name again.
    const base = number * ROWS_PER_LOG;
    const since = names.length === 0 ? [] : selectNames.all(base + end, base + ROWS_PER_LOG);
    const kept = new Set((since as { name: string }[]).map(({ name }) => name));
    for (const name of names) if (!kept.has(name)) removeName.run(number, name);
    return true;
  };
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
