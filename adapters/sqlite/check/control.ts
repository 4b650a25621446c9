import { AUTH_STRATEGIES, isAlias, PERMISSIONS, PLAN_NAMES, ROLES } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { toFinding, type FileFinding } from './finding.ts';

/** A row of such a table. */
type ControlRow = Readonly<Record<string, unknown>>;

/** What such a table holds. */
export interface ControlTable {
  /** What a sentence calls it. */
  readonly what: string;
  /** Its columns of JSON. */
  readonly json: readonly string[];
  /** Whether a row, whose JSON can be read, has values that this version knows. */
  readonly isKnown?: (row: ControlRow) => boolean;
}

const isOneOf = (list: readonly unknown[], value: unknown) => list.includes(value);

/** The tables that are not derived. */
export const CONTROL_TABLES: Readonly<Record<string, ControlTable>> = {
  tenants: {
    what: 'tenants',
    json: ['limits', 'ingestion', 'jwt', 'remote_config'],
    isKnown: (row) =>
      isAlias(row.alias) && isOneOf(PLAN_NAMES, row.plan) && isOneOf(AUTH_STRATEGIES, row.auth_strategy),
  },
  api_keys: {
    what: 'keys',
    json: ['permissions', 'restrictions'],
    isKnown: ({ permissions }) => {
      const list: unknown = JSON.parse(String(permissions));
      return Array.isArray(list) && list.every((each) => isOneOf(PERMISSIONS, each));
    },
  },
  key_secrets: { what: 'secrets of keys', json: [] },
  dropped_tenants: { what: 'deleted tenants', json: [] },
  credentials: {
    what: 'credentials of administrators',
    json: ['tenant_ids', 'viewed_ids', 'identity', 'invitation'],
    isKnown: ({ role }) => isOneOf(ROLES, role),
  },
  audit: { what: 'audit entries', json: ['note'] },
  spent: { what: 'used single-use ids', json: [] },
  refusals: { what: 'refusals', json: ['example'] },
  views: { what: 'saved views', json: [] },
  usage_days: { what: 'days of usage', json: [] },
  buckets: { what: 'used limits', json: ['used'] },
};

/** Rows of these tables whose JSON cannot be read, and those with values that there are not. */
export function findDamagedRows(database: SqliteDatabase): FileFinding[] {
  return Object.entries(CONTROL_TABLES).flatMap(([table, { what, json, isKnown }]) => {
    if (json.length === 0) return [];
    const isDamaged = json.map((column) => `NOT coalesce(json_valid(${column}), TRUE)`).join(' OR ');
    const { count } = database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${isDamaged}`).get() as {
      count: number;
    };
    const findings = count > 0 ? [toFinding('damagedRows', `${count} of the ${what} are damaged`)] : [];
    if (isKnown === undefined) return findings;
    const rows = database.prepare(`SELECT * FROM ${table} WHERE NOT (${isDamaged})`).all() as ControlRow[];
    const unknown = rows.filter((row) => !isKnown(row)).length;
    if (unknown > 0)
      findings.push(
        toFinding('damagedRows', `${unknown} of the ${what} have values that this version does not know`),
      );
    return findings;
  });
}
