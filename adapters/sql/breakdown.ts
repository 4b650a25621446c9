import {
  bucketsOf,
  DAY_MS,
  emptyBreakdown,
  toIsoInstant,
  toKey,
  type Breakdown,
  type EventQuery,
  type FilterPath,
  type Group,
  type Grouping,
  type Scalar,
  type TimeSeries,
} from '../../src/index.ts';
import {
  COLUMNS,
  createDraft,
  writeWhere,
  type Bind,
  type Dialect,
  type Found,
  type Statement,
} from './compile.ts';

/** One row of an answer: a group with what all groups come to. */
type Row = Readonly<Record<string, unknown>>;

/** Asks the engine one statement. */
type Ask = (statement: Statement) => Promise<readonly Row[]>;

const SCALARS = `('string', 'number', 'boolean')`;
/** Groups of as many events: booleans, numbers, texts. */
const RANK = `case kind when 'boolean' then 0 when 'number' then 1 when 'string' then 2 else 3 end`;

interface Asked {
  readonly tenantId: string;
  readonly query: EventQuery;
  readonly grouping: Grouping;
}

/** How events fall into groups, counted by the engine; `table` as for a page. */
export async function breakDownBySql(
  dialect: Dialect,
  table: string,
  asked: Asked,
  ask: Ask,
): Promise<Breakdown> {
  const { by, distinct, size } = asked.grouping;
  if ('unit' in by) return breakDownByTime(dialect, table, { ...asked, series: by }, ask);
  const rows = await ask(selectGroups(dialect, table, asked, (bind) => findAt(dialect, by, bind)));
  const [first] = rows;
  if (first === undefined) return emptyBreakdown(asked.grouping);
  const groups = rows
    .filter(({ kind }) => kind === 'string' || kind === 'number' || kind === 'boolean')
    .slice(0, size)
    .map((row): Group => ({ key: toKey(by, scalarOf(row)), ...countsOf(row, distinct) }));
  const sum = (name: string) => Number(first[name]);
  return {
    ...{ total: sum('total'), missing: sum('missing'), arrays: sum('arrays'), objects: sum('objects') },
    ...{ groupsTotal: sum('groups_total'), groups },
    ...(distinct === undefined ? {} : { distinct: sum('distinct_total') }),
  };
}

/** Time is cut by the core, so that weeks and months are those of every store. */
async function breakDownByTime(
  dialect: Dialect,
  table: string,
  { tenantId, query, grouping, series }: Asked & { readonly series: TimeSeries },
  ask: Ask,
): Promise<Breakdown> {
  const { distinct, size } = grouping;
  const [span] = await ask(selectSpan(dialect, table, tenantId, query));
  if (Number(span!.count) === 0) return emptyBreakdown(grouping);
  const starts = bucketsOf(series, { first: Number(span!.first), last: Number(span!.last) });
  const [from, until] = [starts[0]!, starts.at(-1)!];
  // What arrives meanwhile outside of these buckets is not of this answer.
  const within = { ...query, from: Math.max(query.from, from), until: Math.min(query.until, until) };
  const asked = { tenantId, query: within, grouping: { ...grouping, size: Infinity } };
  const rows = await ask(
    selectGroups(dialect, table, asked, (bind) => ({
      ...{ kind: `'number'`, text: `''` },
      number: dialect.startAmong('ts', bind(starts.slice(0, -1), 'numbers')),
    })),
  );
  const byStart = new Map(rows.map((row) => [Number(row.number_text), row]));
  const groups = starts
    .slice(0, -1)
    .slice(0, size)
    .map((start) => ({ key: toIsoInstant(start), ...countsOf(byStart.get(start), distinct) }));
  return {
    ...{ total: Number(rows[0]?.total ?? 0), missing: 0, arrays: 0, objects: 0 },
    ...{ groupsTotal: starts.length - 1, groups },
    ...(distinct === undefined ? {} : { distinct: Number(rows[0]?.distinct_total ?? 0) }),
  };
}

function selectSpan(dialect: Dialect, table: string, tenantId: string, query: EventQuery): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const text = `select count(*) as count, min(ts) as first, max(ts) as last from ${table} where ${where}`;
  return { text, values: draft.values };
}

/** The first groups in their order, each with what all of them come to; what is no group comes last. */
function selectGroups(
  dialect: Dialect,
  table: string,
  { tenantId, query, grouping: { distinct, size } }: Asked,
  find: (bind: Bind) => Found,
): Statement {
  const draft = createDraft(dialect);
  const { kind, text, number } = find(draft.bind);
  const counted = distinct === undefined ? undefined : writeDistinct(dialect, distinct, draft.bind);
  const where = writeWhere(dialect, tenantId, query, draft);
  const among = (values: string) => `sum(case when kind in ${values} then n else 0 end) over ()`;
  const distinctTotal =
    counted === undefined ? '0' : `(select count(distinct ${counted}) from ${table} where ${where})`;
  // At least one row, for the sums.
  const limit = size === Infinity ? '' : `limit ${draft.bind(Math.max(1, size), 'number')}`;
  const statement = `select kind, text, ${dialect.numberText('number')} as number_text, n as count,
      values_count, ${distinctTotal} as distinct_total, sum(n) over () as total,
      ${among(`('null')`)} as missing, ${among(`('array')`)} as arrays, ${among(`('object')`)} as objects,
      sum(case when kind in ${SCALARS} then 1 else 0 end) over () as groups_total
    from (
      select kind, text, number, count(*) as n,
        ${counted === undefined ? '0' : 'count(distinct counted)'} as values_count
      from (
        select ${kind} as kind, ${text} as text, ${number} as number, ${counted ?? '0'} as counted
        from ${table} where ${where}
      ) found group by kind, text, number
    ) grouped
    order by case when kind in ${SCALARS} then 0 else 1 end, n desc, ${RANK}, number, text ${limit}`;
  return { text: statement, values: draft.values };
}

/** What is equal for equal scalars only, and null for everything else. */
function writeDistinct(dialect: Dialect, path: FilterPath, bind: Bind): string {
  const { kind, text, number } = findAt(dialect, path, bind);
  return (
    `case ${kind} when 'string' then concat('s', ${text}) when 'boolean' then concat('b', ${text}) ` +
    `when 'number' then concat('n', ${dialect.numberText(number)}) end`
  );
}

function findAt(dialect: Dialect, { root, segments }: FilterPath, bind: Bind): Found {
  switch (root) {
    case 'properties':
      return dialect.find(segments, bind);
    case 'eventTs':
      return { kind: `'number'`, text: `''`, number: 'ts' };
    case 'eventDate':
      return { kind: `'number'`, text: `''`, number: dialect.floor('ts', DAY_MS) };
    default:
      return { kind: `'string'`, text: COLUMNS[root], number: '0' };
  }
}

function scalarOf({ kind, text, number_text }: Row): Scalar {
  if (kind === 'number') return Number(number_text);
  return kind === 'boolean' ? text === 'true' : (text as string);
}

function countsOf(row: Row | undefined, distinct: FilterPath | undefined): Omit<Group, 'key'> {
  const count = Number(row?.count ?? 0);
  return distinct === undefined ? { count } : { count, distinct: Number(row?.values_count ?? 0) };
}
