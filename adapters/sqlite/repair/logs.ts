import { isDeepStrictEqual } from 'node:util';
import { IS_EVENT } from '../check/events.ts';
import { writeSchema } from '../file/schema.ts';
import { endOfErased, ERASED_ROWS } from '../log/erased-rows.ts';
import { IDS_END, logOf, LOGS_MAX, ROWS_PER_LOG } from '../log/log-name.ts';
import { isHidden, readErased, type ErasedList } from './erased.ts';
import { finishLogs } from './finish.ts';
import { prepareInsert } from './insert.ts';
import { bytesOf, isCount, prepareReader, unlessDamaged, type ReadRow } from './readable.ts';
import type { CopiedLog, Copied, Copying, Loss } from './copying.ts';
import { addUnknown, findUnknownLogs, nothingCopied } from './unknown-logs.ts';

/** No event takes fewer bytes: a log cannot have lost more rows at its end than fit into the file. */
const EVENT_BYTES_MIN = 16;

/** The first instant that no event carries. */
const EVENT_TS_END = Date.UTC(2100, 0, 1);

/** Copies the events of all logs as far as they can be read, and rebuilds what is computed from them. */
export function copyLogs(copying: Copying): Copied {
  const { source, target, schema } = copying;
  const [unlisted, remarks]: [Loss[], string[]] = [[], []];
  const erased = readErased(copying, remarks);
  const logs = readLogs(copying, erased, unlisted);
  const unowned = copyEvents(copying, logs, erased);
  // What is computed from events is computed as this version does.
  writeSchema(target, schema);
  const losses = [...unlisted, ...unowned, ...finishLogs(copying, [...logs.values()], erased.isWhole)];
  // There may be more logs than a function takes arguments.
  const last = [...logs.keys()].reduce((most, number) => Math.max(most, number), 0);
  const before = unlessDamaged(() => source.prepare(SELECT_LAST_LOG).get()) as { seq?: unknown } | undefined;
  const isPlausible = typeof before?.seq === 'number' && before.seq < LOGS_MAX;
  const seq = isPlausible ? Math.max(last, before.seq as number) : last;
  target.exec(`DELETE FROM sqlite_sequence WHERE name = 'logs'`);
  target.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('logs', ?)`).run(seq);
  return { losses, remarks };
}

/** The number of the last log that there ever was: none is used again. */
const SELECT_LAST_LOG = `SELECT seq FROM sqlite_sequence WHERE name = 'logs'`;

function toLog(
  { number, tenant_id: tenantId, size, version = 0 }: ReadRow,
  erased: ErasedList,
): CopiedLog | undefined {
  if (!isCount(number, LOGS_MAX) || !(tenantId === null || typeof tenantId === 'string')) return undefined;
  const counts = {
    size: isCount(size, ROWS_PER_LOG) ? size : 0,
    version: isCount(version, 2 ** 31) ? version : 0,
  };
  return { number, tenantId, ...counts, ...nothingCopied(number, erased) };
}

function readLogs({ source }: Copying, erased: ErasedList, losses: Loss[]): Map<number, CopiedLog> {
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

/** Copies what can be read of the events; returns what is lost of no log. */
function copyEvents(
  { source, target, onProgress }: Copying,
  logs: Map<number, CopiedLog>,
  erased: ErasedList,
): Loss[] {
  const insert = prepareInsert(target, 'events');
  const select = target.prepare('SELECT * FROM events WHERE id = ?');
  const strays: ReadRow[] = [];
  /** The ids of damaged rows that no log counts, at least so far. */
  const uncounted = new Set<number>();
  const total = [...logs.values()].reduce((sum, { size }) => sum + size, 0);
  let done = 0;

  function takeRow(row: ReadRow): void {
    const id = row.id as number;
    if (!isCount(id, IDS_END)) return;
    const log = logs.get(logOf(id)) ?? addUnknown(logs, erased, row);
    // What a deleted tenant or an erasure has left is not brought back.
    if (log?.tenantId === null || isHidden(erased.byLog.get(logOf(id)), id)) return;
    const number = id % ROWS_PER_LOG;
    if (log === undefined || (row.isEvent !== 1 && number >= log.size)) {
      // One that names another log is missing there.
      if (row.log === logOf(id)) uncounted.add(id);
      return;
    }
    const known = select.get(id) as ReadRow | undefined;
    const [whole, isWhole] = withArrival(row);
    if (row.isEvent !== 1) {
      if (known === undefined) log.damaged.add(number);
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
  const columns = `id, log, ts, insert_id, name, user_id, properties, ${RECEIVED_AT}, ${IS_EVENT} AS isEvent`;
  const reader = prepareReader(source, { table: 'events', key: 'id', columns }, take);
  const isEachFound = findUnknownLogs(source, logs, erased, columns);
  // What no id leads to may still be found in passing.
  if (!isEachFound) reader.fromEnds();
  const endOf = prepareFindEnd(source);
  for (const log of logs.values()) {
    if (log.tenantId === null) continue;
    const base = log.number * ROWS_PER_LOG;
    const isWanted = (id: number) => !isHidden(log.erased, id) && select.get(id) === undefined;
    reader.byId(base, base + endOf(log), isWanted);
  }
  if (isEachFound && [...logs.values()].some(isIncomplete)) reader.fromEnds();
  for (const log of logs.values()) countErased(log);
  const losses = countDamaged(
    [...uncounted].filter((id) => select.get(id) === undefined),
    logs,
  );
  for (const row of strays) {
    const log = logs.get(logOf(row.id as number))!;
    // An event that is there already breaks the rule that its identity is unique.
    const isNew = insert({ ...withArrival(row)[0], id: log.number * ROWS_PER_LOG + log.size });
    if (isNew) [log.copied, log.size] = [log.copied + 1, log.size + 1];
  }
  return losses;
}

/** Counts the erased rows that follow the others of a log: no new event gets the row of one. */
function countErased(log: CopiedLog): void {
  const chunks = [...log.erased].sort(([a], [b]) => a - b);
  for (const [chunk, { bits, isSound }] of chunks) {
    // A chunk that lies further behind got its number by damage.
    if (chunk * ERASED_ROWS > log.size + ERASED_ROWS) return;
    if (isSound) log.size = Math.max(log.size, endOfErased([{ chunk, bits }]));
  }
}

/** Counts damaged rows in their logs; those that belong to none are a loss of their own. */
function countDamaged(ids: readonly number[], logs: ReadonlyMap<number, CopiedLog>): Loss[] {
  let events = 0;
  for (const id of [...ids].sort((a, b) => a - b)) {
    const log = logs.get(logOf(id));
    const row = id % ROWS_PER_LOG;
    if (log === undefined || row >= log.size + GAP_MAX) events += 1;
    else {
      log.damaged.add(row);
      log.size = Math.max(log.size, row + 1);
    }
  }
  if (events === 0) return [];
  const what = `${events} events that belong to no log are damaged`;
  return [{ message: `${what}: no client can have sent them like this`, events }];
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

function isIncomplete(log: CopiedLog): boolean {
  if (log.tenantId === null) return false;
  let expected = 0;
  for (let row = 0; row < log.size; row++) if (!isHidden(log.erased, row)) expected += 1;
  return log.copied + log.damaged.size < expected;
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
