import type { MemoryBudget } from '../../src/index.ts';
import {
  reserveOrThrow,
  type AskedStreams,
  type Scalar,
  type Stream,
  type StreamsPiece,
} from '../../src/store-kit.ts';
import { toScalar, type AskedBreakdown } from './breakdown.ts';
import {
  createDraft,
  writeCondition,
  writeRange,
  writeWhere,
  type Bind,
  type Statement,
  type TreeDialect,
} from './compile.ts';
import { isScalarKey, keyAt, NO_GROUPS, type SelectedEvents } from './groups.ts';
import { bytesOf, type Row } from './property-levels.ts';

/** The streams to tell. */
export interface SqlStreams extends Omit<AskedBreakdown, 'grouping'> {
  /** Which streams, and what is told of their events. */
  readonly asked: AskedStreams;
  /** The memory budget for the result rows. */
  readonly memory: MemoryBudget;
}

/** Runs one statement, and yields its rows a few at a time: never more than memory has room for. */
export type ReadPieces = (statement: Statement) => AsyncIterable<readonly Row[]>;

/**
 * Tells the streams of events in the engine, all by one statement, so that they are of one moment; `table` as
 * for a page. Throws `overloaded()` if the memory budget has no room for the rows that are read at once.
 */
export async function* streamsBySql(
  dialect: TreeDialect,
  table: string,
  { tenantId, query, asked, memory }: SqlStreams,
  read: ReadPieces,
): AsyncGenerator<StreamsPiece, void> {
  const reservation = memory.reservation(tenantId);
  try {
    for await (const rows of read(selectStreams({ dialect, table, tenantId, query }, asked))) {
      reservation.release();
      reserveOrThrow(reservation, bytesOf(rows));
      const missing = rows.reduce((sum, row) => sum + Number(row.missing), 0);
      const streams = rows.filter(({ who }) => who !== '').map((row) => toStream(row, asked));
      yield { streams, missing };
    }
  } finally {
    reservation.release();
  }
}

/**
 * A row for each stream with the number of its `events`, and one for all events without a value there, whose
 * key is empty.
 */
function selectStreams(
  { dialect, table, tenantId, query }: SelectedEvents<TreeDialect>,
  { distinct, bits, isWhole, same, by, missing }: AskedStreams,
): Statement {
  const draft = createDraft(dialect);
  const { bind } = draft;
  const key = keyAt(dialect, distinct, bind);
  const columns = [
    `case when ${isScalarKey(key)} then ${key} else '' end as who`,
    `${writeBits(dialect, bits, bind)} as bits`,
    ...same.map((path, i) => `${keyAt(dialect, path, bind)} as same_${i}`),
    ...(by === undefined ? [] : [`${keyAt(dialect, by, bind)} as own_group`]),
  ];
  const where = writeWhere(dialect, tenantId, query, draft);
  const isMissing = [`who = ''`, writeRange(missing.range, bind), `bits % ${2 ** missing.first} <> 0`];
  const list = (column: string) => dialect.inOrder(column, `who <> ''`);
  const lists = [
    ...[`${list('ts')} as instants`, `${list('bits')} as bit_list`],
    ...same.map((_, i) => `${list(`same_${i}`)} as same_list_${i}`),
    ...(by === undefined ? [] : [`${list('own_group')} as groups`]),
  ];
  return {
    text: `select who, ${lists.join(', ')}, sum(case when who <> '' then 1 else 0 end) as events,
      sum(case when ${isMissing.join(' and ')} then 1 else 0 end) as missing
    from (select ts, insert_id, ${columns.join(', ')} from ${table} where ${where}) found
    ${isWhole ? '' : 'where bits <> 0'} group by who`,
    values: draft.values,
  };
}

/** A whole number with a bit for each condition that an event meets. */
function writeBits(dialect: TreeDialect, conditions: AskedStreams['bits'], bind: Bind): string {
  const bits = conditions.map((condition, i) => {
    return `case when ${writeCondition(dialect, condition, bind)} then ${2 ** i} else 0 end`;
  });
  return bits.length === 0 ? '0' : `(${bits.join(' + ')})`;
}

function toStream(row: Row, { same, by }: AskedStreams): Stream {
  const listOf = (name: string) => (row[name] ?? []) as readonly unknown[];
  const instants = Float64Array.from(listOf('instants'), Number);
  return {
    key: toScalar(row.who as string),
    instants,
    bits: Uint32Array.from(listOf('bit_list'), Number),
    ...(same.length === 0 ? {} : { same: toNumbers(same.map((_, i) => listOf(`same_list_${i}`))) }),
    ...(by === undefined ? {} : { groups: listOf('groups').map((key) => groupOf(key as string)) }),
  };
}

/** A number for each combination of the keys of the lists; -1 where one is of no scalar. */
function toNumbers(lists: readonly (readonly unknown[])[]): Float64Array {
  const known = new Map<string, number>();
  return Float64Array.from(lists[0]!, (_, i) => {
    if (lists.some((list) => groupOf(list[i] as string) === undefined)) return -1;
    const text = JSON.stringify(lists.map((list) => list[i]));
    let number = known.get(text);
    if (number === undefined) known.set(text, (number = known.size));
    return number;
  });
}

function groupOf(key: string): Scalar | undefined {
  return NO_GROUPS.some((none) => none === key) ? undefined : toScalar(key);
}
