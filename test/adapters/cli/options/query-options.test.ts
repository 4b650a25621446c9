import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFilterText, toEventQuery } from '../../../../adapters/cli/options/query-options.ts';
import { parseCountBody } from '../../../../src/store-kit.ts';
import { createFolder } from '../../../support/file.ts';

describe('filters as text', () => {
  it.each([
    ['properties.plan EQUALS "pro"', 'properties.plan', 'EQUALS', 'pro'],
    ['  properties.n   GREATER_THAN   -1.5e3  ', 'properties.n', 'GREATER_THAN', -1500],
    ['userId IN ["a b", 1, true]', 'userId', 'IN', ['a b', 1, true]],
    ['properties.a\\.b IS_NULL', 'properties.a\\.b', 'IS_NULL', null],
    ['properties.x IS_NOT_NULL null', 'properties.x', 'IS_NOT_NULL', null],
    ['"properties.first name" CONTAINS "\\" \\n"', 'properties.first name', 'CONTAINS', '" \n'],
    ['"properties.a\\"b c" EQUALS "EQUALS"', 'properties.a"b c', 'EQUALS', 'EQUALS'],
    ['properties.ü.日本 EQUALS "ß"', 'properties.ü.日本', 'EQUALS', 'ß'],
  ])('%s', (text, property, comparison, value) => {
    expect(parseFilterText(text)).toEqual({ property, comparison, value });
  });

  it('a quoted path and a JSON operand can hold any text', () => {
    const property = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(
        property,
        fc.constantFrom('EQUALS', 'CONTAINS'),
        fc.jsonValue(),
        (path, comparison, value) => {
          const text = `${JSON.stringify(path)} ${comparison} ${JSON.stringify(value)}`;
          const expected = JSON.parse(JSON.stringify({ property: path, comparison, value })) as unknown;
          expect(parseFilterText(text)).toEqual(expected);
        },
      ),
    );
  });

  it('any other text is refused in a message that names it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          toEventQuery({ filter: [text] });
        } catch (error) {
          expect((error as Error).message).toContain(`--filter ${JSON.stringify(text)}`);
          expect((error as Error).name).toBe('CliError');
        }
      }),
    );
  });

  it.each([
    ['properties.a EQUALS', /EQUALS takes a string, a number or a boolean, got nothing/],
    ['properties.a EQUALS pro', /the operand pro is not JSON; put text in double quotes/],
    ['properties.a EQUALS null', /value: EQUALS takes a string, a number or a boolean, got null/],
    ['properties.a equals 1', /comparison: unknown operator "equals"/],
    ['properties.a LIKE', /unknown operator "LIKE"/],
    ['properties..a EQUALS 1', /property: the path "properties\.\.a" has an empty segment/],
    ['eventTs GREATER_THAN "yesterday"', /value: eventTs takes an ISO 8601 date/],
    ['"properties.a EQUALS 1', /takes a path, an operator and an operand/],
    ['', /takes a path, an operator and an operand/],
  ])('%j says what would be right', (text, message) => {
    const ask = () => toEventQuery({ filter: ['userId EQUALS "a"', text] });
    expect(ask).toThrow(message);
    expect(ask).toThrow(`--filter ${JSON.stringify(text)}: `);
  });

  it('a body may begin with a byte order mark', () => {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    const body = folder.file('body.json');
    writeFileSync(body, '\ufeff{"event":"e"}');
    expect(toEventQuery({ body })).toEqual(parseCountBody({ event: 'e' }));
  });

  it('flags mean the same as a body', () => {
    const filter = ['properties.a EQUALS 1', 'userId IS_NULL'];
    const body = {
      event: 'e',
      after: '2024-01-01',
      before: '2024-01-31',
      filterSet: [
        { property: 'properties.a', comparison: 'EQUALS', value: 1 },
        { property: 'userId', comparison: 'IS_NULL', value: null },
      ],
    };
    const options = { event: 'e', after: '2024-01-01', before: '2024-01-31', filter };
    expect(toEventQuery(options)).toEqual(parseCountBody(body));
    expect(toEventQuery({})).toEqual(parseCountBody({}));
  });
});
