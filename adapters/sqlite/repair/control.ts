import { CONTROL_TABLES, countEach, type ControlTable } from '../check/control.ts';
import { countOrphans, ORPHANED, REBUILD_NAMES } from '../check/orphans.ts';
import { columnsOf, prepareInsert } from './insert.ts';
import { prepareReader, unlessDamaged, type ReadRow } from './readable.ts';
import type { Copying, Loss } from './copying.ts';

/** How far apart two readable rows of a small table may be for all ids between them to be tried. */
const GAP_MAX = 1_000_000;

/** Copies tenants, keys and all that is not events, as far as it can be read. */
export function copyControl(copying: Copying): Loss[] {
  const losses = Object.entries(CONTROL_TABLES).flatMap(([table, about]) => copyTable(copying, table, about));
  copying.target.exec(REBUILD_NAMES);
  return losses;
}

function copyTable({ source, target }: Copying, table: string, { what, all, json }: ControlTable): Loss[] {
  // An older schema has not all of them.
  const [key] = columnsOf(target, table);
  if (key === undefined) return [];
  const insert = prepareInsert(target, table);
  const kept = new Set<unknown>();
  const refused = new Map<unknown, string>();
  const reader = prepareReader(source, { table, key, columns: '*' }, (rows) => {
    for (const row of rows) {
      if (kept.has(row[key])) continue;
      if (json.every((column) => isJson(row[column])) && insert(row)) kept.add(row[key]);
      else refused.set(row[key], what(row));
    }
  });
  const isWhole = reader.fromEnds();
  if (!isWhole) readGaps(reader, kept);
  const damaged = [...refused].filter(([id]) => !kept.has(id)).map(([, each]) => each);
  return [
    ...(isWhole ? [] : [{ message: `some of the ${all} cannot be read`, events: 0 }]),
    ...[...countEach(damaged)].map(([each, count]) => ({
      message: `${count} of the ${each} are damaged`,
      events: 0,
    })),
  ];
}

/**
 * Leaves out keys and other documents of tenants that are not in the new file: without the tenant they are of
 * no use. Those whose tenant the damaged file lacked already are no loss.
 */
export function dropOrphans({ source, target }: Copying): Loss[] {
  const before = new Map(
    unlessDamaged(() => countOrphans(source))?.map(({ what, count }) => [what, count] as const),
  );
  const losses = countOrphans(target).flatMap(({ what, count }) => {
    const lost = count - (before.get(what) ?? 0);
    return lost > 0 ? [{ message: `${lost} ${what} belong to no tenant any more`, events: 0 }] : [];
  });
  target.exec(`DELETE FROM documents WHERE ${ORPHANED}; ${REBUILD_NAMES}`);
  return losses;
}

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
