import type { SqliteDatabase } from '../file/database.ts';
import { ROWS_PER_LOG } from '../log/log-name.ts';
import { toFinding, type FileFinding } from './finding.ts';

/** The condition of a key of a tenant that is not there. */
export const ORPHANED_KEYS = 'tenant_id NOT IN (SELECT id FROM tenants)';
/** The condition of a secret of a key that is not there. */
export const ORPHANED_SECRETS = 'key_id NOT IN (SELECT id FROM api_keys)';

/** Keys and secrets that belong to nobody. */
export function findOrphanedKeys(database: SqliteDatabase): FileFinding[] {
  const { keys, secrets } = database
    .prepare(
      `SELECT (SELECT count(*) FROM api_keys WHERE ${ORPHANED_KEYS}) AS keys,
         (SELECT count(*) FROM key_secrets WHERE ${ORPHANED_SECRETS}) AS secrets`,
    )
    .get() as { keys: number; secrets: number };
  return [
    ...(keys > 0 ? [toFinding('keysWithoutTenant', `${keys} keys belong to no tenant`)] : []),
    ...(secrets > 0 ? [toFinding('keysWithoutTenant', `${secrets} secrets belong to no key`)] : []),
  ];
}

/** Events between the rows of the logs that there are. */
export function findEventsWithoutLog(database: SqliteDatabase): FileFinding[] {
  const logs = database.prepare('SELECT number FROM logs ORDER BY number').all() as { number: number }[];
  const count = database.prepare('SELECT count(*) AS count FROM events NOT INDEXED WHERE id >= ? AND id < ?');
  const findings: FileFinding[] = [];
  let from = Number.MIN_SAFE_INTEGER;
  for (const number of [...logs.map((log) => log.number), undefined]) {
    const to = number === undefined ? Number.MAX_SAFE_INTEGER : number * ROWS_PER_LOG;
    const { count: events } = count.get(from, to) as { count: number };
    if (events > 0) findings.push(toFinding('eventsWithoutLog', `${events} events belong to no log`));
    from = to + ROWS_PER_LOG;
  }
  return findings;
}
