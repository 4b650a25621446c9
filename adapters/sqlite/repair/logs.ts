import { isDeepStrictEqual } from 'node:util';
import { IS_EVENT } from '../check/events.ts';
import { writeSchema } from '../file/schema.ts';
import { ERASED_ROWS, isErased } from '../log/erased-rows.ts';
import { LOGS_MAX, ROWS_PER_LOG } from '../log/log-name.ts';
import { finishLogs } from './finish.ts';
import { columnsOf, prepareInsert } from './insert.ts';
import { bytesOf, prepareReader, unlessDamaged, type ReadRow } from './readable.ts';
import type { CopiedLog, Copied, Copying, Loss } from './copying.ts';

/** No event takes fewer bytes: a log cannot have lost more rows at its end than fit into the file. */
const EVENT_BYTES_MIN = 16;

/** The first instant that no event carries. */
const EVENT_TS_END = Date.UTC(2100, 0, 1);

/** The ids that a log's number allows. */
const IDS_END = LOGS_MAX * ROWS_PER_LOG;

/** Copies the events of all logs as far as they can be read, and rebuilds what is computed from them. */
export function copyLogs(copying: Copying): Copied {
  const { source, target, schema } = copying;
  const [losses, remarks]: [Loss[], string[]] = [[], []];
  const erased = readErased(copying, remarks);
  const logs = readLogs(copying, erased, losses);
  copyEvents(copying, logs, erased);
  // An older schema lists no names yet: its migration does.
  writeSchema(target, schema);
  losses.push(...finishLogs(copying, [...logs.values()]));
  const last = Math.max(0, ...logs.keys());
  const before = unlessDamaged(() => source.prepare(SELECT_LAST_LOG).get()) as { seq?: unknown } | undefined;
  const isPlausible = typeof before?.seq === 'number' && before.seq < LOGS_MAX;
  const seq = isPlausible ? Math.max(last, before.seq as number) : last;
  target.exec(`DELETE FROM sqlite_sequence WHERE name = 'logs'`);
  target.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('logs', ?)`).run(seq);
  return { losses, remarks };
}

/** The number of the last log that there ever was: none is used again. */
const SELECT_LAST_LOG = `SELECT seq FROM sqlite_sequence WHERE name = 'logs'`;

const isCount = (value: unknown, end: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;

function toLog(
  { number, tenant_id: tenantId, size, edition = 0 }: ReadRow,
  erased: ErasedRows,
): CopiedLog | undefined {
  if (!isCount(number, LOGS_MAX) || !(tenantId === null || typeof tenantId === 'string')) return undefined;
  const counts = {
    size: isCount(size, ROWS_PER_LOG) ? size : 0,
    edition: isCount(edition, 2 ** 31) ? edition : 0,
  };
  return { number, tenantId, ...counts, ...nothingCopied(number, erased) };
}

function nothingCopied(number: number, erased: ErasedRows) {
  return {
    copied: 0,
    unknownArrivals: 0,
    damaged: new Set<number>(),
    erased: erased.get(number) ?? new Map<number, Uint8Array>(),
  };
}

function readLogs({ source }: Copying, erased: ErasedRows, losses: Loss[]): Map<number, CopiedLog> {
  const logs = new Map<number, CopiedLog>();
  const reader = prepareReader(source, { table: 'logs', key: 'number', columns: '*' }, (rows) => {
    for (const row of rows) {
      const log = toLog(row, erased);
      if (log !== undefined && !logs.has(log.number)) logs.set(log.number, log);
    }
  });
  if (!reader.fromEnds()) losses.push({ message: 'some of the list of logs cannot be read', events: 0 });
  return logs;
}

/** The erased rows by log and chunk, also of logs that are in no list. */
type ErasedRows = Map<number, Map<number, Uint8Array>>;

function readErased({ source }: Copying, remarks: string[]): ErasedRows {
  const erased: ErasedRows = new Map();
  // The first schemas have no such table.
  if (columnsOf(source, 'erased_rows').length === 0) return erased;
  const about = { table: 'erased_rows', key: 'rowid', columns: 'rowid, *' };
  const reader = prepareReader(source, about, (rows) => {
    for (const { log, chunk, bits } of rows) {
      const isWhole = bits instanceof Uint8Array && bits.length === ERASED_ROWS / 8;
      if (!isWhole || !isCount(chunk, ROWS_PER_LOG / ERASED_ROWS) || !isCount(log, LOGS_MAX)) continue;
      const ofLog = erased.get(log) ?? new Map<number, Uint8Array>();
      erased.set(log, ofLog.set(chunk, bits));
    }
  });
  if (!reader.fromEnds())
    remarks.push('some of the list of erased events cannot be read: what was not removed yet is back');
  return erased;
}

/** Copies what can be read of the events. */
function copyEvents(
  { source, target, onProgress }: Copying,
  logs: Map<number, CopiedLog>,
  erased: ErasedRows,
): void {
  const insert = prepareInsert(target, 'events');
  const select = target.prepare('SELECT * FROM events WHERE id = ?');
  const strays: ReadRow[] = [];
  const total = [...logs.values()].reduce((sum, { size }) => sum + size, 0);
  let done = 0;

  function takeRow(row: ReadRow): void {
    const id = row.id as number;
    if (!isCount(id, IDS_END)) return;
    const log = logs.get(Math.floor(id / ROWS_PER_LOG)) ?? addUnknown(logs, erased, row);
    // What a deleted tenant or an erasure has left is not brought back.
    if (log === undefined || log.tenantId === null || isHidden(log, id)) return;
    const number = id % ROWS_PER_LOG;
    const known = select.get(id) as ReadRow | undefined;
    const [whole, isWhole] = withArrival(row);
    if (row.isEvent !== 1) {
      if (known === undefined && number < log.size) log.damaged.add(number);
    } else if (known !== undefined) {
      if (!isSame(known, row)) strays.push(row);
    } else if (number >= log.size + GAP_MAX) strays.push(row);
    else if (insert(whole)) {
      log.copied += 1;
      if (!isWhole) log.unknownArrivals += 1;
      log.damaged.delete(number);
      log.size = Math.max(log.size, number + 1);
    } else log.damaged.add(number);
  }

  const take = (rows: readonly ReadRow[]) => {
    rows.forEach(takeRow);
    onProgress?.(Math.min((done += rows.length), total), total);
  };
  // An older schema does not say when events arrived.
  const arrival = columnsOf(source, 'events').includes(RECEIVED_AT) ? `, ${RECEIVED_AT}` : '';
  const columns = `id, log, ts, insert_id, name, user_id, properties${arrival}, ${IS_EVENT} AS isEvent`;
  const reader = prepareReader(source, { table: 'events', key: 'id', columns }, take);
  findUnknownLogs(source, logs, erased, columns);
  const endOf = prepareFindEnd(source);
  for (const log of logs.values()) {
    if (log.tenantId === null) continue;
    const base = log.number * ROWS_PER_LOG;
    const isWanted = (id: number) => !isHidden(log, id) && select.get(id) === undefined;
    reader.byId(base, base + endOf(log), isWanted);
  }
  // What no id leads to may still be found in passing.
  if ([...logs.values()].some(isIncomplete)) reader.fromEnds();
  for (const row of strays) {
    const log = logs.get(Math.floor((row.id as number) / ROWS_PER_LOG))!;
    // An event that is there already breaks the rule that its identity is unique.
    const isNew = insert({ ...withArrival(row)[0], id: log.number * ROWS_PER_LOG + log.size });
    if (isNew) [log.copied, log.size] = [log.copied + 1, log.size + 1];
  }
}

/**
 * A row whose number lies so far beyond the others got it by damage, as did one that has the number of
 * another row: its event gets the next free number.
 */
const GAP_MAX = 1024;

const RECEIVED_AT = 'received_at';

/** A row whose instant of arrival can be one; of any other it is unknown from now on. Whether it was one. */
function withArrival(row: ReadRow): readonly [row: ReadRow, isWhole: boolean] {
  const { [RECEIVED_AT]: at } = row;
  if (at === undefined || at === null || isCount(at, EVENT_TS_END)) return [row, true];
  return [{ ...row, [RECEIVED_AT]: null }, false];
}

function isSame(a: ReadRow, b: ReadRow): boolean {
  const columns = ['ts', 'insert_id', 'name', 'user_id', 'properties'];
  return isDeepStrictEqual(
    columns.map((column) => a[column]),
    columns.map((column) => b[column]),
  );
}

function isHidden({ erased }: CopiedLog, id: number): boolean {
  const row = id % ROWS_PER_LOG;
  const bits = erased.get(Math.floor(row / ERASED_ROWS));
  return bits !== undefined && isErased(bits, row % ERASED_ROWS);
}

function isIncomplete(log: CopiedLog): boolean {
  if (log.tenantId === null) return false;
  let expected = 0;
  for (let row = 0; row < log.size; row++) if (!isHidden(log, row)) expected += 1;
  return log.copied + log.damaged.size < expected;
}

/** A log that is in no list, but has an event. */
function addUnknown(
  logs: Map<number, CopiedLog>,
  erased: ErasedRows,
  { id, isEvent }: ReadRow,
): CopiedLog | undefined {
  if (isEvent !== 1) return undefined;
  const number = Math.floor((id as number) / ROWS_PER_LOG);
  // The rows before its first one may have been erased long ago: they are no gap.
  const size = (id as number) % ROWS_PER_LOG;
  const log = { number, tenantId: undefined, edition: 0, size, ...nothingCopied(number, erased) };
  logs.set(number, log);
  return log;
}

/** After so many logs in a row of which nothing can be read, ever more of those that follow are left out. */
const FAILURES_MAX = 4096;

/** Finds the logs that are in no list, from log to log. */
function findUnknownLogs(
  source: Copying['source'],
  logs: Map<number, CopiedLog>,
  erased: ErasedRows,
  columns: string,
): void {
  const selectNext = source.prepare(
    `SELECT ${columns} FROM events NOT INDEXED WHERE id >= ? AND id < ${IDS_END} ORDER BY id LIMIT 1`,
  );
  let failures = 0;
  for (let number = 0; number < LOGS_MAX; number += failures > FAILURES_MAX ? failures - FAILURES_MAX : 1) {
    const from = number * ROWS_PER_LOG;
    const found = unlessDamaged(() => ({ row: selectNext.get(from) as ReadRow | undefined }));
    if (found !== undefined && found.row === undefined) return;
    const id = found?.row?.id;
    failures += 1;
    // A damaged page may lead back: then, and where nothing can be read, the next log is tried.
    if (!isCount(id, IDS_END) || id < from) continue;
    failures = 0;
    number = Math.floor(id / ROWS_PER_LOG);
    if (!logs.has(number)) addUnknown(logs, erased, found!.row!);
  }
}

/** Prepares to find how many rows a log may have: at least those that it counts, if that can be. */
function prepareFindEnd(source: Copying['source']): (log: CopiedLog) => number {
  const selectLast = source.prepare(
    'SELECT id FROM events NOT INDEXED WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1',
  );
  const rowsMax = bytesOf(source) / EVENT_BYTES_MIN;
  return (log) => {
    const base = log.number * ROWS_PER_LOG;
    const last = unlessDamaged(() => selectLast.get(base, base + ROWS_PER_LOG)) as { id: number } | undefined;
    const end = last === undefined || last.id < base ? 0 : (last.id % ROWS_PER_LOG) + 1;
    if (log.size > end + rowsMax) log.size = end;
    return Math.min(Math.max(log.size, end), log.size + rowsMax);
  };
}
