import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../../src/index.ts';
import { COMPARISONS } from '../../../../src/internal.ts';
import { pathText } from '../../../../src/store-kit.ts';
import { parseFilterText, toFilterText, WRITTEN } from '../../../../adapters/cli/options/filter-text.ts';
import { operandsOf } from '../../../conformance/arbitraries/operands.ts';

describe('a filter as text', () => {
  it.each<[string, string, string, unknown]>([
    ['properties.plan = "pro"', 'properties.plan', 'EQUALS', 'pro'],
    ['properties.plan="pro"', 'properties.plan', 'EQUALS', 'pro'],
    ['properties.plan!="pro"', 'properties.plan', 'NOT_EQUALS', 'pro'],
    ['  properties.n   >  -1.5e3  ', 'properties.n', 'GREATER_THAN', -1500],
    ['properties.n>=-1', 'properties.n', 'GREATER_THAN_OR_EQUALS', -1],
    ['properties.n<1', 'properties.n', 'LESS_THAN', 1],
    ['properties.n <= 1', 'properties.n', 'LESS_THAN_OR_EQUALS', 1],
    ['userId in ("a b", 1,true)', 'userId', 'IN', ['a b', 1, true]],
    ['userId in("a")', 'userId', 'IN', ['a']],
    ['userId not  in ["a(", ")"]', 'userId', 'NOT_IN', ['a(', ')']],
    ['userId in ( ")", "(" )', 'userId', 'IN', [')', '(']],
    ['userId in ()', 'userId', 'IN', []],
    ['properties.tags contains "a"', 'properties.tags', 'CONTAINS', 'a'],
    ['properties.tags not contains true', 'properties.tags', 'NOT_CONTAINS', true],
    ['properties.a starts with "contains"', 'properties.a', 'STARTS_WITH', 'contains'],
    ['properties.a ends with "a = b"', 'properties.a', 'ENDS_WITH', 'a = b'],
    ['properties.a exists', 'properties.a', 'IS_NOT_NULL', null],
    ['properties.a not exists', 'properties.a', 'IS_NULL', null],
    ['"properties.first name" contains "\\" \\n"', 'properties.first name', 'CONTAINS', '" \n'],
    ['"properties.a=b"="c"', 'properties.a=b', 'EQUALS', 'c'],
    ['properties.a\\.b exists', 'properties.a\\.b', 'IS_NOT_NULL', null],
    ['properties.ü.日本 = "ß"', 'properties.ü.日本', 'EQUALS', 'ß'],
    // The names of the HTTP API.
    ['properties.plan EQUALS "pro"', 'properties.plan', 'EQUALS', 'pro'],
    ['userId IN ["a b", 1, true]', 'userId', 'IN', ['a b', 1, true]],
    ['properties.x IS_NOT_NULL null', 'properties.x', 'IS_NOT_NULL', null],
    ['"properties.a\\"b c" EQUALS "EQUALS"', 'properties.a"b c', 'EQUALS', 'EQUALS'],
  ])('%s', (text, property, comparison, value) => {
    expect(parseFilterText(text)).toEqual({ property, comparison, value });
  });

  it('every operator has one spelling of its own beside its name', () => {
    const names = Object.keys(COMPARISONS);
    expect(new Set([...WRITTEN, ...names]).size).toBe(names.length * 2);
    expect(WRITTEN.every((text) => /^(?:[=!<>]{1,2}|[a-z]+(?: [a-z]+)?)$/.test(text))).toBe(true);
  });

  it('printed and parsed again is the same filter', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    );
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => !key.includes('\0'));
    const path = fc
      .array(text, { minLength: 1, maxLength: 4 })
      .map((segments) => pathText({ root: 'properties', segments }));
    const filter = fc
      .record({
        property: fc.oneof(path, fc.constantFrom('userId', 'eventTs', 'properties.a', 'properties.a in b')),
        comparison: fc.constantFrom(...(Object.keys(COMPARISONS) as Filter['comparison'][])),
      })
      .chain((rest) =>
        operandsOf(COMPARISONS[rest.comparison].takes, scalar).map((value) => ({ ...rest, value }) as Filter),
      );
    fc.assert(
      fc.property(filter, (made) => {
        expect(parseFilterText(toFilterText(made))).toEqual(made);
      }),
    );
  });

  it('a quoted path and a JSON operand can hold any text', () => {
    const value = fc.jsonValue().filter((json) => json !== null);
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => !/[.\\\0]/.test(key)),
        fc.constantFrom('EQUALS', '=', 'contains'),
        value,
        (key, operator, json) => {
          const { property, value: read } = parseFilterText(
            `${JSON.stringify(`properties.${key}`)} ${operator} ${JSON.stringify(json)}`,
          );
          expect([property, JSON.stringify(read)]).toEqual([`properties.${key}`, JSON.stringify(json)]);
        },
      ),
    );
  });
});

describe('what is wrong is named with its place', () => {
  it.each([
    ['properties.a', 'at its end: takes a path, an operator and an operand: properties.plan = "pro"'],
    ['= 1', 'at character 1, "= 1": takes a path, an operator and an operand: properties.plan = "pro"'],
    ['"properties.\\q" = 1', 'at character 1, "\\"properties.\\\\q\\" = 1": this path in quotes is not JSON'],
    ['plan = "pro"', 'at character 1, "plan = \\"pro\\"": unknown property path "plan"; use eventName'],
    ['plan = "pro"', 'or properties.<key>; did you mean "properties.plan"?'],
    ['userid = "ada"', 'did you mean "userId"?'],
    [
      'properties..a = 1',
      'at character 1, "properties..a = 1": the path "properties..a" has an empty segment',
    ],
    ['properties.a equal 1', 'unknown operator "equal"; did you mean "EQUALS"?'],
    ['properties.a contain 1', 'unknown operator "contain"; did you mean "contains"?'],
    ['properties.a == 1', 'at character 14, "== 1": unknown operator "=="; use one of =, !=, >, >=, <'],
    ['properties.a <> 1', 'at character 14, "<> 1": unknown operator "<>"; use one of =, !='],
    ['properties.a IN5', 'at character 14, "IN5": unknown operator "IN5"'],
    ["properties.a = 'pro'", `at character 16, "'pro'": put text in double quotes: "pro"`],
    ['properties.ü.𝒳 = pro user', 'at character 18, "pro user": put text in double quotes: "pro"'],
    ['properties.a = "pro', 'at character 16, "\\"pro": this text has no closing quote'],
    ['properties.a = "a\\qb"', 'at character 18, "\\\\qb\\"": a text is written as in JSON'],
    [
      'properties.a = "pro" and x = 1',
      'at character 22, "and x = 1": a filter ends here; for "and" repeat --filter',
    ],
    ['properties.a = 1 2', 'at character 18, "2": a filter ends here; in a list, separate values by commas'],
    ['properties.a = 01', 'at character 16, "01": takes a text in double quotes, a number, true or false'],
    ['properties.a = .5', 'at character 16, ".5": takes a text in double quotes, a number, true or false'],
    ['properties.a in ("a" "b")', 'at character 22, "\\"b\\")": takes a comma or )'],
    ['properties.a in ("a", b)', 'at character 23, "b)": put text in double quotes: "b"'],
    ['properties.a in ("a",', 'at its end: takes a text in double quotes, a number, true or false'],
    ['properties.a in ("a"', 'at its end: takes a comma or )'],
    ['properties.a exists "x"', 'at character 21, "\\"x\\"": exists takes no operand'],
    ['properties.a > ', 'at its end: > takes a number or a string, got nothing'],
    [
      'properties.a != null',
      'at character 17, "null": != takes a string, a number or a boolean, got null; exists',
    ],
  ])('%s', (text, message) => {
    expect(() => parseFilterText(text)).toThrow(message);
  });

  it('in any text, in one line, in time that grows with its length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('properties.a ="()[],\\\'1x!<>')), maxLength: 60 }),
        (text) => {
          try {
            parseFilterText(text);
          } catch (error) {
            expect((error as Error).name).toBe('CliError');
            expect((error as Error).message).toMatch(
              /^--filter ".*": at (?:its end|character \d+, ".*"): [^\n]+$/,
            );
          }
        },
      ),
    );
    for (const part of ['"', '\\', ' ', '(', '"a",', 'a ', '=', '1'])
      expect(() => parseFilterText(`properties.a in (${part.repeat(100_000)}`)).toThrow();
  });
});
