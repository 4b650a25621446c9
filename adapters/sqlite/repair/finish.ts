import { randomUUID } from 'node:crypto';
import { describeRanges } from '../check/ranges.ts';
import type { Tenant } from '../../../src/index.ts';
import { toTenantDocument } from '../../../src/store-kit.ts';
import { ERASED_ROWS } from '../log/erased-rows.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import type { CopiedLog, Copying, Loss } from './copying.ts';
import { notErased } from './erased.ts';
import { preparePuts } from '../writes/control.ts';

/** Writes what the catalogue says of the copied logs; returns what they have lost. */
export function finishLogs(
  { target, holdsTenants }: Copying,
  logs: readonly CopiedLog[],
  isEachErasureListed: boolean,
): Loss[] {
  const losses: Loss[] = [];
  const markMissing = prepareMarkMissing(target);
  const insertLog = target.prepare('INSERT INTO logs (number, tenant_id, size, version) VALUES (?, ?, ?, ?)');
  const findOwner = prepareFindOwner(target, holdsTenants);
  for (const log of logs) {
    if (log.tenantId === null) continue;
    // The first version of a log has no erased rows.
    const isFirst = log.tenantId !== undefined && log.version === 0;
    const { missing, doubtful } = markMissing(log, isEachErasureListed || isFirst);
    const { tenantId, name, isNew } = findOwner(log);
    const hasErased = target.prepare('SELECT 1 FROM erased_rows WHERE log = ?').get(log.number) !== undefined;
    // Data that was derived from the rows before belongs to another version of the log.
    const version = hasErased ? log.version + 1 : 0;
    insertLog.run(log.number, tenantId, log.size, version);
    const add = (events: number, message: string) => losses.push({ message, events, tenantId });
    const addRows = (rows: readonly number[], what: string) => {
      if (rows.length > 0)
        add(rows.length, `${rows.length} events, at the rows ${describeRanges(rows)}, of ${name} ${what}`);
    };
    if (isNew)
      add(0, `nothing says whose log ${log.number} with ${log.copied} events is: it is now of ${name}`);
    if (log.unknownArrivals > 0)
      add(0, `of ${log.unknownArrivals} events of ${name} it cannot be read when they arrived`);
    const unreadable = missing.filter((row) => !log.damaged.has(row));
    addRows(
      unreadable.filter((row) => !doubtful.has(row)),
      'cannot be read',
    );
    addRows(
      unreadable.filter((row) => doubtful.has(row)),
      'were erased or cannot be read: the list of erased events is damaged',
    );
    addRows(
      missing.filter((row) => log.damaged.has(row)),
      'are damaged: no client can have sent them like this',
    );
  }
  target.exec('INSERT OR IGNORE INTO event_names SELECT DISTINCT log, name FROM events');
  return losses;
}

/** Rows of a log that are not there, and are not known to have been erased. */
interface Missing {
  readonly missing: readonly number[];
  /** Those of them that may have been erased, because the list of erased rows is damaged. */
  readonly doubtful: ReadonlySet<number>;
}

/** Prepares to mark what is not there as erased. */
function prepareMarkMissing(target: Copying['target']) {
  const listIds = target.prepare(
    'SELECT json_group_array(id) AS ids FROM events NOT INDEXED WHERE id >= ? AND id < ?',
  );
  const insertErased = target.prepare(
    'INSERT INTO erased_rows (log, chunk, count, bits, swept) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ number, size, erased }: CopiedLog, isEachErasureListed: boolean): Missing => {
    const base = number * ROWS_PER_LOG;
    const missing: number[] = [];
    const doubtful = new Set<number>();
    for (let first = 0; first < size; first += ERASED_ROWS) {
      const rows = Math.min(ERASED_ROWS, size - first);
      const { ids } = listIds.get(base + first, base + first + rows) as { ids: string };
      const present = new Set(JSON.parse(ids) as number[]);
      const absent: number[] = [];
      const bits = new Uint8Array(ERASED_ROWS / 8);
      for (let local = 0; local < rows; local++) {
        if (present.has(base + first + local)) continue;
        bits[local >> 3]! |= 1 << (local & 7);
        absent.push(first + local);
      }
      const chunk = first / ERASED_ROWS;
      const known = erased.get(chunk);
      const isCertain = known?.isSound ?? isEachErasureListed;
      for (const row of notErased(absent, known)) {
        missing.push(row);
        if (!isCertain) doubtful.add(row);
      }
      if (absent.length > 0) insertErased.run(number, chunk, absent.length, bits, ERASED_ROWS);
    }
    return { missing, doubtful };
  };
}

/** What a tenant has of which nothing is known. */
const RECOVERED: Omit<Tenant, 'id' | 'alias' | 'name' | 'createdAt'> = {
  ...{ plan: 'scale', limits: null, ingestion: 'default', retentionDays: null },
  ...{ authStrategy: 'SERVER_SIDE', jwt: null },
};

/** Prepares to find the tenant of a log; one that nobody knows gets a new one. */
function prepareFindOwner(target: Copying['target'], holdsTenants: boolean) {
  const ofTenants = "FROM documents WHERE kind = 'tenant'";
  const isAlias = target.prepare(`SELECT 1 ${ofTenants} AND place = ?`);
  const selectAlias = target.prepare(`SELECT place AS alias ${ofTenants} AND id = ?`);
  const isTaken = target.prepare('SELECT 1 FROM logs WHERE tenant_id = ?');
  const put = preparePuts(target);
  return ({ number, tenantId }: CopiedLog) => {
    const isKnown = typeof tenantId === 'string' && isTaken.get(tenantId) === undefined;
    const found = isKnown ? (selectAlias.get(tenantId) as { alias: string } | undefined) : undefined;
    if (isKnown && (found !== undefined || !holdsTenants))
      return { tenantId, name: found?.alias ?? tenantId, isNew: false };
    const id = isKnown ? tenantId : randomUUID();
    let alias = `recovered-${number}`;
    // A tenant may be called like that already, such as one that was recovered before.
    for (let i = 2; isAlias.get(alias) !== undefined; i++) alias = `recovered-${number}-${i}`;
    const name = `Recovered: log ${number}`;
    if (holdsTenants) put([toTenantDocument({ ...RECOVERED, id, alias, name, createdAt: Date.now() })]);
    return { tenantId: id, name: holdsTenants ? alias : id, isNew: true };
  };
}
