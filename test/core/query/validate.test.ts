import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { generatedFiles } from '../../../.config/validators.ts';
import { isApiError, type FilterEntry } from '../../../src/index.ts';
import { COMPARISONS, parseQueryBody } from '../../../src/internal.ts';
import { parseCountBody } from '../../../src/store-kit.ts';
import { BODY_SCHEMAS, queryBodySchema } from '../../../src/core/query/body-schema.ts';
import {
  isBreakdownBody,
  isCountBody,
  isExportBody,
  isQueryBody,
  isTopBody,
} from '../../../src/core/query/body-validators.ts';
import { findingsOf } from '../../../src/core/query/findings.ts';
import { nearlyValidBodies } from './bodies.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { casesOf } from '../../support/cases.ts';

const names = Object.keys(COMPARISONS).join(', ');
const date = 'Invalid date format. Use YYYY-MM-DD format.';
const filter = (fields: object) => ({ filterSet: [{ property: 'properties.a', ...fields }] });
const list = 'an array of 0 to 1,000 strings, numbers and booleans';
const takesFilter =
  'takes a filter: {"property": …, "comparison": …, "value": …}, or one of anyOf, allOf, not';
const instant = 'a date-time with an offset, such as 2024-05-18T09:00:00Z';
const zone = 'UTC, or the name of a time zone such as Europe/Berlin';
const bodyKeys = 'use one of event, after, before, from, until, timeZone, filterSet, pagination, include';

/** A body's refusal, word by word. */
function refusalOf(body: unknown): string {
  try {
    parseQueryBody(body);
  } catch (error) {
    if (isApiError(error) && error.status === 400) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a body that is not understood is a 400 that says where and what would be right', () => {
  it.each<[unknown, string]>([
    [null, 'body: takes an object, got null'],
    [[], 'body: takes an object, got an empty array'],
    ['{}', 'body: takes an object, got the string "{}"'],
    [{ filterset: [] }, `body: unknown key "filterset"; ${bodyKeys}`],
    [{ filterset: [], after: 'x' }, `body: unknown key "filterset"; ${bodyKeys}`],
    [{ after: 5, filterset: [] }, `body: unknown key "filterset"; ${bodyKeys}`],
    [
      { before: 5, ...filter({ comparison: 'EQUALS', value: 'a', extra: 1 }) },
      'filterSet[0]: unknown key "extra"; use one of property, comparison, value',
    ],
    [{ after: 5, event: 5 }, date],
    [JSON.parse('{"__proto__":{}}'), `body: unknown key "__proto__"; ${bodyKeys}`],
    [{ constructor: 1 }, `body: unknown key "constructor"; ${bodyKeys}`],
    [{ a: 1, b: 2, c: 3, d: 4 }, `body: unknown key "a", "b", "c", …; ${bodyKeys}`],
    [{ event: 5 }, 'event: takes the name of an event, got the number 5'],
    [{ event: 'a\u0000' }, 'event: must be well-formed Unicode without U+0000'],
    [{ event: '\ud800' }, 'event: must be well-formed Unicode without U+0000'],
    [{ after: '2024-02-30' }, date],
    [{ before: '2024-05-18T00:00:00Z' }, date],
    [{ after: 5 }, date],
    [{ before: null }, date],
    [{ from: 5 }, `from: takes ${instant}, got the number 5`],
    [{ until: null }, `until: takes ${instant}, got null`],
    [{ from: 'now' }, `from: takes ${instant}, got "now"`],
    [{ from: '2024-05-18T00:00:00' }, `from: takes ${instant}, got "2024-05-18T00:00:00"`],
    [{ until: '2024-02-30T00:00:00Z' }, `until: takes ${instant}, got "2024-02-30T00:00:00Z"`],
    [{ from: '2024-05-18' }, `from: takes ${instant}, got "2024-05-18"; a whole day is for after`],
    [{ until: '2024-05-18' }, `until: takes ${instant}, got "2024-05-18"; a whole day is for before`],
    [{ from: 'now', after: 'now' }, date],
    [{ timeZone: 5 }, `timeZone: takes ${zone}, got the number 5`],
    [{ timeZone: '+05:30' }, `timeZone: takes ${zone}, that is known here; got "+05:30"`],
    [
      { timeZone: 'Europe/Berln' },
      `timeZone: takes ${zone}, that is known here; got "Europe/Berln"; did you mean "Europe/Berlin"?`,
    ],
    [{ filterSet: {} }, 'filterSet: takes an array of filters, got an object'],
    [{ filterSet: [5] }, `filterSet[0]: ${takesFilter}, got the number 5`],
    [{ filterSet: [null] }, `filterSet[0]: ${takesFilter}, got null`],
    [{ filterSet: [{}] }, `filterSet[0].comparison: takes one of ${names}, got nothing`],
    [
      filter({ comparison: 'LIKE', value: 1 }),
      `filterSet[0].comparison: unknown operator "LIKE"; use one of ${names}`,
    ],
    [
      filter({ comparison: 'toString', value: 1 }),
      `filterSet[0].comparison: unknown operator "toString"; use one of ${names}`,
    ],
    [filter({ comparison: 5, value: 1 }), `filterSet[0].comparison: takes one of ${names}, got the number 5`],
    [
      filter({ operator: 'EQUALS', value: 1 }),
      `filterSet[0].comparison: is missing beside the unknown key "operator"; use one of ${names}`,
    ],
    [
      { filterSet: [{ anyof: [] }] },
      `filterSet[0].comparison: is missing beside the unknown key "anyof"; use one of ${names}`,
    ],
    [
      filter({ comparison: 'EQUALS', value: 1, extra: 1 }),
      'filterSet[0]: unknown key "extra"; use one of property, comparison, value',
    ],
    [
      filter({ comparison: 'EQUALS', value: 1, property: 5 }),
      'filterSet[0].property: takes a property path such as eventName or properties.plan, got the number 5',
    ],
    [
      filter({ comparison: 'EQUALS' }),
      'filterSet[0].value: EQUALS takes a string, a number or a boolean, got nothing',
    ],
    [
      filter({ comparison: 'EQUALS', value: null }),
      'filterSet[0].value: EQUALS takes a string, a number or a boolean, got null',
    ],
    [
      filter({ comparison: 'EQUALS', value: [1] }),
      'filterSet[0].value: EQUALS takes a string, a number or a boolean, got an array of 1',
    ],
    [
      filter({ comparison: 'EQUALS', value: JSON.parse('1e400') as number }),
      'filterSet[0].value: EQUALS takes a string, a number or a boolean, got the number Infinity',
    ],
    [
      filter({ comparison: 'LESS_THAN', value: true }),
      'filterSet[0].value: LESS_THAN takes a number or a string, got true',
    ],
    [
      filter({ comparison: 'ENDS_WITH', value: 5 }),
      'filterSet[0].value: ENDS_WITH takes a string, got the number 5',
    ],
    [
      filter({ comparison: 'IN', value: 'a' }),
      'filterSet[0].value: IN takes an array of 0 to 1,000 strings, numbers and booleans, got the string "a"',
    ],
    [
      filter({ comparison: 'IN', value: [1, null] }),
      'filterSet[0].value[1]: IN takes an array of 0 to 1,000 strings, numbers and booleans, got null',
    ],
    [
      filter({ comparison: 'IN', value: Array(1001).fill(1) }),
      `filterSet[0].value: IN takes ${list}, got an array of 1001`,
    ],
    [filter({ comparison: 'IS_NULL', value: 5 }), 'filterSet[0].value: IS_NULL takes null, got the number 5'],
    [filter({ comparison: 'IS_NOT_NULL' }), 'filterSet[0].value: IS_NOT_NULL takes null, got nothing'],
    [{ filterSet: [{ anyOf: [], allOf: [] }] }, 'filterSet[0]: unknown key "allOf"; use one of anyOf'],
    [{ filterSet: [{ not: [] }] }, `filterSet[0].not: ${takesFilter}, got an empty array`],
    [{ filterSet: [{ anyOf: {} }] }, 'filterSet[0].anyOf: takes an array of filters, got an object'],
    [
      { filterSet: [{ not: { anyOf: [{ property: 'a', comparison: 'LIKE', value: 1 }] } }] },
      `filterSet[0].not.anyOf[0].comparison: unknown operator "LIKE"; use one of ${names}`,
    ],
    [{ pagination: 5 }, 'pagination: takes an object, got the number 5'],
    [{ pagination: { limit: 5 } }, 'pagination: unknown key "limit"; use one of offset, size, cursor'],
    ...[0, 1001, -1, 1.5].map((size): [unknown, string] => [
      { pagination: { size } },
      `pagination.size: takes a whole number from 1 to 1000, got the number ${size}`,
    ]),
    [
      { pagination: { size: '10' } },
      'pagination.size: takes a whole number from 1 to 1000, got the string "10"',
    ],
    [{ pagination: { size: null } }, 'pagination.size: takes a whole number from 1 to 1000, got null'],
    [
      { pagination: { offset: -1 } },
      'pagination.offset: takes a whole number of 0 or more, got the number -1',
    ],
    [
      { pagination: { offset: 2 ** 53 } },
      'pagination.offset: takes a whole number of 0 or more, got the number 9007199254740992',
    ],
    [
      { pagination: { cursor: 5 } },
      'pagination.cursor: takes the X-Next-Cursor of the page before, got the number 5',
    ],
    [{ pagination: { cursor: 'x', offset: 0 } }, 'pagination: takes an offset or a cursor, not both'],
  ])('%#: %j', (body, message) => {
    expect(refusalOf(body)).toBe(message);
  });

  it('a count takes no pagination', () => {
    expect(() => parseCountBody({ pagination: {} })).toThrow(
      'body: unknown key "pagination"; use one of event, after, before, from, until, timeZone, filterSet',
    );
  });

  it('a refusal is short, however long the body', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${'k'.repeat(40)}${i}`, i]));
    const long = 'x'.repeat(200_000);
    for (const body of [
      many,
      { filterSet: [many] },
      { [long]: 1 },
      filter({ comparison: long }),
      { pagination: many },
    ]) {
      expect(refusalOf(body).length).toBeLessThan(600);
    }
  });
});

describe('bounds', () => {
  const leaf: FilterEntry = { property: 'properties.a', comparison: 'EQUALS', value: 1 };
  const nest = (levels: number, wrap: (entry: FilterEntry) => FilterEntry) => {
    let entry: FilterEntry = leaf;
    for (let i = 1; i < levels; i++) entry = wrap(entry);
    return { filterSet: [entry] };
  };
  const wraps = [(entry: FilterEntry) => ({ not: entry }), (entry: FilterEntry) => ({ anyOf: [entry] })];

  it.each(wraps)('10 levels of groups are taken, 11 and 100,000 are refused', (wrap) => {
    expect(refusalOf(nest(10, wrap))).toBe('accepted');
    expect(refusalOf(nest(11, wrap))).toMatch(/: filters nest at most 10 levels$/);
    expect(refusalOf(nest(100_000, wrap))).toBe('body: nests too deep: filters take at most 10 levels');
  });

  it('the largest body within the limits is taken: 100 filters, each below 9 groups of its own', () => {
    const filterSet = Array.from(
      { length: 100 },
      () => nest(10, (entry) => ({ anyOf: [entry] })).filterSet[0],
    );
    expect(refusalOf({ event: 'a', filterSet, pagination: { size: 5 } })).toBe('accepted');
    const lists = Array.from({ length: 100 }, () => ({
      property: 'properties.a',
      comparison: 'IN',
      value: Array(100).fill('a'),
    }));
    expect(refusalOf({ filterSet: lists })).toBe('accepted');
  });

  it('100 filters, 1,000 IN values, size 1000 and the largest offset are taken', () => {
    expect(refusalOf({ filterSet: Array.from({ length: 100 }, () => leaf) })).toBe('accepted');
    expect(refusalOf(filter({ comparison: 'IN', value: Array(1000).fill('a') }))).toBe('accepted');
    expect(refusalOf({ pagination: { size: 1000, offset: Number.MAX_SAFE_INTEGER } })).toBe('accepted');
    expect(refusalOf({ filterSet: Array.from({ length: 101 }, () => leaf) })).toBe(
      'filterSet[100]: a filterSet takes at most 100 filters',
    );
  });
});

describe('validators, zod and explanations are one judge', () => {
  it.each([
    ['QueryBody', isQueryBody],
    ['CountBody', isCountBody],
    ['TopBody', isTopBody],
    ['ExportBody', isExportBody],
    ['BreakdownBody', isBreakdownBody],
  ] as const)('they accept the same bodies: %s', (name, accepts: (body: unknown) => boolean) => {
    let accepted = 0;
    fc.assert(
      fc.property(nearlyValidBodies, (body) => {
        const byZod = BODY_SCHEMAS[name].safeParse(body).success;
        expect(accepts(body)).toBe(byZod);
        expect(findingsOf(name, body).length === 0).toBe(byZod);
        accepted += byZod ? 1 : 0;
      }),
      { numRuns: casesOf(3000) },
    );
    if (name === 'QueryBody') expect(accepted).toBeGreaterThan(casesOf(50));
  });

  it('an explanation names a place that zod names, or one within', () => {
    fc.assert(
      fc.property(nearlyValidBodies, (body) => {
        const places = placesOf(queryBodySchema.safeParse(body).error?.issues ?? []);
        for (const { path } of findingsOf('QueryBody', body)) {
          const around = path.map((_, i) => path.slice(0, i + 1).join('.'));
          expect(places.some((place) => place === '' || around.includes(place))).toBe(true);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it('what is generated is what the schemas describe', () => {
    for (const { file, text } of generatedFiles()) expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('the same bodies are refused with the same words where code generation is forbidden', () => {
    const samples = fc.sample(nearlyValidBodies, { numRuns: 400, seed: 42 });
    const lines = samples.map((body) => JSON.stringify(body)).filter((line) => typeof line === 'string');
    const script = bundleProgram('test/core/query/without-code-generation.ts');
    const args = ['--disallow-code-generation-from-strings', script];
    const output = execFileSync(process.execPath, args, {
      input: lines.join('\n'),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const answers = JSON.parse(output) as { refusals: string[]; codeGeneration: string };
    expect(answers.codeGeneration).toBe('EvalError');
    expect(answers.refusals).toEqual(lines.map((line) => refusalOf(JSON.parse(line))));
  });
});

/** Every place that issues name, those of the branches of unions too. */
function placesOf(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    const inner = issue.code === 'invalid_union' ? issue.errors : [];
    return [path.join('.'), ...inner.flatMap((branch) => placesOf(branch, path))];
  });
}

describe('a body with more parts than any within the limits', () => {
  const many = (entry: string) => parse(`{"filterSet":[${Array<string>(20_000).fill(entry).join()}]}`);
  const parse = (text: string): unknown => JSON.parse(text);
  it.each(['{}', '0', '""', 'null', '[]', '{"not":{}}', '{"anyOf":[]}', '{"comparison":""}', '[[]]'])(
    '%s 20,000 times is refused before each is explained',
    (entry) => {
      const refusal = 'body: has too many parts: a filterSet takes at most 100 filters';
      expect(refusalOf(many(entry))).toBe(refusal);
      expect(refusalOf(parse(`{"filterSet":[{"allOf":[${Array<string>(3000).fill(entry).join()}]}]}`))).toBe(
        refusal,
      );
    },
  );
});
