import type { Breakdown } from '../../src/index.ts';
import {
  bucketsOf,
  DAY_MS,
  emptyBreakdown,
  LATENESS,
  LATENESS_ROOT,
  toBucketKey,
  toKey,
  type EventQuery,
  type FilterPath,
  type GroupPath,
  type Group,
  type Grouping,
  type Scalar,
  type Span,
  type TimeSeries,
} from '../../src/store-kit.ts';
import {
  COLUMNS,
  createDraft,
  RECEIVED_AT,
  writeWhere,
  type Bind,
  type Dialect,
  type Statement,
} from './compile.ts';
import type { AskRows, Row } from './property-levels.ts';

/** The first letter of a key, which orders groups with equal counts. */
const LETTERS = { boolean: 'b', number: 'n', string: 's' } as const;
/**
 * Applied to finished groups only: next to the key of each event, it would make engines carry along whole
 * events.
 */
const KIND = 'substr(key, 1, 1)';
const SCALARS = `('b', 'n', 's')`;
/** The keys that are not groups: no value, an array, an object. */
const NO_GROUPS = ['', 'a', 'o'] as const;

/** The breakdown to compute. */
export interface AskedBreakdown {
  /** The tenant whose events are grouped. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
  /** How to group them. */
  readonly grouping: Grouping;
}

/** Groups events in the engine; `table` as for a page. */
export async function breakDownBySql(
  dialect: Dialect,
  table: string,
  asked: AskedBreakdown,
  ask: AskRows,
): Promise<Breakdown> {
  const { by, distinct, size } = asked.grouping;
  if ('unit' in by) return breakDownByTime(dialect, table, { ...asked, series: by }, ask);
  const rows = await ask(selectGroups(dialect, table, asked, (bind) => keyAt(dialect, by, bind)));
  const [first] = rows;
  if (first === undefined) return emptyBreakdown(asked.grouping);
  const [missing, arrays, objects] = NO_GROUPS.map((key) => rows.find((row) => keyOf(row) === key));
  const noGroups = [missing, arrays, objects].filter((row) => row !== undefined).length;
  const groups = rows
    .slice(noGroups, noGroups + size)
    .map((row): Group => ({ key: toKey(by, scalarOf(row)), ...countsOf(row, distinct) }));
  const count = (row: Row | undefined) => Number(row?.count ?? 0);
  return {
    total: Number(first.total),
    ...{ missing: count(missing), arrays: count(arrays), objects: count(objects) },
    ...{ groupsTotal: Number(first.keys_total) - noGroups, groups },
    ...(distinct === undefined ? {} : { distinct: Number(first.distinct_total) }),
  };
}

/** The start of a bucket for everything before the series. */
const BEFORE = Number.MIN_SAFE_INTEGER;

/**
 * The core determines the buckets, so that weeks and months are the same in every store. The result comes
 * from the last statement alone, so it is consistent: if events arrived meanwhile outside the buckets, these
 * are computed again.
 */
async function breakDownByTime(
  dialect: Dialect,
  table: string,
  { tenantId, query, grouping, series }: AskedBreakdown & { readonly series: TimeSeries },
  ask: AskRows,
): Promise<Breakdown> {
  const { distinct, size } = grouping;
  const [from, until] = [Math.max(query.from, series.from), Math.min(query.until, series.until)];
  const all = { tenantId, query: { ...query, from, until }, grouping: { ...grouping, size: Infinity } };
  const isOpen = series.from === -Infinity || series.until === Infinity;
  for (;;) {
    const starts = bucketsOf(series, isOpen ? await findSpan(dialect, table, all, ask) : undefined);
    const end = starts.at(-1);
    if (end === undefined) return emptyBreakdown(grouping);
    const rows = await ask(
      selectGroups(dialect, table, all, (bind) =>
        integerKey(dialect, dialect.startAmong('ts', bind([BEFORE, ...starts], 'numbers'))),
      ),
    );
    if (rows.length === 0) return emptyBreakdown(grouping);
    const byStart = new Map(rows.map((row) => [Number(scalarOf(row)), row]));
    if (byStart.has(BEFORE) || byStart.has(end)) continue;
    const found = [...byStart.keys()];
    // The first bucket of a series may begin before the series.
    const last = Math.max(series.from, ...found);
    const buckets = bucketsOf(series, { first: Math.min(...found), last }).slice(0, -1);
    const groups = buckets
      .slice(0, size)
      .map((start) => ({ key: toBucketKey(series, start), ...countsOf(byStart.get(start), distinct) }));
    return {
      ...{ total: Number(rows[0]!.total), missing: 0, arrays: 0, objects: 0 },
      ...{ groupsTotal: buckets.length, groups },
      ...(distinct === undefined ? {} : { distinct: Number(rows[0]!.distinct_total) }),
    };
  }
}

/** The times of the first and the last matching event; undefined if none match. */
async function findSpan(
  dialect: Dialect,
  table: string,
  { tenantId, query }: AskedBreakdown,
  ask: AskRows,
): Promise<Span | undefined> {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const text = `select count(*) as count, min(ts) as first, max(ts) as last from ${table} where ${where}`;
  const [row] = await ask({ text, values: draft.values });
  return Number(row!.count) === 0 ? undefined : { first: Number(row!.first), last: Number(row!.last) };
}

/** The counts outside groups and the first groups in order, each row with the totals of all groups. */
function selectGroups(
  dialect: Dialect,
  table: string,
  { tenantId, query, grouping: { distinct, size } }: AskedBreakdown,
  keyFrom: (bind: Bind) => string,
): Statement {
  const draft = createDraft(dialect);
  const key = keyFrom(draft.bind);
  const counted = distinct === undefined ? undefined : writeDistinct(dialect, distinct, draft.bind);
  const where = writeWhere(dialect, tenantId, query, draft);
  const distinctTotal =
    counted === undefined ? '0' : `(select count(distinct ${counted}) from ${table} where ${where})`;
  const limit = size === Infinity ? '' : `limit ${draft.bind(size + NO_GROUPS.length, 'number')}`;
  const isGroup = `case when key in (${NO_GROUPS.map((each) => `'${each}'`).join(', ')}) then 0 else 1 end`;
  // Each sum over all groups costs as much as sorting them, so the query has only those that no row provides.
  const text = `select key, n as count, values_count, ${distinctTotal} as distinct_total,
      sum(n) over () as total, count(*) over () as keys_total
    from (
      select key, count(*) as n,
        ${counted === undefined ? '0' : 'count(distinct counted)'} as values_count
      from (
        select ${key} as key, ${counted ?? '0'} as counted
        from ${table} where ${where} ${dialect.expectFewGroups ?? ''}
      ) found group by key
    ) grouped
    order by ${isGroup}, n desc, ${KIND},
      case when ${KIND} = 'n' then ${dialect.numberOf('substr(key, 2)')} else 0 end, key ${limit}`;
  return { text, values: draft.values };
}

/** An expression that is equal for equal scalars only, and null for everything else. */
function writeDistinct(dialect: Dialect, path: FilterPath, bind: Bind): string {
  const key = keyAt(dialect, path, bind);
  return `case when substr(${key}, 1, 1) in ${SCALARS} then ${key} end`;
}

function keyAt(dialect: Dialect, { root, segments }: GroupPath, bind: Bind): string {
  switch (root) {
    case 'properties':
      return dialect.keyOf(segments, bind);
    case 'eventTs':
      return integerKey(dialect, 'ts');
    case 'eventDate':
      return integerKey(dialect, dialect.floor('ts', DAY_MS));
    case 'receivedAt':
      return whereReceived(integerKey(dialect, RECEIVED_AT));
    case LATENESS_ROOT:
      return whereReceived(integerKey(dialect, LATENESS_STEP));
    default:
      return `'${LETTERS.string}' || ${COLUMNS[root]}`;
  }
}

/** The step of lateness of an event that has arrived at a known time. */
const LATENESS_STEP = `case ${LATENESS.slice(0, -1)
  .map(({ upTo }, step) => `when ${RECEIVED_AT} - ts <= ${upTo} then ${step}`)
  .join(' ')} else ${LATENESS.length - 1} end`;

/** The key of an event that has arrived at a known time; the empty text for any other. */
const whereReceived = (key: string) => `case when ${RECEIVED_AT} is null then '' else ${key} end`;

const integerKey = (dialect: Dialect, number: string) =>
  `'${LETTERS.number}' || ${dialect.integerText(number)}`;

const keyOf = ({ key }: Row) => key as string;

function scalarOf(row: Row): Scalar {
  const [letter, text] = [keyOf(row)[0], keyOf(row).slice(1)];
  if (letter === LETTERS.number) return Number(text);
  return letter === LETTERS.boolean ? text === 'true' : text;
}

function countsOf(row: Row | undefined, distinct: FilterPath | undefined): Omit<Group, 'key'> {
  const count = Number(row?.count ?? 0);
  return distinct === undefined ? { count } : { count, distinct: Number(row?.values_count ?? 0) };
}
