import type { Breakdown, MemoryBudget } from '../../src/index.ts';
import {
  bucketGroups,
  bucketsOf,
  compareByFigure,
  emptyBreakdown,
  reserveOrThrow,
  seriesOf,
  toBreakdown,
  toKey,
  type Dimension,
  type GroupKeys,
  type GroupPath,
  type MeasuredGrouping,
  type TimeSeries,
  type Told,
  type Whole,
} from '../../src/store-kit.ts';
import { BEFORE, findSpan, toScalar, type AskedBreakdown } from './breakdown.ts';
import type { TreeDialect } from './compile.ts';
import { integerKey, keyAt, LETTERS, type KeyWriter } from './groups.ts';
import { readMeasure } from './measures.ts';
import { bytesOf, type AskRows, type Row } from './property-levels.ts';
import { selectOrder, selectTable, type SqlDimension } from './tables.ts';

/** What to measure, and of which events. */
export interface AskedMeasuring extends Omit<AskedBreakdown, 'grouping'> {
  /** What to measure. */
  readonly measuring: MeasuredGrouping;
  /** The memory budget for the result rows. */
  readonly memory: MemoryBudget;
}

/** A measuring under way. */
interface SqlMeasuring extends Omit<AskedMeasuring, 'memory'> {
  readonly dialect: TreeDialect;
  readonly table: string;
  /** Runs a statement and books its rows. */
  readonly ask: AskRows;
  /** Books memory. Throws `overloaded()` if there is none. */
  readonly book: (bytes: number) => void;
}

/**
 * Measures events in the engine: in all, in each group, in each cell and in the rest; `table` as for a page.
 * With an order several statements are asked, which have to see the same events. Throws `overloaded()` if the
 * memory budget has no room for the result rows.
 */
export async function measureBySql(
  dialect: TreeDialect,
  table: string,
  { memory, ...asked }: AskedMeasuring,
  ask: AskRows,
): Promise<Breakdown | Whole> {
  const reservation = memory.reservation(asked.tenantId);
  const book = (bytes: number) => {
    reserveOrThrow(reservation, bytes);
  };
  const askBooked: AskRows = async (statement) => {
    const rows = await ask(statement);
    book(bytesOf(rows));
    return rows;
  };
  try {
    return await measure({ ...asked, dialect, table, ask: askBooked, book });
  } finally {
    reservation.release();
  }
}

/** Rows by the keys of their row and their column; of all of them where there is none. */
type ByKeys = (row: string | undefined, column: string | undefined) => Row | undefined;

async function measure(question: SqlMeasuring): Promise<Breakdown | Whole> {
  const { measuring, query } = question;
  const { by, size, columns } = measuring;
  const series = seriesOf(measuring);
  const within = series === undefined ? query : { ...query, ...narrowed(query, series) };
  const source = { ...question, query: within };
  const isOpen = series !== undefined && (series.from === -Infinity || series.until === Infinity);
  for (;;) {
    const starts = series && bucketsOf(series, isOpen ? await findSpan(source) : undefined);
    if (starts?.length === 0) return emptyBreakdown(measuring);
    const dimensionOf = (dimension: Dimension, keys?: readonly string[]) =>
      toSqlDimension(question.dialect, dimension, { starts, keys });
    const isChosen = measuring.orderBy !== undefined && size !== Infinity;
    const keys = isChosen ? await firstKeys(source, size) : undefined;
    const rows = await question.ask(
      selectTable(source, {
        ...measuring,
        rows: by && dimensionOf({ by, size }, keys),
        columns: columns && dimensionOf(columns),
      }),
    );
    const rowAt = byKeys(rows);
    const all = rowAt(undefined, undefined);
    if (all === undefined || Number(all.count) === 0) return emptyBreakdown(measuring);
    if (series !== undefined && isOpen) {
      // Events outside of the buckets may have arrived meanwhile, and the first ones may have been erased.
      const now = bucketsOf(series, { first: Number(all.first), last: Number(all.last) });
      if (now[0] !== starts![0] || now.at(-1) !== starts!.at(-1)) continue;
    }
    return answer(question, { rows, rowAt, all, starts });
  }
}

/** The time of a query within that of a series. */
function narrowed(query: SqlMeasuring['query'], series: TimeSeries) {
  return { from: Math.max(query.from, series.from), until: Math.min(query.until, series.until) };
}

function byKeys(rows: readonly Row[]): ByKeys {
  const places = new Map(rows.map((row) => [toText(keyIn(row, 'row'), keyIn(row, 'column')), row]));
  return (row, column) => places.get(toText(row, column));
}

const toText = (row: string | undefined, column: string | undefined) =>
  JSON.stringify([row ?? null, column ?? null]);

/** The key of a row of the answer in one dimension; undefined if it is of all of these. */
function keyIn(row: Row, name: 'row' | 'column'): string | undefined {
  return Number(row[`any_${name}`] ?? 1) === 1 ? undefined : (row[`${name}_key`] as string);
}

function toSqlDimension(
  dialect: TreeDialect,
  { by, size }: Dimension,
  {
    starts,
    keys,
  }: { readonly starts: readonly number[] | undefined; readonly keys: readonly string[] | undefined },
): SqlDimension {
  if (!('unit' in by)) {
    const returned = keys === undefined ? { first: size } : { keys };
    return {
      keyFrom: (bind) => keyAt(dialect, by, bind),
      returned: size === Infinity && keys === undefined ? 'all' : returned,
    };
  }
  const behind = starts![size];
  return {
    keyFrom: (bind) => {
      const key = integerKey(dialect, dialect.startAmong('ts', bind([BEFORE, ...starts!], 'numbers')));
      return behind === undefined ? key : `case when ts < ${bind(behind, 'number')} then ${key} else '' end`;
    },
    returned: 'all',
  };
}

/** What an engine has found of a table. */
interface FoundTable {
  readonly rows: readonly Row[];
  readonly rowAt: ByKeys;
  readonly all: Row;
  readonly starts: readonly number[] | undefined;
}

/** Groups with the keys by which the engine knows them; that of the rest comes behind them. */
interface KnownGroups extends GroupKeys {
  readonly known: readonly string[];
}

function answer({ measuring }: SqlMeasuring, { rows, rowAt, all, starts }: FoundTable): Breakdown | Whole {
  const { by, size, columns } = measuring;
  const tell = (row: string | undefined, column: string | undefined) => toTold(rowAt(row, column), measuring);
  if (by === undefined) {
    const { count: total, ...whole } = tell(undefined, undefined);
    return { total, ...whole };
  }
  const groupsOf = (dimension: Dimension, name: 'row' | 'column'): KnownGroups => {
    if ('unit' in dimension.by) return bucketsFound(dimension.by, starts!, dimension.size);
    const other = name === 'row' ? 'column' : 'row';
    const own = rows.filter((row) => keyIn(row, name) !== undefined && keyIn(row, other) === undefined);
    return valuesFound(dimension.by, own, name, Number(all[`${name}s_total`]), measuring);
  };
  const [first, second] = [groupsOf({ by, size }, 'row'), columns && groupsOf(columns, 'column')];
  const count = (name: string) => ('unit' in by ? 0 : Number(all[name]));
  return toBreakdown({
    ...{ missing: count('missing'), arrays: count('arrays'), objects: count('objects') },
    ...{ rows: first, columns: second },
    tell: (row, column) =>
      tell(
        row === undefined ? undefined : (first.known[row] ?? ''),
        column === undefined ? undefined : (second!.known[column] ?? ''),
      ),
  });
}

function bucketsFound(series: TimeSeries, starts: readonly number[], size: number): KnownGroups {
  const known = starts
    .slice(0, -1)
    .slice(0, size)
    .map((start) => `${LETTERS.number}${start}`);
  return { ...bucketGroups(series, starts, size), known };
}

/** The groups of a path, in their order. */
function valuesFound(
  by: GroupPath,
  rows: readonly Row[],
  name: 'row' | 'column',
  total: number,
  measuring: MeasuredGrouping,
): KnownGroups {
  const { orderBy, measures } = measuring;
  const isOrdered = orderBy !== undefined && name === 'row';
  const groups = rows
    .map((row) => ({ known: keyIn(row, name)!, row }))
    .filter(({ known }) => known !== '')
    .map(({ known, row }) => {
      const scalar = toScalar(known);
      const figure = isOrdered
        ? readMeasure(row, measures[orderBy.measure]!, orderBy.measure)[orderBy.take]
        : Number(row.count);
      return { known, scalar, figure };
    })
    .sort((a, b) => compareByFigure([a.scalar, a.figure], [b.scalar, b.figure]));
  return {
    keys: groups.map(({ scalar }) => toKey(by, scalar)),
    known: groups.map(({ known }) => known),
    total,
  };
}

/** How many groups more than are asked for may come first by what is not less than their figures. */
const SPARE_GROUPS = 1000;
/** By how much more are asked for if these are not enough. */
const GROWTH = 8;
/** About how much memory such a group takes. */
const GROUP_BYTES = 512;

/**
 * The keys of the first groups by a figure. An engine cannot round all figures as the core does, so it gives
 * the groups by what is not less than these, until no other group can come before the last one wanted.
 */
async function firstKeys(question: SqlMeasuring, size: number): Promise<readonly string[]> {
  const { dialect, measuring, ask, book } = question;
  const { by, measures, orderBy } = measuring;
  const asked = measures[orderBy!.measure]!;
  const one = { ...asked, take: asked.take.filter(({ name }) => name === orderBy!.take) };
  const keyFrom: KeyWriter = (bind) => keyAt(dialect, by as GroupPath, bind);
  for (let most = size + SPARE_GROUPS; ; most *= GROWTH) {
    book(most * GROUP_BYTES);
    const rows = await ask(selectOrder(question, { keyFrom, measures: [one], size: most }));
    const groups = rows
      .map((row) => {
        const key = row.key as string;
        return { key, place: [toScalar(key), toNumber(readMeasure(row, one, 0)[orderBy!.take])] as const };
      })
      .sort((a, b) => compareByFigure(a.place, b.place));
    const first = groups.slice(0, size);
    const last = rows.at(-1);
    const isCertain =
      rows.length < most ||
      (last !== undefined &&
        first.length === size &&
        compareByFigure(first.at(-1)!.place, [toScalar(last.key as string), toNumber(last.upper)]) <= 0);
    if (isCertain) return first.map(({ key }) => key);
  }
}

/** A figure as a number; an instant as its epoch milliseconds. */
function toNumber(figure: unknown): number | null {
  if (figure === null || figure === undefined) return null;
  return typeof figure === 'string' && figure.endsWith('Z') ? Date.parse(figure) : Number(figure);
}

/** What a row tells of its events; without one, what is told of none. */
function toTold(row: Row | undefined, { distinct, measures }: MeasuredGrouping): Told {
  return {
    count: Number(row?.count ?? 0),
    ...(distinct === undefined ? {} : { distinct: Number(row?.values_count ?? 0) }),
    ...(measures.length === 0 ? {} : { measures: measures.map((one, i) => readMeasure(row, one, i)) }),
  };
}
