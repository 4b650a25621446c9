import { randomUUID } from 'node:crypto';
import { describeRanges } from '../check/ranges.ts';
import { ERASED_ROWS, isErased } from '../log/erased-rows.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import type { CopiedLog, Copying, Loss } from './copying.ts';

/** Writes what the catalogue says of the copied logs; returns what they have lost. */
export function finishLogs({ target, holdsTenants }: Copying, logs: readonly CopiedLog[]): Loss[] {
  const losses: Loss[] = [];
  const listIds = target.prepare(
    'SELECT json_group_array(id) AS ids FROM events NOT INDEXED WHERE id >= ? AND id < ?',
  );
  const insertErased = target.prepare(
    'INSERT INTO erased_rows (log, chunk, count, bits, swept) VALUES (?, ?, ?, ?, ?)',
  );
  const insertLog = target.prepare('INSERT INTO logs (number, tenant_id, size, edition) VALUES (?, ?, ?, ?)');
  const findOwner = prepareFindOwner(target, holdsTenants);

  /** Marks what is not there as erased; returns the rows that are missing and were not erased before. */
  function markMissing({ number, size, erased }: CopiedLog): number[] {
    const base = number * ROWS_PER_LOG;
    const missing: number[] = [];
    for (let first = 0; first < size; first += ERASED_ROWS) {
      const rows = Math.min(ERASED_ROWS, size - first);
      const { ids } = listIds.get(base + first, base + first + rows) as { ids: string };
      const present = new Set(JSON.parse(ids) as number[]);
      const before = erased.get(first / ERASED_ROWS);
      const bits = new Uint8Array(ERASED_ROWS / 8);
      let count = 0;
      for (let local = 0; local < rows; local++) {
        if (present.has(base + first + local)) continue;
        bits[local >> 3]! |= 1 << (local & 7);
        count += 1;
        if (before === undefined || !isErased(before, local)) missing.push(first + local);
      }
      if (count > 0) insertErased.run(number, first / ERASED_ROWS, count, bits, ERASED_ROWS);
    }
    return missing;
  }

  for (const log of logs) {
    if (log.tenantId === null) continue;
    const missing = markMissing(log);
    const { tenantId, name, isNew } = findOwner(log);
    const hasErased = target.prepare('SELECT 1 FROM erased_rows WHERE log = ?').get(log.number) !== undefined;
    // Data that was derived from the rows before belongs to another version of the log.
    const edition = hasErased ? log.edition + 1 : 0;
    insertLog.run(log.number, tenantId, log.size, edition);
    const add = (events: number, message: string) => losses.push({ message, events, tenantId });
    if (isNew)
      add(0, `nothing says whose log ${log.number} with ${log.copied} events is: it is now of ${name}`);
    const unreadable = missing.filter((row) => !log.damaged.has(row));
    const damaged = missing.filter((row) => log.damaged.has(row));
    if (log.unknownArrivals > 0)
      add(0, `of ${log.unknownArrivals} events of ${name} it cannot be read when they arrived`);
    if (unreadable.length > 0) add(unreadable.length, `${sayRows(unreadable)} of ${name} cannot be read`);
    if (damaged.length > 0)
      add(
        damaged.length,
        `${sayRows(damaged)} of ${name} are damaged: no client can have sent them like this`,
      );
  }
  target.exec('INSERT OR IGNORE INTO event_names SELECT DISTINCT log, name FROM events');
  return losses;
}

function sayRows(rows: readonly number[]): string {
  return `${rows.length} events, at the rows ${describeRanges(rows)},`;
}

/** Prepares to find the tenant of a log; one that nobody knows gets a new one. */
function prepareFindOwner(target: Copying['target'], holdsTenants: boolean) {
  const isAlias = target.prepare('SELECT 1 FROM tenants WHERE alias = ?');
  const selectAlias = target.prepare('SELECT alias FROM tenants WHERE id = ?');
  const isTaken = target.prepare('SELECT 1 FROM logs WHERE tenant_id = ?');
  const insertTenant = target.prepare(
    `INSERT INTO tenants (id, alias, name, plan, auth_strategy, created_at)
     VALUES (?, ?, ?, 'scale', 'SERVER_SIDE', unixepoch() * 1000)`,
  );
  return ({ number, tenantId }: CopiedLog) => {
    const isKnown = typeof tenantId === 'string' && isTaken.get(tenantId) === undefined;
    const found = isKnown ? (selectAlias.get(tenantId) as { alias: string } | undefined) : undefined;
    if (isKnown && (found !== undefined || !holdsTenants))
      return { tenantId, name: found?.alias ?? tenantId, isNew: false };
    const id = isKnown ? tenantId : randomUUID();
    let alias = `recovered-${number}`;
    // A tenant may be called like that already, such as one that was recovered before.
    for (let i = 2; isAlias.get(alias) !== undefined; i++) alias = `recovered-${number}-${i}`;
    if (holdsTenants) insertTenant.run(id, alias, `Recovered: log ${number}`);
    return { tenantId: id, name: holdsTenants ? alias : id, isNew: true };
  };
}
