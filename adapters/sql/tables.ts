import type { FilterPath, MeasuredGrouping } from '../../src/store-kit.ts';
import { createDraft, writeWhere, type Bind, type Statement, type TreeDialect } from './compile.ts';
import { isScalarKey, keyOrder, writeDistinct, type KeyWriter, type SelectedEvents } from './groups.ts';
import { writeMeasure, writeUpper } from './measures.ts';

/** The groups of a dimension, of which a statement returns some. */
export interface SqlDimension {
  /** Writes what is the same for the events of a group; the empty text for those of none that is returned. */
  readonly keyFrom: KeyWriter;
  /** Which groups are returned: all, the first by count, or those with these keys. */
  readonly returned: 'all' | { readonly first: number } | { readonly keys: readonly string[] };
}

/** What a table tells. */
export interface AskedTable extends Pick<MeasuredGrouping, 'measures'> {
  readonly distinct?: FilterPath | undefined;
  readonly rows?: SqlDimension | undefined;
  readonly columns?: SqlDimension | undefined;
}

/** A dimension as a statement names it. */
interface Named {
  readonly name: 'row' | 'column';
  readonly dimension: SqlDimension;
}

/**
 * All events together, each row, each column and each cell, as far as there are such. The answer has a row
 * for each, with `row_key` and `column_key`, or with a 1 in `any_row` and `any_column`. A key of the empty
 * text is that of the rest. One statement finds all of them, so that they are of one moment.
 */
export function selectTable(
  { dialect, table, tenantId, query }: SelectedEvents<TreeDialect>,
  { rows, columns, distinct, measures }: AskedTable,
): Statement {
  const draft = createDraft(dialect);
  const { bind } = draft;
  const dimensions: Named[] = [
    ...(rows === undefined ? [] : [{ name: 'row', dimension: rows } as const]),
    ...(columns === undefined ? [] : [{ name: 'column', dimension: columns } as const]),
  ];
  const keys = dimensions.map(({ name, dimension }) => `${dimension.keyFrom(bind)} as ${name}_found`);
  const counted = distinct && writeDistinct(dialect, distinct, bind);
  const measured = measures.map((measure, i) => writeMeasure(dialect, measure, i, bind));
  const where = writeWhere(dialect, tenantId, query, draft);
  const ofEvents = [
    ...keys,
    ...['ts', `${counted ?? '0'} as counted`],
    ...measured.flatMap((each) => each.ofEvents),
  ];
  const chosen = dimensions.map((each) => writeChosen(dialect, each, bind));
  const found = `found as (
      select ${ofEvents.join(', ')} from ${table} where ${where} ${dialect.expectFewGroups ?? ''}
    )`;
  const ofGroups = [
    ...dimensions.flatMap(({ name }) => [`${name}_key`, `grouping(${name}_key) as any_${name}`]),
    ...['count(*) as count', 'min(ts) as first', 'max(ts) as last'],
    `${counted === undefined ? '0' : 'count(distinct counted)'} as values_count`,
    ...(rows === undefined ? [] : OUTSIDE),
    ...measured.flatMap((each) => each.ofGroups),
  ];
  const placed = ['*', ...chosen.map(({ key }) => key)].join(', ');
  const totals = ['*', ...chosen.map(({ total }) => total)].join(', ');
  const text = `with ${[found, ...chosen.flatMap(({ tables }) => tables)].join(', ')}
    select ${totals} from (
      select ${ofGroups.join(', ')} from (select ${placed} from found) placed ${writeSets(dimensions)}
    ) grouped`;
  return { text, values: draft.values };
}

/** The counts outside of the groups of a path, and the keys of such events. */
const OUTSIDE = [
  ['missing', ''],
  ['arrays', 'a'],
  ['objects', 'o'],
].map(([name, key]) => `count(case when row_found = '${key}' then 1 end) as ${name}`);

function writeSets(dimensions: readonly Named[]): string {
  const [row, column] = dimensions.map(({ name }) => `${name}_key`);
  if (row === undefined) return '';
  const sets = column === undefined ? `(${row}), ()` : `(${row}, ${column}), (${row}), (${column}), ()`;
  return `group by grouping sets (${sets})`;
}

/** The tables by which groups are chosen, the key of each event among these, and the number of groups. */
function writeChosen(dialect: TreeDialect, { name, dimension }: Named, bind: Bind) {
  const { returned } = dimension;
  const [found, key] = [`${name}_found`, `${name}_key`];
  const total = `(select count(*) from ${name}_groups where ${isScalarKey('key')}) as ${name}s_total`;
  const groups = `${name}_groups as (select ${found} as key, count(*) as count from found group by ${found})`;
  const choose = (isReturned: string) => `case when ${isReturned} then ${found} else '' end as ${key}`;
  if (returned === 'all') return { tables: [groups], key: choose(isScalarKey(found)), total };
  if ('keys' in returned)
    return { tables: [groups], key: choose(dialect.ofText.IN(found, returned.keys, bind)), total };
  const first = `${name}s_returned as (
      select key from ${name}_groups where ${isScalarKey('key')}
      order by count desc, ${keyOrder(dialect)} limit ${bind(returned.first, 'number')}
    )`;
  return { tables: [groups, first], key: choose(`${found} in (select key from ${name}s_returned)`), total };
}

/** What decides which groups come first: a figure of a measure. */
export interface AskedOrder extends Pick<MeasuredGrouping, 'measures'> {
  readonly keyFrom: KeyWriter;
  /** How many groups to return. */
  readonly size: number;
}

/**
 * The groups that may come first by the one figure of the one measure: by `upper`, which is not less than
 * the figure. What is behind so many of them has no greater one.
 */
export function selectOrder(
  { dialect, table, tenantId, query }: SelectedEvents<TreeDialect>,
  { keyFrom, measures, size }: AskedOrder,
): Statement {
  const draft = createDraft(dialect);
  const { bind } = draft;
  const [measure] = measures;
  const key = keyFrom(bind);
  const { ofEvents, ofGroups } = writeMeasure(dialect, measure!, 0, bind);
  const upper = writeUpper(dialect, measure!.take[0]!, 0);
  const events = [`${key} as key`, ...ofEvents].join(', ');
  const where = writeWhere(dialect, tenantId, query, draft);
  const text = `select * from (
      select key, ${[...ofGroups, `${upper} as upper`].join(', ')} from (
        select ${events} from ${table} where ${where} ${dialect.expectFewGroups ?? ''}
      ) found group by key
    ) grouped where ${isScalarKey('key')}
    order by upper desc nulls last, ${keyOrder(dialect)} limit ${bind(size, 'number')}`;
  return { text, values: draft.values };
}
