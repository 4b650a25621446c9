import type { CountBody, JsonObject } from '../../src/index.ts';
import type { EventView } from '../../src/store-kit.ts';

/** One restriction in the language of each peer. */
export interface Question {
  /**
   * The same question about another value, for columns of many values: it is measured with a new value at
   * each call, so that no peer can answer from what it found for the same value before.
   */
  readonly another?: (call: number) => Question;
  readonly name: string;
  readonly body: CountBody;
  /** As a programmer writes it over parsed events. */
  readonly handWritten: (event: EventView) => boolean;
  /** WHERE over DuckDB's typed columns. */
  readonly duckFlat: string;
  /** WHERE over DuckDB's JSON. */
  readonly duckJson: string;
  /** WHERE over ClickHouse's JSON type. */
  readonly clickJson: string;
  /** WHERE over ClickHouse's JSON functions on text. */
  readonly clickText: string;
  /** WHERE over SQLite's JSON functions, the same on JSON text and on JSONB. */
  readonly sqlite: string;
}

const DAY_MS = 86_400_000;
const WEEK_START = Date.UTC(2026, 1, 9);
const WEEK_SQL = `ts >= ${WEEK_START} AND ts < ${WEEK_START + 7 * DAY_MS}`;
const everywhere = (sql: string) => ({
  duckFlat: sql,
  duckJson: sql,
  clickJson: sql,
  clickText: sql,
  sqlite: sql,
});
const at = (value: unknown, key: string): unknown => (value as JsonObject | undefined)?.[key];

const EUROPE = "('DE', 'FR', 'NL')";

const inWithRange = (price: number): Question => ({
  name: 'IN with a range',
  body: {
    filterSet: [
      { property: 'properties.country', comparison: 'IN', value: ['DE', 'FR', 'NL'] },
      { property: 'properties.price', comparison: 'GREATER_THAN', value: price },
    ],
  },
  handWritten: ({ properties: { country, price: found } }) =>
    (country === 'DE' || country === 'FR' || country === 'NL') && (found as number) > price,
  duckFlat: `country IN ${EUROPE} AND price > ${price}`,
  duckJson: `props->>'$.country' IN ${EUROPE} AND (props->'$.price')::DOUBLE > ${price}`,
  clickJson: `props.country.:String IN ${EUROPE} AND props.price::Nullable(Float64) > ${price}`,
  clickText:
    `JSONExtractString(props, 'country') IN ${EUROPE} ` + `AND JSONExtractFloat(props, 'price') > ${price}`,
  sqlite: `json_extract(props, '$.country') IN ${EUROPE} AND json_extract(props, '$.price') > ${price}`,
});

const substring = (part: string): Question => ({
  name: 'a substring',
  body: { filterSet: [{ property: 'properties.page.path', comparison: 'CONTAINS', value: part }] },
  handWritten: ({ properties }) => (at(properties.page, 'path') as string).includes(part),
  duckFlat: `contains(path, '${part}')`,
  duckJson: `contains(props->>'$.page.path', '${part}')`,
  clickJson: `position(props.page.path.:String, '${part}') > 0`,
  clickText: `position(JSONExtractString(props, 'page', 'path'), '${part}') > 0`,
  sqlite: `instr(json_extract(props, '$.page.path'), '${part}') > 0`,
});

const oneUser = (userId: string): Question => ({
  name: 'one user',
  body: { filterSet: [{ property: 'userId', comparison: 'EQUALS', value: userId }] },
  handWritten: (event) => event.userId === userId,
  ...everywhere(`user_id = '${userId}'`),
});

/** The questions that every peer answers as a count and as pages; the twelfth, the names, is asked apart. */
export const QUESTIONS: readonly Question[] = [
  {
    name: 'one event',
    body: { event: 'purchase' },
    handWritten: (event) => event.eventName === 'purchase',
    ...everywhere("name = 'purchase'"),
  },
  {
    name: 'a week',
    body: { after: '2026-02-09', before: '2026-02-15' },
    handWritten: ({ eventTs }) => eventTs >= WEEK_START && eventTs < WEEK_START + 7 * DAY_MS,
    ...everywhere(WEEK_SQL),
  },
  {
    name: 'equality',
    body: { filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] },
    handWritten: ({ properties }) => properties.plan === 'pro',
    duckFlat: "plan = 'pro'",
    duckJson: "props->>'$.plan' = 'pro'",
    clickJson: "props.plan.:String = 'pro'",
    clickText: "JSONExtractString(props, 'plan') = 'pro'",
    sqlite: "json_extract(props, '$.plan') = 'pro'",
  },
  { ...inWithRange(100), another: (call) => inWithRange(100 + (call % 1000) / 10) },
  {
    name: 'a rare nested value',
    body: {
      filterSet: [{ property: 'properties.checkout.coupon.code', comparison: 'EQUALS', value: 'VIP25' }],
    },
    handWritten: ({ properties }) => at(at(properties.checkout, 'coupon'), 'code') === 'VIP25',
    duckFlat: "coupon = 'VIP25'",
    duckJson: "props->>'$.checkout.coupon.code' = 'VIP25'",
    clickJson: "props.checkout.coupon.code.:String = 'VIP25'",
    clickText: "JSONExtractString(props, 'checkout', 'coupon', 'code') = 'VIP25'",
    sqlite: "json_extract(props, '$.checkout.coupon.code') = 'VIP25'",
  },
  { ...substring('winter'), another: (call) => substring(`-${100 + (call % 900)}`) },
  { ...oneUser('user_7'), another: (call) => oneUser(`user_${call % 200}`) },
  {
    name: 'an array element',
    body: { filterSet: [{ property: 'properties.tags', comparison: 'CONTAINS', value: 'sale' }] },
    handWritten: ({ properties }) => (properties.tags as string[] | undefined)?.includes('sale') === true,
    duckFlat: "list_contains(tags, 'sale')",
    duckJson: "list_contains(from_json(props->'$.tags', '[\"VARCHAR\"]'), 'sale')",
    clickJson: "has(props.tags.:`Array(Nullable(String))`, 'sale')",
    clickText: "has(JSONExtract(props, 'tags', 'Array(String)'), 'sale')",
    sqlite: "EXISTS (SELECT 1 FROM json_each(props, '$.tags') WHERE value = 'sale')",
  },
  {
    name: 'IS_NOT_NULL',
    body: { filterSet: [{ property: 'properties.campaign', comparison: 'IS_NOT_NULL', value: null }] },
    handWritten: ({ properties }) => properties.campaign != null,
    duckFlat: 'campaign IS NOT NULL',
    duckJson: "props->>'$.campaign' IS NOT NULL",
    clickJson: 'props.campaign.:String IS NOT NULL',
    clickText: "JSONHas(props, 'campaign')",
    sqlite: "json_extract(props, '$.campaign') IS NOT NULL",
  },
  {
    name: 'NOT_EQUALS',
    body: { filterSet: [{ property: 'properties.device.os', comparison: 'NOT_EQUALS', value: 'iOS' }] },
    handWritten: ({ properties }) => at(properties.device, 'os') !== 'iOS',
    duckFlat: "os IS DISTINCT FROM 'iOS'",
    duckJson: "props->>'$.device.os' IS DISTINCT FROM 'iOS'",
    clickJson: "ifNull(props.device.os.:String != 'iOS', 1)",
    clickText: "JSONExtractString(props, 'device', 'os') != 'iOS'",
    sqlite: "json_extract(props, '$.device.os') IS NOT 'iOS'",
  },
  { name: 'all', body: {}, handWritten: () => true, ...everywhere('1 = 1') },
];
