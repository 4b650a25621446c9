import { CONTROL_TABLES, type ControlTable } from '../check/control.ts';
import { ORPHANED_KEYS, ORPHANED_SECRETS } from '../check/orphans.ts';
import { columnsOf, prepareInsert } from './insert.ts';
import { prepareReader, unlessDamaged, type ReadRow } from './readable.ts';
import type { Copying, Loss } from './copying.ts';

/** How far apart two readable rows of a small table may be for all ids between them to be tried. */
const GAP_MAX = 1_000_000;

/** Copies tenants, keys and all that is not events, as far as it can be read. */
export function copyControl(copying: Copying): Loss[] {
  return Object.entries(CONTROL_TABLES).flatMap(([table, about]) => copyTable(copying, table, about));
}

function copyTable({ source, target }: Copying, table: string, { what, json }: ControlTable): Loss[] {
  // An older schema has not all of them.
  const [key] = columnsOf(target, table);
  if (key === undefined) return [];
  const insert = prepareInsert(target, table);
  const kept = new Set<unknown>();
  const refused = new Set<unknown>();
  const reader = prepareReader(source, { table, key, columns: '*' }, (rows) => {
    for (const row of rows) {
      if (kept.has(row[key])) continue;
      if (json.every((column) => isJson(row[column])) && insert(row)) kept.add(row[key]);
      else refused.add(row[key]);
    }
  });
  const isWhole = reader.fromEnds();
  if (!isWhole) readGaps(reader, kept);
  const damaged = [...refused].filter((id) => !kept.has(id)).length;
  return [
    ...(isWhole ? [] : [{ message: `some of the ${what} cannot be read`, events: 0 }]),
    ...(damaged > 0 ? [{ message: `${damaged} of the ${what} are damaged`, events: 0 }] : []),
  ];
}

/**
 * Leaves out keys of tenants and secrets of keys that are not in the new file, as nobody could use them. What
 * belonged to nobody in the damaged file already is no loss.
 */
export function dropOrphans({ source, target }: Copying): Loss[] {
  return ORPHANS.flatMap(({ table, condition, says }) => {
    const from = `FROM ${table} WHERE ${condition}`;
    const before = unlessDamaged(() => source.prepare(`SELECT count(*) AS count ${from}`).get());
    const dropped = Number(target.prepare(`DELETE ${from}`).run().changes);
    const lost = dropped - ((before as { count: number } | undefined)?.count ?? 0);
    return lost > 0 ? [{ message: `${lost} ${says} any more`, events: 0 }] : [];
  });
}

const ORPHANS = [
  { table: 'api_keys', condition: ORPHANED_KEYS, says: 'keys belong to no tenant' },
  { table: 'key_secrets', condition: ORPHANED_SECRETS, says: 'secrets belong to no key' },
];

/** Tries the ids between those that were read. */
function readGaps(reader: ReturnType<typeof prepareReader>, kept: ReadonlySet<unknown>): void {
  const ids = [...kept].filter((id) => typeof id === 'number').sort((a, b) => a - b);
  for (const [i, id] of ids.entries()) {
    const before = ids[i - 1] ?? 0;
    if (id - before > 1 && id - before <= GAP_MAX) reader.byId(before + 1, id, () => true);
  }
}

/** Whether a column of JSON holds some, or nothing. */
function isJson(value: ReadRow[string]): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'string') return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
