import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toCountBody, type FilterOptions } from '../../../../adapters/cli/options/query-options.ts';
import { parseCountBody } from '../../../../src/store-kit.ts';
import { createFolder } from '../../../support/file.ts';

const toEventQuery = (options: FilterOptions) => parseCountBody(toCountBody(options));

describe('the flags of a query', () => {
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
    ['properties.a EQUALS', /at its end: EQUALS takes a string, a number or a boolean, got nothing$/],
    ['properties.a EQUALS pro', /at character 21, "pro": put text in double quotes: "pro"$/],
    [
      'properties.a = null',
      /at character 16, "null": = takes a string, a number or a boolean, got null; exists/,
    ],
    [
      'properties.a equals 1',
      /at character 14, "equals 1": unknown operator "equals"; did you mean "EQUALS"/,
    ],
    ['properties.a LIKE', /at character 14, "LIKE": unknown operator "LIKE"/],
    ['properties..a = 1', /the path "properties\.\.a" has an empty segment/],
    ['eventTs > "yesterday"', /value: eventTs takes an ISO 8601 date/],
    ['"properties.a = 1', /at character 1, ".*": takes a path, an operator and an operand/],
    ['', /at its end: takes a path, an operator and an operand: properties.plan = "pro"$/],
  ])('%j says what would be right', (text, message) => {
    const ask = () => toEventQuery({ filter: ['userId = "a"', text] });
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
    const day = { after: '2024-01-01', timeZone: 'Europe/Berlin' };
    expect(toEventQuery(day)).toEqual(parseCountBody(day));
    expect(() => toEventQuery({ timeZone: 'Berlin' })).toThrow(
      /^--time-zone: takes UTC, .*; did you mean "Europe\/Berlin"\?$/,
    );
    const time = { from: '2024-01-01T09:00:00+02:00', until: '2024-01-02T00:00:00Z' };
    expect(toEventQuery(time)).toEqual(parseCountBody(time));
    expect(() => toEventQuery({ from: '2024-01-01' })).toThrow(
      /^--from: takes a date-time with an offset, .*; a whole day is for after$/,
    );
  });
});
