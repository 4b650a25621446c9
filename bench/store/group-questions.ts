import type { BreakdownBody } from '../../src/index.ts';

/** A grouping in the language of each peer. */
export interface GroupQuestion {
  readonly name: string;
  readonly body: BreakdownBody & { readonly by: string };
  /** What SQL groups by. Of a path the largest groups are asked for, of days all. */
  readonly duckKey: string;
  readonly clickKey: string;
  /** WHERE, where not all events are meant. */
  readonly where?: string;
  /** Whether the users of each group are counted. */
  readonly distinct: boolean;
  readonly order: 'by count' | 'by key';
}

/** A group as peers can agree on it: its value, or the number of its day; its count; its users. */
export type GroupRow = readonly [key: string | number, count: number, distinct?: number];

/** How many groups of a path are given. */
const GROUPS = 100;

const byDay = { duckKey: 'ts // 86400000', clickKey: 'intDiv(ts, 86400000)', order: 'by key' } as const;

/** The groupings that are measured. */
export const GROUP_QUESTIONS: readonly GroupQuestion[] = [
  {
    name: 'by a property of few values',
    body: { by: 'properties.plan', size: GROUPS },
    ...{ duckKey: 'plan', clickKey: 'props.plan.:String', distinct: false, order: 'by count' },
  },
  {
    name: 'by a property of many values',
    body: { by: 'properties.page.path', size: GROUPS },
    ...{ duckKey: 'path', clickKey: 'props.page.path.:String', distinct: false, order: 'by count' },
  },
  {
    name: 'by a property of few values, of one event',
    body: { by: 'properties.plan', size: GROUPS, event: 'page_viewed' },
    ...{ duckKey: 'plan', clickKey: 'props.plan.:String', distinct: false, order: 'by count' },
    where: "name = 'page_viewed'",
  },
  { name: 'by day', body: { by: 'day' }, distinct: false, ...byDay },
  { name: 'distinct users by day', body: { by: 'day', distinct: 'userId' }, distinct: true, ...byDay },
];

/** The SQL of a grouping, which reads alike for all peers that speak it. */
export function toGroupSql(
  table: string,
  key: string,
  { distinct, order, where = 'true' }: GroupQuestion,
): string {
  const counted = distinct ? ', count(DISTINCT user_id) AS users' : '';
  const sorted = order === 'by key' ? 'key' : `events DESC, key LIMIT ${GROUPS}`;
  return `SELECT ${key} AS key, count(*) AS events${counted} FROM ${table} WHERE ${where}
    GROUP BY key ORDER BY ${sorted}`;
}

/** A row of SQL as a group: some engines write whole numbers as texts or as big ones. */
export function toGroupRow([key, ...counts]: readonly unknown[], { order }: GroupQuestion): GroupRow {
  const [count = 0, distinct] = counts.map(Number);
  const group = order === 'by key' ? Number(key) : String(key);
  return distinct === undefined ? [group, count] : [group, count, distinct];
}
