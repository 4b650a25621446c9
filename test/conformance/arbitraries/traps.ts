import { DAY_MS, EVENT_TS_MAX } from '../../../src/core/event/time.ts';
import type { JsonValue } from '../../../src/index.ts';

/** "é" as one code point, and as a letter with a combining accent: equal to the eye only. */
const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';
/** U+FF5E comes before an emoji by code point, and behind it by UTF-16 unit. */
const FULLWIDTH_TILDE = '\uff5e';
const EMOJI = '\u{1f600}';

/** Texts that engines mix up: wildcards, quotes, escapes, numbers in strings, normal forms, two orders. */
export const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '1',
    '-1',
    '5',
    '05',
    '5.0',
    '1e2',
    'true',
    'false',
    'null',
    'undefined',
    'NaN',
    '[]',
    '{}',
  ],
  ...['a', 'A', 'ab', 'abc', 'a c', 'aXc', 'b', 'ba', 'z', 'Z', 'pro', 'prod', 'Pro'],
  ...['%', '_', '*', '?', 'a%', '%a', 'a_c', 'a*', 'a%c', '50%', '[a-z]', '.', '.*', '^a', 'a$', '|', '+'],
  ...[
    "'",
    "''",
    "a'b",
    '"',
    '\\"',
    '`',
    '\\',
    '\\\\',
    '\\n',
    '\n',
    '\r\n',
    '\t',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0080',
  ],
  ...["' or 1=1 --", '; drop table events', '$1', ':a', '@a', '$.a', '{a:String}', '/*', '--'],
  ...[
    COMPOSED,
    DECOMPOSED,
    `caf${COMPOSED}`,
    `caf${DECOMPOSED}`,
    FULLWIDTH_TILDE,
    EMOJI,
    `${EMOJI}${EMOJI}`,
    '\ue000',
  ],
  ...['\ud7ff', '\uffff', '\u{10ffff}', '\u2028', '\ufeff', 'ß', 'SS', 'İ', 'i', 'ı', '\u00a0', '日本'],
  ...['2024-02-29', '2024-02-29T00:00:00.000Z', '1970-01-01', 'x'.repeat(300), `${'x'.repeat(299)}y`],
];

/** Numbers at the edges of doubles, of 32, 53 and 64 bits, and of what prints like an integer. */
export const NUMBERS = [
  ...[0, -0, 1, -1, 2, 5, 5.5, -5, 10, 100, 0.1, 0.2, 0.1 + 0.2, 0.3, 1.5, 1e-7, 123456789.123],
  ...[
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    16_777_217,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 53 + 2,
    2 ** 60,
    2 ** 63,
    2 ** 64,
  ],
  ...[-(2 ** 31), -(2 ** 53), -(2 ** 63), 1e20, 1e21, 1e22, 1e100, 1e308, -1e308, Number.MAX_VALUE],
  ...[Number.MIN_VALUE, -Number.MIN_VALUE, 2.2250738585072014e-308, Number.EPSILON],
];

/** Keys that mean something to an engine, to a path, to an object's prototype or to a query language. */
export const KEYS = [
  ...['a', 'b', 'c', 'plan', 'A', 'tags', 'items', 'value', 'a b', ' ', '0', '1', '-1', '00', 'null', 'true'],
  ...[
    'a.b',
    '.',
    '..',
    'a.',
    '\\',
    'a\\b',
    '\\.',
    '%',
    '_',
    '*',
    'a_b',
    '?',
    '|',
    '#',
    '$',
    '$.a',
    '@',
    '[0]',
    '[*]',
  ],
  ...['"', '\\"', "'", '`', 'a"b', "a'b", '{', '}', ':', ',', '/', '~1', '\n', '\t', '\u0001', '\u007f'],
  ...['__proto__', 'constructor', 'prototype', 'length', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON'],
  ...[COMPOSED, DECOMPOSED, FULLWIDTH_TILDE, EMOJI, 'properties', 'eventName', 'userId', 'x'.repeat(100)],
];

/** Values of every kind that are not scalars, and null. */
export const STRUCTURES: readonly JsonValue[] = [
  null,
  [],
  {},
  [[]],
  [{}],
  [null],
  ['a'],
  ['a', 1, true, null],
  ['1', 1, true],
  ['1', '1', 'true'],
  [1],
  ['1'],
  [[1]],
  [true],
  ['true'],
  [0, false, '', null],
  [['a']],
  [{ a: 1 }],
  [2 ** 53, 1e20, 0.1],
  [FULLWIDTH_TILDE, EMOJI, COMPOSED],
  ['%', '_', "'", '"', '\\'],
  { a: null },
  { a: {} },
  { a: [] },
  { length: 1 },
];

export const EVENT_NAMES = [
  ...[
    'page_viewed',
    'page_viewe',
    'pageXviewed',
    'PAGE_VIEWED',
    'signed up',
    '%',
    '_',
    '*',
    '0',
    '1',
    'null',
  ],
  ...[
    COMPOSED,
    DECOMPOSED,
    FULLWIDTH_TILDE,
    EMOJI,
    "it's",
    '"',
    '\\',
    '__proto__',
    'constructor',
    ' ',
    'z',
    'Z',
  ],
  ...['x'.repeat(256), EMOJI.repeat(256)],
];

export const USER_IDS = [
  'ada',
  'Ada',
  'bob',
  '0',
  '1',
  '%',
  '_',
  "o'neil",
  COMPOSED,
  DECOMPOSED,
  FULLWIDTH_TILDE,
  EMOJI,
];

/** Ids that repeat, that differ in case or in the last byte only, and that order unlike numbers. */
export const INSERT_IDS = [
  ...[
    'a',
    'b',
    'A',
    'B',
    'aa',
    'a ',
    ' a',
    ' ',
    '!',
    '~',
    'id-1',
    'id-2',
    'id-10',
    'id-01',
    '%',
    '_',
    '*',
    "'",
    '"',
    '\\',
  ],
  ...['/', '1/a', '.', '0', '1', '01', `${'k'.repeat(127)}1`, `${'k'.repeat(127)}2`, `${'k'.repeat(126)}1`],
];

const MIDNIGHTS = [
  ...['1970-01-01', '1970-01-02', '1999-12-31', '2000-01-01', '2024-02-28', '2024-02-29', '2024-03-01'],
  ...['2024-05-18', '2024-12-31', '2025-01-01', '2038-01-19', '2038-01-20', '2099-12-31'],
].map((day) => Date.parse(`${day}T00:00:00.000Z`));

/** Zones whose clocks change by hours or by half of one, at midnight and across it, or skip a day. */
export const TIME_ZONES = [
  ...['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/Sao_Paulo'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'Asia/Kathmandu', 'Asia/Pyongyang', 'America/Caracas', 'Etc/UTC'],
];

/** Instants about which those clocks change. */
const CHANGES = [
  ...['2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z', '2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00Z'],
  ...['2010-11-07T02:30:30Z', '2010-11-07T03:00:00Z', '2024-04-06T15:15:00Z', '2018-11-04T03:00:00Z'],
].map((text) => Date.parse(text));

/** Instants at the borders of days, months, years and of what an event may carry; some stand for ties. */
export const INSTANTS = [
  ...MIDNIGHTS.flatMap((midnight) => [midnight, midnight, midnight + 1, midnight + DAY_MS - 1]),
  ...[1_716_000_000_000, 1_716_000_000_001, 2 ** 31 * 1000, EVENT_TS_MAX],
  ...CHANGES,
];
