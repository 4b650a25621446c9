import type { SqliteDatabase } from '../database.ts';
import { ERASED_ROWS, erasedFrom, isErased, listErased, type ErasedChunk } from '../log/erased-rows.ts';
import { ROWS_PER_LOG, type LogName } from '../log/log-name.ts';
import type { OpenLogs } from './open-logs.ts';

/**
 * How many erased rows are removed at once: they may each stand on a page of their own, and whoever writes
 * from another process waits for it.
 */
const SWEEP_ROWS = 64;

/** How many bytes of properties at once, of several rows: all of it is overwritten with zeros. */
const SWEEP_BYTES = 4_194_304;

/** Rows of a log that are to be erased. */
export interface RowsToErase {
  readonly log: LogName;
  readonly chunks: readonly ErasedChunk[];
  /** How many rows of the log were looked at to choose them. */
  readonly end: number;
  /** The names that none of the other rows looked at has. */
  readonly names: readonly string[];
}

/**
 * Prepares the decision that some events are erased: with its commit nobody sees them, since another edition
 * of the log begins. False, and nothing is done, where the log was erased since, or some of it.
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
    // What came since may have brought a name again.
    const base = number * ROWS_PER_LOG;
    const since = names.length === 0 ? [] : selectNames.all(base + end, base + ROWS_PER_LOG);
    const kept = new Set((since as { name: string }[]).map(({ name }) => name));
    for (const name of names) if (!kept.has(name)) removeName.run(number, name);
    return true;
  };
}

/** The rows of a chunk that either says. */
function join(some: Uint8Array, others: Uint8Array): Uint8Array {
  const all = some.slice();
  for (let byte = 0; byte < all.length; byte++) all[byte]! |= others[byte]!;
  return all;
}

/** Prepares the removal of some erased rows of a log: whether none is left. */
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
 * Prepares the making room for an event whose identity an erased one has that is not removed yet: whether
 * there was one.
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
