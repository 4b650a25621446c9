import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactJson,
  exactNumber,
  refuseAmbiguous,
  refuseRounded,
} from '../../../src/core/event/exact-json.ts';
import { parseJsonLine } from '../../../src/core/event/ndjson.ts';
import { jsonValues } from '../../conformance/arbitraries/events.ts';

const rounded = (where: string, number: string) =>
  `${where}: the integer ${number} would be rounded; send it as text`;

describe('an integer that a double does not hold', () => {
  it.each([
    ['{"properties":{"order":9007199254740993}}', 'properties.order', '9007199254740993'],
    ['{"a":[0,{"b c":[-9007199254740993]}]}', 'a[1]."b c"[0]', '-9007199254740993'],
    ['{"a":"9007199254740993, ","b\\"":18446744073709551615}', '"b\\""', '18446744073709551615'],
    ['[1,"x" , 76561198275305774 ]', '[2]', '76561198275305774'],
    ['76561198275305774', 'body', '76561198275305774'],
    ['{"filterSet":[{"value":[1,1152921504606847000]}]}', 'filterSet[0].value[1]', '1152921504606847000'],
    [`{"n":${'1'.repeat(100_000)}}`, 'n', `${'1'.repeat(40)}…`],
  ])('of %s is refused with its place', (text, where, number) => {
    expect(refuseRounded(text)?.message).toBe(rounded(where, number));
    expect(parseJsonLine(text)).toMatchObject({ message: rounded(where, number) });
  });

  it.each([
    ...['9007199254740992', '-9007199254740994', '1152921504606846976', '9223372036854775808'],
    ...['1e400', '1.5', '0.1234567890123456789', '9007199254740993.0', '90071992547409930e-1', '1e23'],
    ...[
      '"9007199254740993"',
      '{"9007199254740993":1}',
      '" 9007199254740993"',
      '"a\\"9007199254740993,"',
      '""',
    ],
  ])('is none of %s, in any place of a text', (number) => {
    for (let shift = 0; shift < 20; shift++)
      expect(refuseRounded(`${' '.repeat(shift)}{"a":[${number},1],"b":${number}}`)).toBeUndefined();
  });

  it('is found wherever it stands, and nothing else is', () => {
    const digits = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    fc.assert(
      fc.property(jsonValues, digits, fc.nat(40), (value, integer, shift) => {
        // JSON.stringify spells large whole numbers in other digits than they have.
        const around = exactJson(JSON.stringify(value));
        const text = `${' '.repeat(shift)}{"a":${around},"b":${integer}}`;
        const isHeld = BigInt(Number(integer)) === integer;
        expect(refuseRounded(text)?.where).toBe(isHeld ? undefined : 'b');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('whole numbers of an answer', () => {
  it.each([
    [1, '1'],
    [2 ** 53, '9007199254740992'],
    [-(2 ** 60), '-1152921504606846976'],
    [2 ** 63 - 1024, '9223372036854774784'],
    [2 ** 63, '9.223372036854776e+18'],
    [1e20, '1e+20'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
  ])('%d is %s', (number, text) => {
    expect(exactNumber(number)).toBe(text);
    const whole = Number.isSafeInteger(number) || !Number.isInteger(number) ? [] : [number.toExponential()];
    for (const spelled of [JSON.stringify(number), text, ...whole])
      expect(exactJson(`{"a e+15 1152921504606847000":[${spelled}]}`)).toBe(
        `{"a e+15 1152921504606847000":[${text}]}`,
      );
  });

  it('keep their values, and are never refused when they are sent again', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(exactJson(text))).toEqual(JSON.parse(text));
        expect(refuseRounded(exactJson(text))).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a key that an object has twice', () => {
  it.each([
    ['{"event":"a","event":"b"}', 'event'],
    ['{"event":"a","ev\\u0065nt":"b"}', 'event'],
    ['{"filterSet":[{},{"value":1,"value":1}]}', 'filterSet[1].value'],
    [
      '{"filterSet":[{"anyOf":[{"not":{"property":"a","x":{"y":1},"property":"b"}}]}]}',
      'filterSet[0].anyOf[0].not.property',
    ],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"b":1},"c":[{"b":1},{"b":1}],"b":"a","a":1}', 'a'],
  ])('of %s is refused with its place', (text, where) => {
    expect(refuseAmbiguous(text)?.message).toBe(`${where}: the key stands there twice`);
  });

  it.each(['{"a":{"a":["a",{"a":"a"}]},"b":"a"}', '[{"a":1},{"a":1}]', '{}', '5', '{"a":",\\"a\\":","b":1}'])(
    'is none of %s',
    (text) => expect(refuseAmbiguous(text)).toBeUndefined(),
  );
});
