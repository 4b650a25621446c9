import {
  DAY_MS,
  LATENESS,
  LATENESS_ROOT,
  type EventQuery,
  type FilterPath,
  type GroupPath,
  type MeasuredGrouping,
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

/** The first letter of a key, which orders groups with equal counts. */
export const LETTERS = { boolean: 'b', number: 'n', string: 's' } as const;
/**
 * Applied to finished groups only: next to the key of each event, it would make engines carry along whole
 * events.
 */
const KIND = 'substr(key, 1, 1)';
const SCALARS = `('b', 'n', 's')`;
/** The keys that are not groups: no value, an array, an object. */
export const NO_GROUPS = ['', 'a', 'o'] as const;

/** Events in the table of an engine. */
export interface SelectedEvents<D extends Dialect = Dialect> {
  readonly dialect: D;
  /** The table, as for a page. */
  readonly table: string;
  /** The tenant whose events they are. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
}

/** Writes the key of each event. */
export type KeyWriter = (bind: Bind) => string;

/** How events fall into groups. */
export interface GroupsAsked extends Pick<MeasuredGrouping, 'distinct' | 'size'> {
  /** Writes what is the same for the events of a group. */
  readonly keyFrom: KeyWriter;
}

/** The times of the first and the last event, and how many there are. */
export function selectSpan({ dialect, table, tenantId, query }: SelectedEvents): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const text = `select count(*) as count, min(ts) as first, max(ts) as last from ${table} where ${where}`;
  return { text, values: draft.values };
}

/** The counts outside groups and the first groups in order, each row with the totals of all groups. */
export function selectGroups(
  { dialect, table, tenantId, query }: SelectedEvents,
  { keyFrom, distinct, size }: GroupsAsked,
): Statement {
  const draft = createDraft(dialect);
  const key = keyFrom(draft.bind);
  const counted = distinct === undefined ? undefined : writeDistinct(dialect, distinct, draft.bind);
  const where = writeWhere(dialect, tenantId, query, draft);
  const distinctTotal =
    counted === undefined ? '0' : `(select count(distinct ${counted}) from ${table} where ${where})`;
  // Each sum over all groups costs as much as sorting them, so the query has only those that no row provides.
  const text = `select key, count, values_count, ${distinctTotal} as distinct_total,
      sum(count) over () as total, count(*) over () as rows_total
    from (
      select key, count(*) as count,
        ${counted === undefined ? '0' : 'count(distinct counted)'} as values_count
      from (
        select ${key} as key, ${counted ?? '0'} as counted
        from ${table} where ${where} ${dialect.expectFewGroups ?? ''}
      ) found group by key
    ) grouped
    order by ${writeOrder(dialect, size, draft.bind)}`;
  return { text, values: draft.values };
}

/** The clauses of finished groups: in order, so many of them. */
function writeOrder(dialect: Dialect, size: number, bind: Bind): string {
  const isGroup = `case when key in (${NO_GROUPS.map((each) => `'${each}'`).join(', ')}) then 0 else 1 end`;
  const limit = size === Infinity ? '' : `limit ${bind(size + NO_GROUPS.length, 'number')}`;
  return `${isGroup}, count desc, ${keyOrder(dialect)} ${limit}`;
}

/** The order of finished groups that are equal otherwise. */
export function keyOrder({ numberOf }: Dialect): string {
  return `${KIND}, case when ${KIND} = 'n' then ${numberOf('substr(key, 2)')} else 0 end, key`;
}

/** Whether a key is that of a group: of a scalar. */
export const isScalarKey = (key: string) => `substr(${key}, 1, 1) in ${SCALARS}`;

/** An expression that is equal for equal scalars only, and null for everything else. */
export function writeDistinct(dialect: Dialect, path: FilterPath, bind: Bind): string {
  const key = keyAt(dialect, path, bind);
  return `case when ${isScalarKey(key)} then ${key} end`;
}

/** The key of an event at a path. */
export function keyAt(dialect: Dialect, { root, segments }: GroupPath, bind: Bind): string {
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

/** The key that a whole number is. */
export const integerKey = (dialect: Dialect, number: string) =>
  `'${LETTERS.number}' || ${dialect.integerText(number)}`;
