import type { EventInput, FilterEntry } from '../../src/index.ts';

/** Fields of an event, and when it arrived; null where nobody noted it. */
export type CaseFields = Partial<EventInput> & { readonly receivedAt?: string | null };

/**
 * A filter, an event and whether it matches. The event is the JSON text of its properties, or fields of the
 * event.
 */
export type Case = readonly [filter: FilterEntry, event: string | CaseFields, expected: boolean];

/** One rule of what filters mean, with the cases that show it. */
export interface Rule {
  readonly rule: string;
  readonly cases: readonly Case[];
}

function on(property: string, comparison: string, value: unknown): FilterEntry {
  return { property, comparison, value } as FilterEntry;
}

const n = (comparison: string, value: unknown) => on('properties.n', comparison, value);
const s = (comparison: string, value: unknown) => on('properties.s', comparison, value);
const tags = (comparison: string, value: unknown) => on('properties.tags', comparison, value);
const ts = (comparison: string, value: unknown) => on('eventTs', comparison, value);
const received = (comparison: string, value: unknown) => on('receivedAt', comparison, value);
const MAY = '2024-05-18T10:00:00Z';

/** Every rule of values, paths and operators, by example. */
export const RULES: readonly Rule[] = [
  {
    rule: 'No coercion: types differ, so values differ',
    cases: [
      [n('EQUALS', 5), '{"n":5}', true],
      [n('EQUALS', 5), '{"n":"5"}', false],
      [n('EQUALS', '5'), '{"n":5}', false],
      [n('EQUALS', 1), '{"n":true}', false],
      [n('EQUALS', true), '{"n":1}', false],
      [n('EQUALS', true), '{"n":"true"}', false],
      [n('EQUALS', true), '{"n":true}', true],
      [n('EQUALS', false), '{}', false],
      [n('EQUALS', 0), '{"n":""}', false],
      [n('GREATER_THAN', 3), '{"n":"5"}', false],
      [n('LESS_THAN', '5'), '{"n":3}', false],
      [n('CONTAINS', 5), '{"n":5}', false],
      [n('CONTAINS', 5), '{"n":"15"}', false],
    ],
  },
  {
    rule: 'Numbers are IEEE doubles',
    cases: [
      [n('EQUALS', 5), '{"n":5.0}', true],
      [n('EQUALS', 100), '{"n":1e2}', true],
      [n('EQUALS', 0), '{"n":-0}', true],
      [n('EQUALS', 0.3), '{"n":0.30000000000000004}', false],
      [n('EQUALS', 2 ** 53), '{"n":9007199254740993}', true],
      [n('EQUALS', 2 ** 60), '{"n":1152921504606846977}', true],
      [n('GREATER_THAN', 2 ** 53), '{"n":9007199254740994}', true],
      [n('EQUALS', 1e20), '{"n":100000000000000000000}', true],
      [n('GREATER_THAN', 9), '{"n":10}', true],
      [n('LESS_THAN', 0), '{"n":-5e-324}', true],
    ],
  },
  {
    rule: 'Text is compared by code point, to the letter',
    cases: [
      [s('EQUALS', 'Pro'), '{"s":"pro"}', false],
      [s('EQUALS', '\u00e9'), '{"s":"e\u0301"}', false],
      [s('GREATER_THAN', '\uff5e'), '{"s":"\u{1f600}"}', true],
      [s('LESS_THAN', '\u{1f600}'), '{"s":"\uff5e"}', true],
      [s('GREATER_THAN', '10'), '{"s":"9"}', true],
      [s('LESS_THAN', 'a'), '{"s":"Z"}', true],
      [s('GREATER_THAN', ''), '{"s":"a"}', true],
      [s('EQUALS', 'a'), '{"s":"a "}', false],
    ],
  },
  {
    rule: 'Every operand is literal',
    cases: [
      [s('CONTAINS', '%'), '{"s":"50 percent"}', false],
      [s('CONTAINS', '%'), '{"s":"50%"}', true],
      [s('CONTAINS', 'a_c'), '{"s":"abc"}', false],
      [s('STARTS_WITH', '*'), '{"s":"abc"}', false],
      [s('ENDS_WITH', '.'), '{"s":"abc"}', false],
      [s('CONTAINS', "' or 1=1 --"), '{"s":"a"}', false],
      [s('CONTAINS', '\\'), '{"s":"a\\\\b"}', true],
      [s('CONTAINS', '"'), '{"s":"a\\"b"}', true],
    ],
  },
  {
    rule: 'The empty string is contained in every string',
    cases: [
      [s('CONTAINS', ''), '{"s":"abc"}', true],
      [s('CONTAINS', ''), '{"s":""}', true],
      [s('STARTS_WITH', ''), '{"s":"abc"}', true],
      [s('CONTAINS', ''), '{"s":null}', false],
      [s('CONTAINS', ''), '{"s":5}', false],
    ],
  },
  {
    rule: 'A missing value and null are the same to every operator',
    cases: [
      [n('IS_NULL', null), '{"n":null}', true],
      [n('IS_NULL', null), '{}', true],
      [n('IS_NOT_NULL', null), '{"n":null}', false],
      [n('IS_NOT_NULL', null), '{"n":""}', true],
      [n('IS_NOT_NULL', null), '{"n":false}', true],
      [n('IS_NOT_NULL', null), '{"n":0}', true],
      [n('IS_NOT_NULL', null), '{"n":[]}', true],
      [n('IS_NOT_NULL', null), '{"n":{}}', true],
      [n('LESS_THAN', 5), '{"n":null}', false],
      [n('LESS_THAN', 5), '{}', false],
    ],
  },
  {
    rule: 'A negative operator is the exact complement of its positive',
    cases: [
      [n('NOT_EQUALS', 5), '{"n":5}', false],
      [n('NOT_EQUALS', 5), '{"n":"5"}', true],
      [n('NOT_EQUALS', 5), '{"n":null}', true],
      [n('NOT_EQUALS', 5), '{}', true],
      [s('NOT_CONTAINS', 'a'), '{"s":"abc"}', false],
      [s('NOT_CONTAINS', 'a'), '{"s":7}', true],
      [s('NOT_CONTAINS', 'a'), '{}', true],
      [n('NOT_IN', [1, 2]), '{"n":2}', false],
      [n('NOT_IN', [1, 2]), '{}', true],
      [n('NOT_IN', []), '{"n":1}', true],
    ],
  },
  {
    rule: 'Arrays are searched by CONTAINS, one level deep; they equal nothing',
    cases: [
      [tags('CONTAINS', 'a'), '{"tags":["a","b"]}', true],
      [tags('CONTAINS', 'a'), '{"tags":["ab"]}', false],
      [tags('CONTAINS', 1), '{"tags":["1",true]}', false],
      [tags('CONTAINS', true), '{"tags":["1",true]}', true],
      [tags('CONTAINS', 'a'), '{"tags":[["a"]]}', false],
      [tags('NOT_CONTAINS', 'a'), '{"tags":[]}', true],
      [tags('EQUALS', 'a'), '{"tags":["a"]}', false],
      [tags('IN', ['a']), '{"tags":["a"]}', false],
      [tags('GREATER_THAN', ''), '{"tags":["a"]}', false],
      [tags('STARTS_WITH', '['), '{"tags":["a"]}', false],
    ],
  },
  {
    rule: 'IN is EQUALS to one of the list',
    cases: [
      [n('IN', [1, 'a', true]), '{"n":"a"}', true],
      [n('IN', [1, 'a', true]), '{"n":"1"}', false],
      [n('IN', [1, 'a', true]), '{"n":true}', true],
      [n('IN', []), '{"n":1}', false],
      [n('IN', [1]), '{"n":null}', false],
    ],
  },
  {
    rule: 'Orders include or exclude the border; other types are neither less nor greater',
    cases: [
      [n('GREATER_THAN', 5), '{"n":5}', false],
      [n('GREATER_THAN_OR_EQUALS', 5), '{"n":5}', true],
      [n('LESS_THAN', 5), '{"n":5}', false],
      [n('LESS_THAN_OR_EQUALS', 5), '{"n":5}', true],
      [n('GREATER_THAN_OR_EQUALS', 0), '{"n":true}', false],
      [n('LESS_THAN_OR_EQUALS', 0), '{"n":false}', false],
      [n('GREATER_THAN', ''), '{"n":{}}', false],
    ],
  },
  {
    rule: 'A path walks own keys of objects only',
    cases: [
      [on('properties.a.b', 'EQUALS', 1), '{"a":{"b":1}}', true],
      [on('properties.a.b', 'EQUALS', 1), '{"a.b":1}', false],
      [on('properties.a\\.b', 'EQUALS', 1), '{"a.b":1}', true],
      [on('properties.a\\\\b', 'EQUALS', 1), '{"a\\\\b":1}', true],
      [on('properties.tags.0', 'EQUALS', 'a'), '{"tags":["a"]}', false],
      [on('properties.tags.0', 'EQUALS', 'a'), '{"tags":{"0":"a"}}', true],
      [on('properties.tags.length', 'IS_NOT_NULL', null), '{"tags":["a"]}', false],
      [on('properties.s.length', 'IS_NOT_NULL', null), '{"s":"abc"}', false],
      [on('properties.items.a', 'EQUALS', 1), '{"items":[{"a":1}]}', false],
      [on('properties.constructor', 'IS_NOT_NULL', null), '{}', false],
      [on('properties.toString', 'IS_NOT_NULL', null), '{"a":1}', false],
      [on('properties.__proto__', 'IS_NOT_NULL', null), '{}', false],
      [on('properties.__proto__', 'EQUALS', 1), '{"__proto__":1}', true],
      [on('properties.__proto__.a', 'EQUALS', 1), '{"__proto__":{"a":1}}', true],
      [on('properties.a', 'IS_NULL', null), '{"A":1}', true],
      [on('properties.a.b.c', 'IS_NULL', null), '{"a":"text"}', true],
    ],
  },
  {
    rule: 'The fields of an event are strings; times compare as instants, days as days',
    cases: [
      [on('eventName', 'STARTS_WITH', 'page_'), { eventName: 'page_viewed' }, true],
      [on('userId', 'EQUALS', 7), { userId: '7' }, false],
      [on('userId', 'IN', ['ada', 'bob']), { userId: 'bob' }, true],
      [on('insertId', 'LESS_THAN', 'b'), { insertId: 'a9' }, true],
      [ts('EQUALS', '2024-05-18T12:00:00+02:00'), { eventTs: '2024-05-18T10:00:00Z' }, true],
      [ts('EQUALS', '2024-05-18T10:00:00.0009Z'), { eventTs: '2024-05-18T10:00:00Z' }, true],
      [ts('GREATER_THAN_OR_EQUALS', '2024-05-18'), { eventTs: '2024-05-18T00:00:00Z' }, true],
      [ts('LESS_THAN', '2024-05-18'), { eventTs: '2024-05-17T23:59:59.999Z' }, true],
      [ts('EQUALS', '2024-05-18'), { eventTs: '2024-05-18T10:00:00Z' }, false],
      [on('eventDate', 'EQUALS', '2024-05-18'), { eventTs: '2024-05-18T23:59:59.999Z' }, true],
      [on('eventDate', 'EQUALS', '2024-05-18'), { eventTs: '2024-05-19T01:00:00+02:00' }, true],
      [on('eventDate', 'IN', ['2024-05-17', '2024-05-18']), { eventTs: '2024-05-19T00:00:00Z' }, false],
      [on('eventDate', 'GREATER_THAN', '2024-02-28'), { eventTs: '2024-02-29T00:00:00Z' }, true],
    ],
  },
  {
    rule: 'Groups: one of, all of, none of; an empty allOf matches every event, an empty anyOf none',
    cases: [
      [{ anyOf: [n('EQUALS', 1), s('EQUALS', 'a')] as FilterEntry[] }, '{"n":2,"s":"a"}', true],
      [{ anyOf: [n('EQUALS', 1), s('EQUALS', 'a')] as FilterEntry[] }, '{"n":2,"s":"b"}', false],
      [{ allOf: [n('EQUALS', 1), s('EQUALS', 'a')] as FilterEntry[] }, '{"n":1,"s":"b"}', false],
      [{ not: n('GREATER_THAN', 3) }, '{}', true],
      [{ not: { not: n('EQUALS', 1) } }, '{"n":1}', true],
      [{ anyOf: [] }, '{}', false],
      [{ allOf: [] }, '{}', true],
    ],
  },
];

/** The rule of when events arrive, which only a store can be told: a client never says it. */
export const ARRIVAL_RULE: Rule = {
  rule: '`receivedAt` compares as an instant; events from before it was noted have none',
  cases: [
    [received('EQUALS', '2024-05-18T12:00:00+02:00'), { receivedAt: MAY }, true],
    [received('EQUALS', '2024-05-18T10:00:00.0009Z'), { receivedAt: MAY }, true],
    [received('EQUALS', '2024-05-18'), { receivedAt: MAY }, false],
    [received('NOT_EQUALS', MAY), { receivedAt: MAY }, false],
    [received('NOT_EQUALS', MAY), { receivedAt: null }, true],
    [received('GREATER_THAN', MAY), { receivedAt: MAY }, false],
    [received('GREATER_THAN_OR_EQUALS', '2024-05-18'), { receivedAt: '2024-05-18T00:00:00Z' }, true],
    [received('LESS_THAN', '2024-05-18'), { receivedAt: '2024-05-17T23:59:59.999Z' }, true],
    [received('LESS_THAN', '2024-05-18'), { receivedAt: null }, false],
    [{ not: received('LESS_THAN', '2024-05-18') }, { receivedAt: null }, true],
    [received('LESS_THAN_OR_EQUALS', MAY), { receivedAt: MAY, eventTs: '2024-05-18T11:00:00Z' }, true],
    [received('IN', ['2024-05-17', MAY]), { receivedAt: MAY }, true],
    [received('IN', []), { receivedAt: MAY }, false],
    [received('NOT_IN', [MAY]), { receivedAt: null }, true],
    [received('IS_NULL', null), { receivedAt: null }, true],
    [received('IS_NULL', null), { receivedAt: MAY }, false],
    [received('IS_NOT_NULL', null), { receivedAt: '1970-01-01T00:00:00Z' }, true],
  ],
};
