import { overloaded, type Breakdown, type MemoryBudget } from '../../src/index.ts';
import {
  bucketsOf,
  emptyBreakdown,
  toBucketKey,
  toKey,
  type EventQuery,
  type Group,
  type Grouping,
  type GroupPath,
  type MeasuredGrouping,
  type Scalar,
  type Span,
  type TimeSeries,
  type Whole,
} from '../../src/store-kit.ts';
import type { Dialect, TreeDialect } from './compile.ts';
import {
  integerKey,
  keyAt,
  LETTERS,
  NO_GROUPS,
  selectGroups,
  selectMeasured,
  selectSpan,
  type KeyWriter,
} from './groups.ts';
import { readMeasure } from './measures.ts';
import { bytesOf, type AskRows, type Row } from './property-levels.ts';

/** The breakdown to compute. */
export interface AskedBreakdown {
  /** The tenant whose events are grouped. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
  /** How to group them. */
  readonly grouping: Grouping;
}

/** What to measure, and of which events. */
export interface AskedMeasuring extends Omit<AskedBreakdown, 'grouping'> {
  /** What to measure. */
  readonly measuring: MeasuredGrouping;
  /** The memory budget for the result rows. */
  readonly memory: MemoryBudget;
}

/** What an engine tells of groups. */
interface FoundGroups {
  readonly whole: Whole;
  /** The counts outside groups and the first groups, in order. */
  readonly rows: readonly Row[];
  /** How many rows there are in all. */
  readonly rowsTotal: number;
}

/** Finds the first groups of some events, by what writes their keys; undefined if there are no events. */
type FindGroups = (
  query: EventQuery,
  keyFrom: KeyWriter | undefined,
  size: number,
) => Promise<FoundGroups | undefined>;

/** A breakdown to put together of what is found. */
interface SqlBreakdown extends Omit<AskedMeasuring, 'memory'> {
  readonly dialect: Dialect;
  readonly table: string;
  readonly ask: AskRows;
  readonly find: FindGroups;
}

/** Groups events in the engine; `table` as for a page. */
export function breakDownBySql(
  dialect: Dialect,
  table: string,
  { tenantId, query, grouping }: AskedBreakdown,
  ask: AskRows,
): Promise<Breakdown> {
  const { distinct } = grouping;
  const find: FindGroups = async (events, keyFrom, size) => {
    const source = { dialect, table, tenantId, query: events };
    const rows = await ask(selectGroups(source, { keyFrom: keyFrom!, distinct, size }));
    const [first] = rows;
    if (first === undefined) return undefined;
    const whole = {
      total: Number(first.total),
      ...(distinct === undefined ? {} : { distinct: Number(first.distinct_total) }),
    };
    return { whole, rows, rowsTotal: Number(first.rows_total) };
  };
  const measuring = { ...grouping, measures: [] };
  return answer({ dialect, table, tenantId, query, measuring, ask, find }) as Promise<Breakdown>;
}

/**
 * Measures events in the engine, in all and in each group; `table` as for a page. Throws `overloaded()` if
 * the memory budget has no room for the result rows.
 */
export async function measureBySql(
  dialect: TreeDialect,
  table: string,
  { tenantId, query, measuring, memory }: AskedMeasuring,
  ask: AskRows,
): Promise<Breakdown | Whole> {
  const reservation = memory.reservation(tenantId);
  const find: FindGroups = async (events, keyFrom, size) => {
    const source = { dialect, table, tenantId, query: events };
    const rows = await ask(selectMeasured(source, { ...measuring, keyFrom, size }));
    if (!reservation.reserve(bytesOf(rows))) throw overloaded();
    const [all, ...others] = rows;
    const { count: total, ...figures } = toTold(all, measuring);
    return total === 0
      ? undefined
      : { whole: { total, ...figures }, rows: others, rowsTotal: Number(all!.rows_total) - 1 };
  };
  try {
    return await answer({ dialect, table, tenantId, query, measuring, ask, find });
  } finally {
    reservation.release();
  }
}

async function answer(question: SqlBreakdown): Promise<Breakdown | Whole> {
  const { query, measuring, find } = question;
  const { by } = measuring;
  if (by === undefined) return (await find(query, undefined, 0))?.whole ?? emptyBreakdown(measuring);
  return 'unit' in by ? breakDownByTime(question, by) : breakDownByValue(question, by);
}

async function breakDownByValue({ dialect, query, measuring, find }: SqlBreakdown, by: GroupPath) {
  const found = await find(query, (bind) => keyAt(dialect, by, bind), measuring.size);
  if (found === undefined) return emptyBreakdown(measuring);
  const { whole, rows, rowsTotal } = found;
  const [missing, arrays, objects] = NO_GROUPS.map((key) => rows.find((row) => keyOf(row) === key));
  const noGroups = [missing, arrays, objects].filter((row) => row !== undefined).length;
  const groups = rows.slice(noGroups, noGroups + measuring.size).map((row): Group => ({
    key: toKey(by, scalarOf(row)),
    ...toTold(row, measuring),
  }));
  const count = (row: Row | undefined) => Number(row?.count ?? 0);
  const { total, ...figures } = whole;
  return {
    ...{ total, missing: count(missing), arrays: count(arrays), objects: count(objects) },
    ...{ groupsTotal: rowsTotal - noGroups, groups },
    ...figures,
  };
}

/** The start of a bucket for everything before the series. */
const BEFORE = Number.MIN_SAFE_INTEGER;

/**
 * The core determines the buckets, so that weeks and months are the same in every store. The result comes
 * from the last statement alone, so it is consistent: if events arrived meanwhile outside the buckets, these
 * are computed again.
 */
async function breakDownByTime(question: SqlBreakdown, series: TimeSeries) {
  const { dialect, query, measuring, find } = question;
  const [from, until] = [Math.max(query.from, series.from), Math.min(query.until, series.until)];
  const within = { ...query, from, until };
  const isOpen = series.from === -Infinity || series.until === Infinity;
  for (;;) {
    const starts = bucketsOf(series, isOpen ? await findSpan({ ...question, query: within }) : undefined);
    const end = starts.at(-1);
    if (end === undefined) return emptyBreakdown(measuring);
    const keyFrom: KeyWriter = (bind) =>
      integerKey(dialect, dialect.startAmong('ts', bind([BEFORE, ...starts], 'numbers')));
    const found = await find(within, keyFrom, Infinity);
    if (found === undefined) return emptyBreakdown(measuring);
    const byStart = new Map(found.rows.map((row) => [Number(scalarOf(row)), row]));
    if (byStart.has(BEFORE) || byStart.has(end)) continue;
    const starting = [...byStart.keys()];
    // The first bucket of a series may begin before the series.
    const last = Math.max(series.from, ...starting);
    const buckets = bucketsOf(series, { first: Math.min(...starting), last }).slice(0, -1);
    const groups = buckets.slice(0, measuring.size).map((start) => ({
      key: toBucketKey(series, start),
      ...toTold(byStart.get(start), measuring),
    }));
    const { total, ...figures } = found.whole;
    const counts = { total, missing: 0, arrays: 0, objects: 0, groupsTotal: buckets.length };
    return { ...counts, groups, ...figures };
  }
}

/** The times of the first and the last matching event; undefined if none match. */
async function findSpan(question: SqlBreakdown): Promise<Span | undefined> {
  const [row] = await question.ask(selectSpan(question));
  return Number(row!.count) === 0 ? undefined : { first: Number(row!.first), last: Number(row!.last) };
}

const keyOf = ({ key }: Row) => key as string;

function scalarOf(row: Row): Scalar {
  const [letter, text] = [keyOf(row)[0], keyOf(row).slice(1)];
  if (letter === LETTERS.number) return Number(text);
  return letter === LETTERS.boolean ? text === 'true' : text;
}

/** What a row tells of its events; without one, what is told of none. */
function toTold(row: Row | undefined, { distinct, measures }: MeasuredGrouping): Omit<Group, 'key'> {
  return {
    count: Number(row?.count ?? 0),
    ...(distinct === undefined ? {} : { distinct: Number(row?.values_count ?? 0) }),
    ...(measures.length === 0 ? {} : { measures: measures.map((one, i) => readMeasure(row, one, i)) }),
  };
}
