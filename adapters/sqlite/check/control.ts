import { isKnownDocument, nameOfKind } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { toDocument } from '../writes/control.ts';
import { toFinding, type FileFinding } from './finding.ts';

/** What a table holds that is not derived and no event. */
export interface ControlTable {
  /** What a sentence calls its rows. */
  readonly what: (row: Readonly<Record<string, unknown>>) => string;
  /** What a sentence calls all of them. */
  readonly all: string;
  /** Its columns of JSON. */
  readonly json: readonly string[];
}

const rowsOf = (all: string, ...json: string[]): ControlTable => ({ what: () => all, all, json });

/** The tables that are not derived. */
export const CONTROL_TABLES: Readonly<Record<string, ControlTable>> = {
  documents: {
    what: ({ kind }) => nameOfKind(String(kind)),
    all: 'tenants, keys and other documents',
    json: ['names', 'document'],
  },
  dropped_tenants: rowsOf('deleted tenants'),
  audit: rowsOf('audit entries', 'note'),
  buckets: rowsOf('used limits', 'used'),
};

/** Counts texts, in the order in which each came first. */
export function countEach(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Rows of these tables whose JSON cannot be read, and documents with values that there are not. */
export function findDamagedRows(database: SqliteDatabase): FileFinding[] {
  const findings: FileFinding[] = [];
  const add = (kinds: readonly string[], says: string) => {
    for (const [what, count] of countEach(kinds))
      findings.push(toFinding('damagedRows', `${count} of the ${what} ${says}`));
  };
  for (const [table, { what, json }] of Object.entries(CONTROL_TABLES)) {
    if (json.length === 0) continue;
    const isDamaged = json.map((column) => `NOT coalesce(json_valid(${column}), TRUE)`).join(' OR ');
    const select = `SELECT * FROM ${table} WHERE`;
    const rows = database.prepare(`${select} ${isDamaged}`).all() as Readonly<Record<string, unknown>>[];
    add(rows.map(what), 'are damaged');
    if (table !== 'documents') continue;
    const unknown: string[] = [];
    for (const row of database.prepare(`${select} NOT (${isDamaged})`).iterate()) {
      const document = toDocument(row)!;
      if (!isKnownDocument(document)) unknown.push(nameOfKind(document.kind));
    }
    add(unknown, 'have values that this version does not know');
  }
  return findings;
}
