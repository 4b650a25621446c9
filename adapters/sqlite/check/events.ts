import type { SqliteDatabase } from '../file/database.ts';
import { endOfErased, ERASED_ROWS, isErased, listErased } from '../log/erased-rows.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import { damageOf, toFinding, type FileFinding } from './finding.ts';
import { createRanges } from './ranges.ts';

/** A log as the catalogue has it. */
export interface CatalogueLog {
  readonly number: number;
  readonly tenantId: string;
  /** What a sentence calls its tenant. */
  readonly tenant: string;
  readonly size: number;
  readonly version: number;
}

/** How many rows are looked for in a log of which the last one cannot be read. */
const UNREADABLE_ROWS = 100_000_000;

/** What the catalogue says of the erased rows of a chunk. */
interface ErasedRow {
  readonly chunk: number;
  readonly count: number;
  readonly bits: Uint8Array;
  readonly swept: number;
}

/** Whether a row holds what a client can have sent. A function on properties that are no JSON would throw. */
export const IS_EVENT = `(log = id / ${ROWS_PER_LOG}
  AND ts BETWEEN 0 AND 4102444799999
  AND length(insert_id) BETWEEN 1 AND 128
  AND length(name) BETWEEN 1 AND 256
  AND length(user_id) BETWEEN 1 AND 256
  AND instr(insert_id || name || user_id, char(0)) = 0
  AND CASE WHEN json_valid(properties, 8) THEN json_type(properties) = 'object' ELSE 0 END)`;

/** When an event can have arrived. */
const IS_ARRIVAL = 'coalesce(received_at BETWEEN 0 AND 4102444799999, TRUE)';

/** The same of a row of the current schema. */
const IS_STORED = `(${IS_EVENT} AND ${IS_ARRIVAL})`;

/** Prepares the comparison of a log's rows with what the catalogue says of them. */
export function prepareCheckLog(database: SqliteDatabase) {
  const selectErased = database.prepare(
    'SELECT chunk, count, bits, swept FROM erased_rows WHERE log = ? ORDER BY chunk',
  );
  const countByName = database.prepare(
    `SELECT name, count(*) AS rows, sum(NOT ${IS_STORED}) AS changed
     FROM events NOT INDEXED WHERE id >= ? AND id < ? AND id NOT IN (SELECT value FROM json_each(?))
     GROUP BY name`,
  );
  const listIds = database.prepare(
    'SELECT json_group_array(id) AS ids FROM events NOT INDEXED WHERE id >= ? AND id < ?',
  );
  const listChanged = database.prepare(
    `SELECT json_group_array(id) AS ids FROM events NOT INDEXED
     WHERE id >= ? AND id < ? AND NOT ${IS_STORED}`,
  );
  const countSwept = database.prepare(
    'SELECT count(*) AS count FROM events WHERE id IN (SELECT value FROM json_each(?))',
  );
  const selectBehind = database.prepare(
    `SELECT count(*) AS count FROM events NOT INDEXED
     WHERE id >= ? AND id < ? AND id NOT IN (SELECT value FROM json_each(?))`,
  );
  const selectLast = database.prepare('SELECT max(id) AS last FROM events WHERE id >= ? AND id < ?');
  const selectNames = database.prepare('SELECT name FROM event_names WHERE log = ?');

  /**
   * The row behind the last event of a log; where that cannot be read, behind those that the catalogue
   * counts, but not more than logs usually have.
   */
  const endOf = (base: number, size: number): number => {
    try {
      const { last } = selectLast.get(base, base + ROWS_PER_LOG) as { last: number | null };
      return last === null ? 0 : last - base + 1;
    } catch (error) {
      damageOf(error);
      return Math.min(size, UNREADABLE_ROWS);
    }
  };

  /** The rows of a range that a statement lists. */
  const rowsOf = (statement: typeof listIds, from: number, to: number, base: number): number[] => {
    const { ids } = statement.get(from, to) as { ids: string };
    return (JSON.parse(ids) as number[]).map((id) => id - base);
  };

  return (log: CatalogueLog, progress: (rows: number) => void): FileFinding[] => {
    const { number, tenant, tenantId } = log;
    const base = number * ROWS_PER_LOG;
    const findings: FileFinding[] = [];
    const add = (kind: FileFinding['kind'], message: string) =>
      findings.push(toFinding(kind, message, tenantId));
    const where = `the log of ${tenant}`;
    const names = new Set<string>();
    const [missing, changed] = [createRanges(), createRanges()];
    let returned = 0;
    let isWhole = true;

    const erased = new Map<number, ErasedRow>();
    for (const row of selectErased.all(number) as ErasedRow[]) erased.set(row.chunk, row);
    findings.push(...findErasureDefects(log, [...erased.values()]));
    const sound = [...erased.values()].filter(isSoundChunk);
    const erasedEnd = endOfErased(sound);
    // Each row is there or was erased: so where the number of rows is damaged, the last of both tells it.
    const looked = Math.max(endOf(base, rowsOfLog(log)), erasedEnd);
    const size = isSize(log.size) ? log.size : looked;
    const counts = `the catalogue counts ${log.size} rows in ${where}`;
    if (!isSize(log.size)) add('logSizes', `${counts}, which no log can have`);
    else if (erasedEnd > size) add('logSizes', `${counts}, and ${erasedEnd - 1} is an erased row of it`);

    /** Compares the rows of one chunk. */
    function checkChunk(chunk: number, rows: number): void {
      const from = base + chunk * ERASED_ROWS;
      const known = erased.get(chunk);
      const hidden = known === undefined ? [] : listErased([known]).filter((row) => row < looked);
      const ids = hidden.map((row) => base + row);
      const found = countByName.all(from, from + rows, JSON.stringify(ids)) as NameCount[];
      let present = 0;
      for (const { name, rows: count } of found) {
        names.add(name);
        present += count;
      }
      const first = chunk * ERASED_ROWS;
      if (present + hidden.length === 0) missing.add(first, first + rows - 1);
      else if (present < rows - hidden.length) {
        const there = new Set(rowsOf(listIds, from, from + rows, base));
        for (let row = first; row < first + rows; row++)
          if (!there.has(row) && !(known && isErased(known.bits, row % ERASED_ROWS))) missing.add(row);
      }
      if (found.some((each) => each.changed > 0)) {
        const hiddenRows = new Set(hidden);
        for (const row of rowsOf(listChanged, from, from + rows, base))
          if (!hiddenRows.has(row)) changed.add(row);
      }
      if (known !== undefined) {
        const swept = ids.filter((id) => id - from < known.swept);
        returned += (countSwept.get(JSON.stringify(swept)) as { count: number }).count;
      }
    }

    for (let chunk = 0; chunk * ERASED_ROWS < looked; chunk++) {
      const rows = Math.min(ERASED_ROWS, looked - chunk * ERASED_ROWS);
      try {
        checkChunk(chunk, rows);
      } catch (error) {
        isWhole = false;
        const first = chunk * ERASED_ROWS;
        add(
          'unreadableEvents',
          `some of the rows ${first} to ${first + rows - 1} in ${where} cannot be read (${damageOf(error)})`,
        );
      }
      progress(rows);
    }

    if (looked < size) {
      missing.add(looked, size - 1);
      progress(size - looked);
    }
    if (missing.count > 0)
      add('missingEvents', `${missing.count} events, at the rows ${missing.text()}, are missing in ${where}`);
    if (changed.count > 0)
      add('changedEvents', `${changed.count} events, at the rows ${changed.text()}, are damaged in ${where}`);
    if (returned > 0) add('returnedEvents', `${returned} erased events are still in ${where}`);
    // Where rows cannot be read, neither can all that follow them be counted.
    if (!isWhole) return findings;
    const hidden = listErased(sound).filter((row) => row >= size);
    const ids = JSON.stringify(hidden.map((row) => base + row));
    const { count } = selectBehind.get(base + size, base + ROWS_PER_LOG, ids) as { count: number };
    if (count > 0)
      add('uncountedEvents', `${count} events follow the ${size} rows that the catalogue counts in ${where}`);
    if (missing.count + count === 0) {
      const listed = new Set((selectNames.all(number) as { name: string }[]).map(({ name }) => name));
      const lacking = [...names].filter((name) => !listed.has(name)).length;
      const without = [...listed].filter((name) => !names.has(name)).length;
      if (lacking + without > 0)
        add(
          'eventNames',
          `${lacking} event names are not listed, and ${without} listed names have no event, in ${where}`,
        );
    }
    return findings;
  };
}

/** How many rows a log has by what the catalogue says; none where that is negative or too large. */
export function rowsOfLog({ size }: Pick<CatalogueLog, 'size'>): number {
  return isSize(size) ? size : 0;
}

/** Whether a log can have so many rows. */
const isSize = (size: number): boolean => size >= 0 && size <= ROWS_PER_LOG;

/** Whether a row of the list can be one of erased rows. */
const isSoundChunk = ({ chunk, bits }: ErasedRow): boolean =>
  bits.length === ERASED_ROWS / 8 && chunk >= 0 && chunk < ROWS_PER_LOG / ERASED_ROWS;

interface NameCount {
  readonly name: string;
  readonly rows: number;
  readonly changed: number;
}

/** What is wrong with the catalogue of erased rows by itself. */
function findErasureDefects(
  { version, tenant, tenantId }: CatalogueLog,
  erased: readonly ErasedRow[],
): FileFinding[] {
  const texts = erased.flatMap(({ chunk, count, bits, swept }) => {
    if (chunk < 0 || chunk >= ROWS_PER_LOG / ERASED_ROWS) return [`no log has a chunk ${chunk}`];
    if (bits.length !== ERASED_ROWS / 8) return [`chunk ${chunk} has ${bits.length} bytes of bits`];
    const marked = listErased([{ chunk, bits }]).length;
    if (marked !== count) return [`chunk ${chunk} has ${marked} erased rows and counts ${count}`];
    return swept < 0 || swept > ERASED_ROWS ? [`chunk ${chunk} is swept up to row ${swept}`] : [];
  });
  if (version > 0 && erased.length === 0) texts.push(`version ${version} has no erased rows`);
  if (version === 0 && erased.length > 0) texts.push('erased rows belong to no version');
  return texts.map((text) => toFinding('erasures', `${text} in the log of ${tenant}`, tenantId));
}
