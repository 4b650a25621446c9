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

/** A number of a filter is passed as JSON text, so that the engine parses it by the same rules as events. */
const TYPES: Readonly<Record<ParameterType, string>> = {
  text: 'String',
  number: 'Int64',
  texts: 'Array(String)',
  numbers: 'Array(Int64)',
  json: 'String',
  jsons: 'Array(String)',
};

const search = {
  contains: (text: string, part: string) => `position(${text}, ${part}) > 0`,
  isAmong: (text: string, texts: string) => `has(${texts}, ${text})`,
  tests: {
    STARTS_WITH: (text: string, part: string) => `startsWith(${text}, ${part})`,
    ENDS_WITH: (text: string, part: string) => `endsWith(${text}, ${part})`,
  },
};

/** The arguments that locate a value; a string key never enters an array. */
function placeOf(segments: readonly string[], bind: Bind): string {
  return ['properties', ...segments.map((segment) => bind(segment, 'text'))].join(', ');
}

const NUMBERS = `('Int64', 'UInt64', 'Double')`;

/**
 * A test of a value of a given type. The type check is necessary because extraction converts `"1"` and `true`
 * to 1, and returns 0 and '' for a missing value.
 */
const ofType = {
  string: (place: string, test: string) => `(JSONType(${place}) = 'String' and ${test})`,
  number: (place: string, test: string) => `(JSONType(${place}) in ${NUMBERS} and ${test})`,
  boolean: (place: string, test: string) => `(JSONType(${place}) = 'Bool' and ${test})`,
  array: (place: string, test: string) => `(JSONType(${place}) = 'Array' and ${test})`,
};

const textOf = (place: string) => `JSONExtractString(${place})`;
const numberOf = (place: string) => `JSONExtractFloat(${place})`;
/** A number as JSON with an exponent, so that no parser takes it for an integer, which could overflow. */
const numberText = (operand: number) => operand.toExponential();

/** The same for a text: digits alone may exceed the range of integers. */
const withExponent = (text: string) => `if(position(${text}, 'e') > 0, ${text}, concat(${text}, 'e0'))`;

/** Compares the value at a place with one operand of its own type. */
function compare(sign: string, place: string, operand: Scalar, bind: Bind): string {
  switch (typeof operand) {
    case 'string':
      return ofType.string(place, `${textOf(place)} ${sign} ${bind(operand, 'text')}`);
    case 'number':
      return ofType.number(
        place,
        `${numberOf(place)} ${sign} ${numberOf(bind(numberText(operand), 'json'))}`,
      );
    case 'boolean':
      return ofType.boolean(place, `JSONExtractBool(${place}) ${sign} ${operand}`);
  }
}

const order = (sign: string) => (segments: readonly string[], operand: Scalar, bind: Bind) =>
  compare(sign, placeOf(segments, bind), operand, bind);

/**
 * Whether an array holds a scalar. One extraction returns its elements as raw texts. A raw number may exceed
 * the range of integers, so it is parsed with an exponent.
 */
function holds(place: string, operand: Scalar, bind: Bind): string {
  const raws = `JSONExtractArrayRaw(${place})`;
  switch (typeof operand) {
    case 'string': {
      const same = `${textOf('element')} = ${bind(operand, 'text')}`;
      return `arrayExists(element -> startsWith(element, '"') and ${same}, ${raws})`;
    }
    case 'number': {
      const same = `${numberOf(withExponent('element'))} = ${numberOf(bind(numberText(operand), 'json'))}`;
      return `arrayExists(element -> match(element, '^[-0-9]') and ${same}, ${raws})`;
    }
    case 'boolean':
      return `has(${raws}, '${operand}')`;
  }
}

const ofProperty: TestWriters<readonly string[]> = {
  EQUALS: order('='),
  GREATER_THAN: order('>'),
  GREATER_THAN_OR_EQUALS: order('>='),
  LESS_THAN: order('<'),
  LESS_THAN_OR_EQUALS: order('<='),
  CONTAINS: (segments, operand, bind) => {
    const place = placeOf(segments, bind);
    const inArray = ofType.array(place, holds(place, operand, bind));
    if (typeof operand !== 'string') return inArray;
    const inText = search.contains(textOf(place), bind(operand, 'text'));
    return `${ofType.string(place, inText)} or ${inArray}`;
  },
  ...eachTextTest(search.tests, (test) => (segments, operand, bind) => {
    const place = placeOf(segments, bind);
    return ofType.string(place, test(textOf(place), bind(operand, 'text')));
  }),
  IN: (segments, operand, bind) => {
    if (operand.length === 0) return 'false';
    const place = placeOf(segments, bind);
    const texts = operand.filter((each) => typeof each === 'string');
    const numbers = operand.filter((each) => typeof each === 'number').map(numberText);
    const booleans = [...new Set(operand.filter((each) => typeof each === 'boolean'))];
    const parts = booleans.map((each) => compare('=', place, each, bind));
    if (texts.length > 0) {
      parts.push(ofType.string(place, search.isAmong(textOf(place), bind(texts, 'texts'))));
    }
    if (numbers.length > 0) {
      const read = `arrayMap(each -> ${numberOf('each')}, ${bind(numbers, 'jsons')})`;
      parts.push(ofType.number(place, `has(${read}, ${numberOf(place)})`));
    }
    return parts.join(' or ');
  },
  // A missing value has the type `Null` too.
  IS_NOT_NULL: (segments, _operand, bind) => `JSONType(${placeOf(segments, bind)}) <> 'Null'`,
};

const tree: PropertyTree = {
  entries: (events, keys) => {
    const raws = keys.map((_, i) => `e${i}.1`);
    const isShort = (count: number) =>
      `length(concat('', ${raws.slice(0, count).join(', ')})) <= ${KEYS_BYTES_MAX}`;
    // Objects are extracted from the properties again: parsed on their own, large numbers in them are not
    // valid JSON.
    const joins = keys.map((_, i) => {
      const found = `JSONExtractKeysAndValuesRaw(${['properties', ...raws.slice(0, i)].join(', ')})`;
      const isAsked = `startsWith(e${i - 1}.2, '{') and ${raws[i - 1]!} <> '' and ${isShort(i)}`;
      return `array join ${i === 0 ? found : `if(${isAsked}, ${found}, [])`} as e${i}`;
    });
    const names = keys.map((key, i) => `if(${isShort(i + 1)}, ${raws[i]!}, '') as ${key}`).join(', ');
    return `select event_name, ts, insert_id, properties, ${names}, e${keys.length - 1}.2 as value
      from (select event_name, ts, insert_id, properties from ${events}) events ${joins.join(' ')}`;
  },
  typeOf: `transform(substring(value, 1, 1), ['"', 't', 'f', 'n', '[', '{'],
    ['string', 'boolean', 'boolean', 'null', 'array', 'object'], 'number')`,
  holdsObject: (keys) =>
    `if(startsWith(value, '['), arrayExists(each -> startsWith(each, '{'),
      JSONExtractArrayRaw(properties, ${keys.join(', ')})), false)`,
  json: 'value',
  textOf: 'JSONExtractString(value)',
  few: (test) => `groupUniqArrayIf(3)(value, ${test})`,
  // Characters outside the Basic Multilingual Plane have two units.
  unitsOf: (text) => `(lengthUTF8(${text}) + countMatches(${text}, '[\\\\x{10000}-\\\\x{10FFFF}]'))`,
  isAmong: (keys, lists) => `has(arrayZip(${lists.join(', ')}), tuple(${keys.join(', ')}))`,
};

/**
 * The digits of a number as it is written, as a whole number, and the power of ten that they are multiplied
 * by.
 */
function decimalParts(number: string): readonly [digits: string, power: string] {
  const text = `toString(${number})`;
  const [mantissa, e] = [`splitByChar('e', ${text})[1]`, `splitByChar('e', ${text})[2]`];
  const fraction = `length(splitByChar('.', ${mantissa})[2])`;
  return [`toInt128(replaceOne(${mantissa}, '.', ''))`, `toInt16OrZero(${e}) - ${fraction}`];
}

/** A double that is not less than a sum, or than an average, by more than all roundings of its numbers. */
function upperOf(column: string, divisor: string): string {
  const slack = `if(count(${column}) < 2, 0, (count(${column}) + 4) * 2.3e-16 * sum(abs(${column})))`;
  const sum = `ifNull(sum(${column}), 0) + ifNull(${slack}, 0)`;
  // Answers have no infinity.
  return `if(isFinite(${sum}), ${sum}, 1.7976931348623157e308) / ${divisor}`;
}

const numbers: NumberDialect = {
  numberAt: (segments, bind) => {
    const place = placeOf(segments, bind);
    return `if(JSONType(${place}) in ${NUMBERS}, ${numberOf(place)}, null)`;
  },
  isOther: (segments, bind) =>
    `JSONType(${placeOf(segments, bind)}) in ('String', 'Bool', 'Array', 'Object')`,
  // Decimals of one power of ten are added as whole numbers: no type of the engine holds the digits of all.
  decimalsOf: (column) => {
    // Behind a null may be anything: `assumeNotNull` found the 12 of the text "12" there.
    const [digits, power] = decimalParts(`ifNull(${column}, 0)`);
    const sums = `sumMap([${power}], [${digits}])`;
    return `arrayMap((power, sum) -> concat(toString(sum), 'e', toString(power)), ${sums}.1, ${sums}.2)`;
  },
  atFractions: (column, fractions) => `quantilesExact(${fractions.join(', ')})(${column})`,
  atFraction: (column, fraction) => `if(count(${column}) = 0, null, quantileExact(${fraction})(${column}))`,
  sumOf: (column) => upperOf(column, '1'),
  averageOf: (column) => `if(count(${column}) = 0, null, ${upperOf(column, `count(${column})`)})`,
};

/** ClickHouse: properties as canonical JSON text, whose values are compared only within their own type. */
export const CLICKHOUSE: TreeDialect = {
  parameter: (position, type) => `{p${position}:${TYPES[type]}}`,
  ofText: textTests(search),
  ofInteger: integerTests((number, numbers) => `has(${numbers}, assumeNotNull(${number}))`),
  ofProperty,
  keyOf: (segments, bind) => {
    const place = placeOf(segments, bind);
    const is = (types: string) => `JSONType(${place}) in ${types}`;
    const number = `'n' || toString(${numberOf(place)})`;
    return `multiIf(${is(`('String')`)}, 's' || ${textOf(place)}, ${is(NUMBERS)}, ${number},
      ${is(`('Bool')`)}, if(JSONExtractBool(${place}), 'btrue', 'bfalse'),
      ${is(`('Array')`)}, 'a', ${is(`('Object')`)}, 'o', '')`;
  },
  tree,
  numbers,
  inOrder: (column, test) =>
    `arrayMap(each -> each.3, arraySort(groupArrayIf((ts, insert_id, ${column}), ${test})))`,
  integerText: (number) => `toString(${number})`,
  numberOf: (text) => numberOf(withExponent(text)),
  floor: (number, step) => `${number} - positiveModulo(${number}, ${step})`,
  startAmong: (number, starts) => `roundDown(${number}, ${starts})`,
};
