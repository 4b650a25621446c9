import type { Breakdown } from '../../src/index.ts';
import {
  bucketsOf,
  emptyBreakdown,
  toBucketKey,
  toKey,
  type EventQuery,
  type Group,
  type Grouping,
  type GroupPath,
  type Scalar,
  type Span,
  type TimeSeries,
  type Told,
  type Whole,
} from '../../src/store-kit.ts';
import type { Dialect } from './compile.ts';
import {
  integerKey,
  keyAt,
  LETTERS,
  NO_GROUPS,
  selectGroups,
  selectSpan,
  type KeyWriter,
  type SelectedEvents,
} from './groups.ts';
import type { AskRows, Row } from './property-levels.ts';

/** The breakdown to compute. */
export interface AskedBreakdown {
  /** The tenant whose events are grouped. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
  /** How to group them. */
  readonly grouping: Grouping;
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
type FindGroups = (query: EventQuery, keyFrom: KeyWriter, size: number) => Promise<FoundGroups | undefined>;

/** A breakdown to put together of what is found. */
interface SqlBreakdown extends AskedBreakdown {
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
    const rows = await ask(selectGroups(source, { keyFrom, distinct, size }));
    const [first] = rows;
    if (first === undefined) return undefined;
    const whole = {
      total: Number(first.total),
      ...(distinct === undefined ? {} : { distinct: Number(first.distinct_total) }),
    };
    return { whole, rows, rowsTotal: Number(first.rows_total) };
  };
  const question: SqlBreakdown = { dialect, table, tenantId, query, grouping, ask, find };
  const { by } = grouping;
  return 'unit' in by ? breakDownByTime(question, by) : breakDownByValue(question, by);
}

async function breakDownByValue(
  { dialect, query, grouping, find }: SqlBreakdown,
  by: GroupPath,
): Promise<Breakdown> {
  const found = await find(query, (bind) => keyAt(dialect, by, bind), grouping.size);
  if (found === undefined) return emptyBreakdown(grouping);
  const { whole, rows, rowsTotal } = found;
  const [missing, arrays, objects] = NO_GROUPS.map((key) => rows.find((row) => keyOf(row) === key));
  const noGroups = [missing, arrays, objects].filter((row) => row !== undefined).length;
  const groups = rows.slice(noGroups, noGroups + grouping.size).map((row): Group => ({
    key: toKey(by, scalarOf(row)),
    ...toTold(row, grouping),
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
export const BEFORE = Number.MIN_SAFE_INTEGER;

/**
 * The core determines the buckets, so that weeks and months are the same in every store. The result comes
 * from the last statement alone, so it is consistent: if events arrived meanwhile outside the buckets, these
 * are computed again.
 */
async function breakDownByTime(question: SqlBreakdown, series: TimeSeries): Promise<Breakdown> {
  const { dialect, query, grouping, find } = question;
  const [from, until] = [Math.max(query.from, series.from), Math.min(query.until, series.until)];
  const within = { ...query, from, until };
  const isOpen = series.from === -Infinity || series.until === Infinity;
  for (;;) {
    const starts = bucketsOf(series, isOpen ? await findSpan({ ...question, query: within }) : undefined);
    const end = starts.at(-1);
    if (end === undefined) return emptyBreakdown(grouping);
    const keyFrom: KeyWriter = (bind) =>
      integerKey(dialect, dialect.startAmong('ts', bind([BEFORE, ...starts], 'numbers')));
    const found = await find(within, keyFrom, Infinity);
    if (found === undefined) return emptyBreakdown(grouping);
    const byStart = new Map(found.rows.map((row) => [Number(scalarOf(row)), row]));
    if (byStart.has(BEFORE) || byStart.has(end)) continue;
    const starting = [...byStart.keys()];
    // The first bucket of a series may begin before the series.
    const last = Math.max(series.from, ...starting);
    const buckets = bucketsOf(series, { first: Math.min(...starting), last }).slice(0, -1);
    const groups = buckets.slice(0, grouping.size).map((start) => ({
      key: toBucketKey(series, start),
      ...toTold(byStart.get(start), grouping),
    }));
    const { total, ...figures } = found.whole;
    const counts = { total, missing: 0, arrays: 0, objects: 0, groupsTotal: buckets.length };
    return { ...counts, groups, ...figures };
  }
}

/** The times of the first and the last matching event; undefined if none match. */
export async function findSpan(
  question: SelectedEvents & { readonly ask: AskRows },
): Promise<Span | undefined> {
  const [row] = await question.ask(selectSpan(question));
  return Number(row!.count) === 0 ? undefined : { first: Number(row!.first), last: Number(row!.last) };
}

const keyOf = ({ key }: Row) => key as string;
const scalarOf = (row: Row) => toScalar(keyOf(row));

/** The scalar that a key is of. */
export function toScalar(key: string): Scalar {
  const [letter, text] = [key[0], key.slice(1)];
  if (letter === LETTERS.number) return Number(text);
  return letter === LETTERS.boolean ? text === 'true' : text;
}

/** What a row tells of its events; without one, what is told of none. */
function toTold(row: Row | undefined, { distinct }: Grouping): Told {
  return {
    count: Number(row?.count ?? 0),
    ...(distinct === undefined ? {} : { distinct: Number(row?.values_count ?? 0) }),
  };
}
