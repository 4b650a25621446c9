import type { SqliteDatabase } from '../file/database.ts';
import { toFinding, type FileFinding } from './finding.ts';

/** The tables that are not derived: what a sentence calls what they hold, and their columns of JSON. */
export const CONTROL_TABLES = {
  tenants: { what: 'tenants', json: ['limits', 'ingestion', 'jwt', 'remote_config'] },
  api_keys: { what: 'keys', json: ['permissions', 'restrictions'] },
  key_secrets: { what: 'secrets of keys', json: [] },
  dropped_tenants: { what: 'deleted tenants', json: [] },
  passes: {
    what: 'credentials of administrators',
    json: ['tenant_ids', 'viewed_ids', 'identity', 'invitation'],
  },
  audit: { what: 'audit entries', json: ['note'] },
  spent: { what: 'used single-use ids', json: [] },
  refusals: { what: 'refusals', json: ['example'] },
  views: { what: 'saved views', json: [] },
  usage_days: { what: 'days of usage', json: [] },
  buckets: { what: 'used limits', json: ['used'] },
} as const;

/** Rows of these tables whose JSON cannot be read. */
export function findDamagedRows(database: SqliteDatabase): FileFinding[] {
  return Object.entries(CONTROL_TABLES).flatMap(([table, { what, json }]) => {
    if (json.length === 0) return [];
    const isDamaged = json.map((column) => `NOT coalesce(json_valid(${column}), TRUE)`).join(' OR ');
    const { count } = database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${isDamaged}`).get() as {
      count: number;
    };
    return count > 0 ? [toFinding('damagedRows', `${count} of the ${what} are damaged`)] : [];
  });
}
