import type { TenantEvents } from '../../src/index.ts';
import type { Target } from '../harness.ts';

/** A row of an answer, as far as peers can agree on it. */
export type TableRow = readonly (string | number)[];

/** A question whose answer is a small table, in the language of each peer. */
export interface TableQuestion {
  readonly name: string;
  readonly own: (tenant: TenantEvents) => Promise<readonly TableRow[]>;
  readonly duck: string;
  readonly click: string;
  /** How many columns of the SQL peers agree on; what is behind them is found and not compared. */
  readonly compared: number;
  /** The bound of the ratio to each peer; none where it is not a fair one. */
  readonly most: Partial<Record<'duck' | 'click', Target['target']>>;
}

const WEEK_MS = 7 * 86_400_000;
const STEPS = ['product_viewed', 'cart_updated', 'purchase'] as const;

const NAMES = `'${STEPS.join("', '")}'`;

/**
 * How many users reach each step, as SQL says it where no event matches two steps: for each event the next
 * one of each later step, and so from the first step to the second and on to the third. `events` gives
 * user_id, ts, name and insert_id.
 */
export const sequenceByHand = (events: string) => `WITH e AS (
    SELECT user_id AS u, ts, name,
      min(CASE WHEN name = '${STEPS[1]}' THEN ts END) OVER w AS b,
      min(CASE WHEN name = '${STEPS[2]}' THEN ts END) OVER w AS c
    FROM ${events} WHERE name IN (${NAMES})
    WINDOW w AS (PARTITION BY user_id ORDER BY ts, insert_id
      ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)),
  first AS (SELECT u, ts, CASE WHEN b - ts <= ${WEEK_MS} THEN b END AS b FROM e WHERE name = '${STEPS[0]}'),
  whole AS (SELECT first.u, first.ts, first.b,
      CASE WHEN second.c - first.ts <= ${WEEK_MS} THEN second.c END AS c
    FROM first LEFT JOIN (SELECT u, ts, c FROM e WHERE name = '${STEPS[1]}') second
      ON second.u = first.u AND second.ts = first.b),
  best AS (SELECT u, max(CASE WHEN c IS NOT NULL THEN 3 WHEN b IS NOT NULL THEN 2 ELSE 1 END) AS level
    FROM whole GROUP BY u)
  SELECT count(*) AS one, count(*) FILTER (WHERE level > 1) AS two, count(*) FILTER (WHERE level > 2) AS three
  FROM best`;

const IS_STEP = STEPS.map((name) => `name = '${name}'`).join(', ');

/** The same as ClickHouse has it for this very question. */
export const windowFunnel = (
  events: string,
) => `SELECT countIf(level > 0), countIf(level > 1), countIf(level > 2) FROM (
    SELECT user_id, windowFunnel(${WEEK_MS})(toUInt64(ts), ${IS_STEP}) AS level
    FROM ${events} WHERE name IN (${NAMES}) GROUP BY user_id)`;

/** The figures that are asked of the prices. */
const FIGURES = ['sum', 'min', 'max', 'p50', 'p90', 'p99'] as const;
const GROUPS = 100;

const cents = (value: unknown) => Math.round(Number(value) * 100);

/** Sums, bounds and three ranks of the prices in each group. */
function numbersBy(by: 'eventName' | 'userId', column: string, most: TableQuestion['most']): TableQuestion {
  const order = `ORDER BY events DESC, key LIMIT ${GROUPS}`;
  return {
    name: `numbers by ${by}: sum, bounds, three ranks`,
    own: async (tenant) => {
      const measures = [{ of: 'properties.price', take: FIGURES }];
      const { groups } = await tenant.breakdown({ by, size: GROUPS, measures });
      return groups.map(({ key, count, measures: [told] = [] }) => [
        String(key),
        count,
        cents(told?.sum ?? 0),
      ]);
    },
    duck: `SELECT ${column} AS key, count(*) AS events, round(coalesce(fsum(price), 0) * 100)::BIGINT,
      min(price), max(price), quantile_disc(price, [0.5, 0.9, 0.99])::VARCHAR
      FROM events GROUP BY key ${order}`,
    click: `SELECT ${column} AS key, count() AS events, round(sum(price) * 100), min(price), max(price),
      toString(quantilesExact(0.5, 0.9, 0.99)(price)) FROM (
        SELECT ${column}, props.price::Nullable(Float64) AS price FROM bench.events)
      GROUP BY key ${order}`,
    compared: 3,
    most,
  };
}

/** The questions that are measured. */
export const TABLE_QUESTIONS: readonly TableQuestion[] = [
  {
    name: 'a sequence of three steps within a week',
    own: async (tenant) => {
      const steps = STEPS.map((event) => ({ event }));
      const { steps: told } = await tenant.sequence({ steps, within: '7d', percentiles: ['p50'] });
      return [told.map(({ count }) => count)];
    },
    ...{ duck: sequenceByHand('events'), click: windowFunnel('bench.events'), compared: 3 },
    most: { duck: 0.5, click: 0.5 },
  },
  numbersBy('eventName', 'name', { duck: 0.5 }),
  numbersBy('userId', 'user_id', { duck: 1 }),
  {
    name: 'event names by day',
    own: async (tenant) => {
      const { groups, columns } = await tenant.breakdown({ by: ['eventName', 'day'], size: [GROUPS, 1000] });
      const dayOf = (i: number) => Date.parse(String(columns![i]!.key)) / 86_400_000;
      return groups
        .flatMap(({ key, cells }) => cells!.map(({ count }, i) => [String(key), dayOf(i), count] as const))
        .filter(([, , count]) => count > 0)
        .sort((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1));
    },
    duck: `SELECT name, ts // 86400000 AS day, count(*) FROM events GROUP BY ALL ORDER BY name, day`,
    click: `SELECT name::String AS key, intDiv(ts, 86400000) AS day, count()
      FROM bench.events GROUP BY key, day ORDER BY key, day`,
    ...{ compared: 3, most: { duck: 0.5, click: 0.5 } },
  },
];

/** A row of SQL as far as it is compared: some engines write whole numbers as texts or as big ones. */
export function toTableRow(row: readonly unknown[], { compared }: TableQuestion): TableRow {
  return row
    .slice(0, compared)
    .map((value) => (Number.isFinite(Number(value)) ? Number(value) : String(value)));
}
