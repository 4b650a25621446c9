import type { Scalar } from '../../src/store-kit.ts';
import {
  eachTextTest,
  integerTests,
  KEYS_BYTES_MAX,
  textTests,
  type Bind,
  type NumberDialect,
  type ParameterType,
  type PropertyTree,
  type TestWriters,
  type TreeDialect,
} from '../sql/index.ts';

const TYPES: Readonly<Record<ParameterType, string>> = {
  text: 'text',
  number: 'bigint',
  texts: 'text[]',
  numbers: 'bigint[]',
  json: 'jsonb',
  jsons: 'jsonb[]',
};

const search = {
  contains: (text: string, part: string) => `strpos(${text}, ${part}) > 0`,
  isAmong: (text: string, texts: string) => `${text} = any(${texts})`,
  tests: {
    STARTS_WITH: (text: string, part: string) => `starts_with(${text}, ${part})`,
    ENDS_WITH: (text: string, part: string) => `right(${text}, length(${part})) = ${part}`,
  },
};

/** The value at the keys, null if there is none. A string key never enters an array. */
function valueAt(segments: readonly string[], bind: Bind): string {
  return ['document', ...segments.map((segment) => bind(segment, 'text'))].join(' -> ');
}

/** A test of a value of a given type; null for a missing value becomes false. */
function ofType(type: 'string' | 'number' | 'array', value: string, test: string): string {
  return `coalesce(jsonb_typeof(${value}) = '${type}' and ${test}, false)`;
}

const textOf = (value: string) => `((${value}) #>> '{}') collate "C"`;
const toJson = (scalar: Scalar) => JSON.stringify(scalar);

const order = (sign: string) => (segments: readonly string[], operand: number | string, bind: Bind) => {
  const value = valueAt(segments, bind);
  if (typeof operand === 'string') {
    return ofType('string', value, `${textOf(value)} ${sign} ${bind(operand, 'text')}`);
  }
  // JSON numbers compare with arbitrary precision; for numbers written as doubles the result is the same.
  return ofType('number', value, `${value} ${sign} ${bind(toJson(operand), 'json')}`);
};

const ofProperty: TestWriters<readonly string[]> = {
  // The operand is JSON text, since an object literal would lose the key `__proto__`. Only this form can use
  // the index.
  EQUALS: (segments, operand, bind) => {
    const nested = segments.map((segment) => `{${JSON.stringify(segment)}:`).join('');
    return `document @> ${bind(nested + toJson(operand) + '}'.repeat(segments.length), 'json')}`;
  },
  GREATER_THAN: order('>'),
  GREATER_THAN_OR_EQUALS: order('>='),
  LESS_THAN: order('<'),
  LESS_THAN_OR_EQUALS: order('<='),
  CONTAINS: (segments, operand, bind) => {
    const value = valueAt(segments, bind);
    const inArray = ofType('array', value, `${value} @> ${bind(toJson(operand), 'json')}`);
    if (typeof operand !== 'string') return inArray;
    const inText = search.contains(textOf(value), bind(operand, 'text'));
    return `${ofType('string', value, inText)} or ${inArray}`;
  },
  ...eachTextTest(search.tests, (test) => (segments, operand, bind) => {
    const value = valueAt(segments, bind);
    return ofType('string', value, test(textOf(value), bind(operand, 'text')));
  }),
  IN: (segments, operand, bind) =>
    operand.length === 0
      ? 'false'
      : `coalesce((${valueAt(segments, bind)}) = any(${bind(operand.map(toJson), 'jsons')}), false)`,
  IS_NOT_NULL: (segments, _operand, bind) =>
    `coalesce(jsonb_typeof(${valueAt(segments, bind)}) <> 'null', false)`,
};

const tree: PropertyTree = {
  entries: (events, keys) =>
    keys.reduce((rows, key, i) => {
      const above = keys.slice(0, i);
      const last = i === 0 ? '' : ` where jsonb_typeof(value) = 'object' and ${above[i - 1]!} <> ''`;
      // The engine may evaluate the tests in any order, and expanding a value that is not an object fails.
      const object = `case when jsonb_typeof(above.value) = 'object' then above.value else '{}' end`;
      const isLong = `octet_length(${[...above, 'entry.key'].join(' || ')}) > ${KEYS_BYTES_MAX}`;
      const names = [...above, `case when ${isLong} then '' else entry.key end as ${key}`].join(', ');
      return `select event_name, ts, insert_id, ${names}, entry.value
          from (select * from (${rows}) above${last}) above cross join lateral jsonb_each(${object}) entry`;
    }, `select event_name, ts, insert_id, document as value from ${events}`),
  typeOf: 'jsonb_typeof(value)',
  // Strict, or an array within the array would be looked into; silent, since no other value has elements.
  holdsObject: () => `jsonb_path_exists(value, 'strict $[*] ? (@.type() == "object")', '{}', true)`,
  json: 'value::text',
  textOf: `(value #>> '{}')`,
  few: (test) => `event_query.few(value::text) filter (where ${test})`,
  // Characters outside the Basic Multilingual Plane have two units.
  unitsOf: (text) =>
    `(char_length(${text}) + char_length(regexp_replace(${text}, '[\\u0001-\\uffff]', '', 'g')))`,
  isAmong: (keys, lists) => `(${keys.join(', ')}) in (select * from unnest(${lists.join(', ')}))`,
};

/**
 * The nearest double of an exact number, or a little more than it: the engine refuses to cast what is too
 * large or too small.
 */
function toDouble(exact: string): string {
  return `(case when ${exact} is null then null
      when abs(${exact}) < 1e-300 then (case when ${exact} > 0 then 1e-300 else 0 end)::float8
      when abs(${exact}) < 1.7976931348623158e308 then (${exact})::float8
      when ${exact} > 0 then 'Infinity'::float8 else -1.7976931348623157e308::float8 end)`;
}

const numbers: NumberDialect = {
  // The engine may evaluate a condition after a cast, and casting another value fails.
  numberAt: (segments, bind) => {
    const value = valueAt(segments, bind);
    return `case when jsonb_typeof(${value}) = 'number' then (${value})::numeric end`;
  },
  isOther: (segments, bind) =>
    `jsonb_typeof(${valueAt(segments, bind)}) in ('string', 'boolean', 'array', 'object')`,
  decimalsOf: (column) => `array[sum(${column})::text]`,
  // Unlike an array of all numbers, this is sorted on the disk where memory is short.
  atFractions: (column, fractions) =>
    `(percentile_disc(array[${fractions.join(', ')}]::float8[]) within group (order by ${column}))::text[]`,
  atFraction: (column, fraction) => `percentile_disc(${fraction}::float8) within group (order by ${column})`,
  sumOf: (column) => toDouble(`coalesce(sum(${column}), 0)`),
  // A quotient of fewer digits could be rounded twice.
  averageOf: (column) => toDouble(`(round(sum(${column}), 400) / count(${column}))`),
};

/** PostgreSQL 13 and later: properties in the column `document` as JSONB, texts by code point. */
export const POSTGRES: TreeDialect = {
  parameter: (position, type) => `$${position}::${TYPES[type]}`,
  ofText: textTests(search),
  ofInteger: integerTests((number, numbers) => `${number} = any(${numbers})`),
  ofProperty,
  keyOf: (segments, bind) => {
    const value = valueAt(segments, bind);
    const last = value.lastIndexOf(' -> ');
    const text = `${value.slice(0, last)} ->> ${value.slice(last + ' -> '.length)}`;
    // A number written as a double has a single text form, also in arbitrary precision.
    const scalars = ['string', 'number', 'boolean'].map(
      (type) => `when '${type}' then '${type[0]}' || (${text})`,
    );
    return `(case jsonb_typeof(${value}) ${scalars.join(' ')}
      when 'array' then 'a' when 'object' then 'o' else '' end) collate "C"`;
  },
  tree,
  numbers,
  inOrder: (column, test) => `array_agg(${column} order by ts, insert_id) filter (where ${test})`,
  integerText: (number) => `(${number})::text`,
  numberOf: (text) => `(${text})::numeric`,
  // For a value computed in a subquery the planner expects 200 groups and counts them in parallel, each
  // worker in its own table. The offset is a string literal: the cast of a number would be resolved too late
  // for the planner to see that no row is skipped.
  expectFewGroups: `offset '0'`,
  floor: (number, step) => `(floor(${number} / ${step}.0) * ${step})::bigint`,
  startAmong: (number, starts) => `(${starts})[width_bucket(${number}, ${starts})]`,
};
