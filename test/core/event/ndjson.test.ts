import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isApiError } from '../../../src/index.ts';
import { exactJson, parseJsonLine } from '../../../src/internal.ts';
import { jsonValues } from '../../conformance/arbitraries/events.ts';

it('a line is read as what was written', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      expect(parseJsonLine(exactJson(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(parseJsonLine(' {"a":1} \r')).toEqual({ a: 1 });
});

it('a line that is not JSON becomes its error', () => {
  const bad = parseJsonLine('{"a":');
  expect(isApiError(bad)).toBe(true);
  expect(bad).toMatchObject({ status: 400, message: 'event: its line is not valid JSON' });
});
