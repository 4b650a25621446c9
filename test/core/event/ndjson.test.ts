import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isApiError, parseNdjson } from '../../../src/index.ts';
import { jsonValues } from '../../conformance/arbitraries/events.ts';

describe('parseNdjson', () => {
  it.each([
    ['', []],
    ['\n\n', []],
    ['{"a":1}', [{ a: 1 }]],
    ['{"a":1}\n', [{ a: 1 }]],
    ['{"a":1}\r\n\r\n 2 \n', [{ a: 1 }, 2]],
    ['1\n\n\n2', [1, 2]],
  ])('reads %j', (text, values) => {
    expect(parseNdjson(text)).toEqual(values);
  });

  it('puts an error in the place of a line that is not JSON, and reads on', () => {
    const [first, second, third] = parseNdjson('{"a":1}\n{"a":\n3');
    expect([first, third]).toEqual([{ a: 1 }, 3]);
    expect(isApiError(second)).toBe(true);
    expect(second).toMatchObject({ status: 400, message: 'event: its line is not valid JSON' });
  });

  it('reads what was written line by line', () => {
    fc.assert(
      fc.property(fc.array(jsonValues), (values) => {
        const lines = values.map((value) => JSON.stringify(value));
        expect(parseNdjson(lines.join('\n'))).toEqual(lines.map((line) => JSON.parse(line) as unknown));
      }),
    );
  });

  it('stops when there are too many values, good or bad, and does not count blank lines', () => {
    expect(parseNdjson('1\n'.repeat(9), 3)).toEqual([1, 1, 1, 1]);
    expect(parseNdjson('x\n'.repeat(9), 3)).toHaveLength(4);
    expect(parseNdjson(`${'\n'.repeat(9)}1\n2\n`, 3)).toEqual([1, 2]);
    expect(parseNdjson('1\n2\n3', 3)).toEqual([1, 2, 3]);
  });
});
