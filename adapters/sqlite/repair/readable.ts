import { damageOf } from '../check/finding.ts';
import type { SqliteDatabase } from '../file/database.ts';

/** A row as the engine reads it. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** Whether a value is a whole number from 0 to before `end`. */
export const isCount = (value: unknown, end: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;

/** How many rows are read at once; each may be large. */
const ROWS_AT_ONCE = 128;

/** How many are taken at once in the order of the table. */
const ROWS_IN_ORDER = 1024;

/** No row takes fewer bytes of a file: so a file whose pages lead back to each other is not read for ever. */
const ROW_BYTES_MIN = 8;

/** Reads a table around what cannot be read. */
export interface TableReader {
  /**
   * Reads the rows with ids from `from` to before `to`, those of unreadable pages one by one. `isWanted` says
   * whether an id is looked for by itself where not all of a range were found.
   */
  byId(from: number, to: number, isWanted: (id: number) => boolean): void;
  /** Reads from the first row, and where that fails from the last one; returns whether all was readable. */
  fromEnds(): boolean;
}

/** Prepares to read a table by its key; `take` receives rows, some of them more than once. */
export function prepareReader(
  database: SqliteDatabase,
  { table, key, columns }: { readonly table: string; readonly key: string; readonly columns: string },
  take: (rows: readonly ReadRow[]) => void,
): TableReader {
  const selectRange = database.prepare(
    `SELECT ${columns} FROM ${table} NOT INDEXED WHERE ${key} >= ? AND ${key} < ? ORDER BY ${key}`,
  );
  const selectOne = database.prepare(`SELECT ${columns} FROM ${table} NOT INDEXED WHERE ${key} = ?`);

  /** Takes the rows of a range as far as they can be read. */
  function visit(from: number, to: number, isWanted: (id: number) => boolean): void {
    if (to - from === 1) {
      take(unlessDamaged(() => selectOne.all(from) as ReadRow[]) ?? []);
      return;
    }
    const rows = unlessDamaged(() => selectRange.all(from, to) as ReadRow[]);
    if (rows === undefined) {
      const middle = from + Math.ceil((to - from) / 2);
      visit(from, middle, isWanted);
      visit(middle, to, isWanted);
      return;
    }
    const isOrderly = ascends(rows.map((row) => row[key]));
    if (isOrderly) take(rows);
    // A damaged page may lead past a row that is there, or give a row the id of another.
    const found = new Set(rows.map((row) => row[key]));
    for (let id = from; (found.size < to - from || !isOrderly) && id < to; id++)
      if (isWanted(id)) visit(id, id + 1, isWanted);
    if (!isOrderly) take(rows);
  }

  /**
   * Takes rows until one cannot be read; returns whether that was the last one. One statement reads them all:
   * where a page is referenced twice, asking again for what follows a row continues at the other place.
   */
  function readInOrder(order: 'ASC' | 'DESC', most: number): boolean {
    const selectAll = database.prepare(
      `SELECT ${columns} FROM ${table} NOT INDEXED ORDER BY ${key} ${order} LIMIT ?`,
    );
    const read = { count: 0, isWhole: true };
    function* readAll(): Generator<ReadRow> {
      try {
        yield* selectAll.iterate(most) as Iterable<ReadRow>;
      } catch (error) {
        damageOf(error);
        read.isWhole = false;
      }
    }
    let rows: ReadRow[] = [];
    for (const row of readAll()) {
      read.count += 1;
      rows.push(row);
      if (rows.length < ROWS_IN_ORDER) continue;
      take(rows);
      rows = [];
    }
    take(rows);
    return read.isWhole && read.count < most;
  }

  return {
    byId: (from, to, isWanted) => {
      for (let id = from; id < to; id += ROWS_AT_ONCE) visit(id, Math.min(to, id + ROWS_AT_ONCE), isWanted);
    },
    fromEnds: () => {
      const most = Math.ceil(bytesOf(database) / ROW_BYTES_MIN);
      if (readInOrder('ASC', most)) return true;
      readInOrder('DESC', most);
      return false;
    },
  };
}

function ascends(ids: readonly unknown[]): boolean {
  return ids.every((id, i) => i === 0 || Number(ids[i - 1]) < Number(id));
}

/** The result of reading; undefined where damage prevents it. */
export function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    damageOf(error);
    return undefined;
  }
}

/** The size of all pages of a file. */
export function bytesOf(database: SqliteDatabase): number {
  const { bytes } = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  return bytes;
}
