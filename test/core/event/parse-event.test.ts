import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toEvent } from '../../../src/core/event/event.ts';
import { parseEvent } from '../../../src/core/event/parse-event.ts';
import type { EventInput } from '../../../src/index.ts';
import { EVENT_BYTES_MAX, toEventJson } from '../../../src/internal.ts';
import { eventInputs } from '../../conformance/arbitraries/events.ts';

const NOW = Date.parse('2024-05-18T10:00:00.000Z');
const runtime = { now: () => NOW, newInsertId: () => '11111111-2222-4333-8444-555555555555' };
const event: EventInput = { eventName: 'page_viewed', userId: 'ada', eventTs: NOW, insertId: 'i-1' };
const parse = (fields: Readonly<Record<string, unknown>>) => parseEvent({ ...event, ...fields }, runtime);

describe('parseEvent takes', () => {
  it('the least: a name and a user; time and id are the server’s', () => {
    expect(parseEvent({ eventName: 'e', userId: 'u' }, runtime)).toEqual({
      eventName: 'e',
      userId: 'u',
      eventTs: NOW,
      insertId: runtime.newInsertId(),
      receivedAt: NOW,
      propertiesJson: '{}',
    });
  });

  it('names, users and ids of any text, and writes them as JSON', () => {
    const texts = { eventName: 'say "a\\"', userId: '"', insertId: 'a"b' };
    expect(JSON.parse(toEventJson(parse(texts)))).toMatchObject(texts);
  });

  it('times as text and as milliseconds, cut to the millisecond', () => {
    expect(parse({ eventTs: '2024-05-18T10:00:00.0009Z' }).eventTs).toBe(NOW);
    expect(parse({ eventTs: NOW + 0.9 }).eventTs).toBe(NOW);
    expect(parse({ eventTs: '2024-05-18T12:00:00+02:00' }).eventTs).toBe(NOW);
    expect(parse({ eventTs: 631_152_000_000.5 }).eventTs).toBe(631_152_000_000);
  });

  it('the first and the last instant, and 24 hours ahead', () => {
    const late = { ...runtime, now: () => Date.parse('2099-12-31T12:00:00Z') };
    expect(parse({ eventTs: '1970-01-01T00:00:00Z' }).eventTs).toBe(0);
    expect(parseEvent({ ...event, eventTs: '2099-12-31T23:59:59.999Z' }, late).eventTs).toBe(4102444799999);
    expect(parse({ eventTs: NOW + 86_400_000 }).eventTs).toBe(NOW + 86_400_000);
  });

  it('names of 256 characters, ids of 128, an eventDate that fits', () => {
    expect(parse({ eventName: '😀'.repeat(256) }).eventName).toHaveLength(512);
    expect(parse({ insertId: ' ~'.repeat(64) }).insertId).toHaveLength(128);
    expect(parse({ eventDate: '2024-05-18' }).eventTs).toBe(NOW);
  });

  it('properties are parsed once, when someone looks', () => {
    const answered = toEvent(parse({ properties: { a: { b: 1 } } }));
    expect(answered.properties).toBe(answered.properties);
    const broken = { ...parse({}), propertiesJson: '{' };
    expect(toEvent(broken).eventName).toBe('page_viewed');
    expect(() => toEvent(broken).properties).toThrow();
  });

  it('what toEvent and toEventJson answer', () => {
    fc.assert(
      fc.property(eventInputs, (input) => {
        const late = { ...runtime, now: () => Date.parse('2099-12-31T23:59:59.999Z') };
        const stored = parseEvent(input, late);
        const { eventName, userId, eventTs, insertId, properties, eventDate } = toEvent(stored);
        const answered = { eventName, userId, eventTs, properties, eventDate, insertId };
        expect(JSON.parse(toEventJson(stored))).toEqual(answered);
        expect(parseEvent(JSON.parse(toEventJson(stored)), late)).toEqual(stored);
      }),
    );
  });
});

it('a Date is its instant, as the time and in properties', () => {
  const at = new Date(NOW);
  const { eventTs, propertiesJson } = parse({ eventTs: at, properties: { at, big: [2 ** 60, at] } });
  expect(eventTs).toBe(NOW);
  const text = '"2024-05-18T10:00:00.000Z"';
  expect(propertiesJson).toBe(`{"at":${text},"big":[1.152921504606847e+18,${text}]}`);
  expect(parse({ eventTs: new Date(5) }).eventTs).toBe(5);
  const never = new Date(NaN);
  expect(() => parse({ eventTs: never })).toThrow('eventTs: takes');
  expect(() => parse({ properties: { never } })).toThrow('properties.never: must be a valid Date');
});

it('an empty list is an object without properties, as PHP writes it', () => {
  expect(parse({ properties: [] }).propertiesJson).toBe('{}');
});

describe('parseEvent refuses', () => {
  const time = 'takes an ISO 8601 date-time with an offset (2024-05-18T10:00:00.000Z) or epoch milliseconds';
  const future = 'must be at most 24 hours in the future (2024-05-19T10:00:00.000Z)';
  const keys = 'unknown key; use one of eventName, userId, eventTs, insertId, properties, eventDate';
  const id = 'insertId: takes 1 to 128 printable ASCII characters';
  it.each([
    [{ eventName: undefined }, 'eventName: takes a string of 1 to 256 characters, got nothing'],
    [{ eventName: '' }, 'eventName: takes a string of 1 to 256 characters, got 0'],
    [{ eventName: 'x'.repeat(257) }, 'eventName: takes a string of 1 to 256 characters, got 257'],
    [{ eventName: '😀'.repeat(257) }, 'eventName: takes a string of 1 to 256 characters, got 257'],
    [{ eventName: 5 }, 'eventName: takes a string of 1 to 256 characters, got the number 5'],
    [{ eventName: '\ud800' }, 'eventName: must be well-formed Unicode without U+0000'],
    [{ userId: 'a\u0000' }, 'userId: must be well-formed Unicode without U+0000'],
    [{ userId: null }, 'userId: takes a string of 1 to 256 characters, got null'],
    [{ eventTs: '2024-05-18' }, `eventTs: ${time}, got the string "2024-05-18"`],
    [{ eventTs: '2024-05-18T10:00:00' }, `eventTs: ${time}, got the string "2024-05-18T10:00:00"`],
    [{ eventTs: null }, `eventTs: ${time}, got null`],
    [{ eventTs: NaN }, `eventTs: ${time}, got the number NaN`],
    [{ eventTs: -1 }, 'eventTs: must lie between 1970 and 2099, got the number -1'],
    [{ eventTs: -0.5 }, 'eventTs: must lie between 1970 and 2099, got the number -0.5'],
    ...[-0, 0, 12_345, 500_000_000, 631_151_999_999].map((ms): [object, string] => [
      { eventTs: ms },
      `eventTs: a number is milliseconds from 1990 on, got ${ms}; send ISO 8601`,
    ]),
    [
      { eventTs: 1_714_730_400 },
      'eventTs: looks like seconds: 1714730400 would be 2024-05-03T10:00:00.000Z; ' +
        'send milliseconds as a number, or an ISO 8601 date-time',
    ],
    ...[20_240_503, '20240503', 45_415.5, 1_714_730_400_000_000, '1714730400000'].map(
      (number): [object, string] => [
        { eventTs: number },
        expect.stringMatching(
          /^eventTs: looks like .* would be 2024-05-03.*; send milliseconds as a number/,
        ) as string,
      ],
    ),
    [{ eventTs: Infinity }, 'eventTs: must lie between 1970 and 2099, got the number Infinity'],
    [
      { eventTs: '2100-01-01T00:00:00Z' },
      'eventTs: must lie between 1970 and 2099, got the string "2100-01-01T00:00:00Z"',
    ],
    [{ eventTs: NOW + 86_400_001 }, `eventTs: ${future}, got the number ${NOW + 86_400_001}`],
    [{ insertId: '' }, `${id}, got the string ""`],
    [{ insertId: 'x'.repeat(129) }, `${id}, got the string "${'x'.repeat(60)}…"`],
    [{ insertId: 'é' }, `${id}, got the string "é"`],
    [{ insertId: 'a\n' }, `${id}, got the string "a\\n"`],
    [{ insertId: 7 }, `${id}, got the number 7`],
    [
      { eventTs: undefined },
      'insertId: needs an eventTs beside it: without one a retry could not be recognised',
    ],
    [{ insertId: null }, `${id}, got null`],
    [{ eventTs: undefined, insertId: null }, `${id}, got null`],
    [{ eventDate: null }, 'eventDate: must be the UTC date of eventTs, 2024-05-18, or absent'],
    [{ properties: [0] }, 'properties: takes an object, got an array'],
    [{ properties: null }, 'properties: takes an object, got null'],
    [{ properties: { a: [{ b: NaN }] } }, 'properties.a[0].b: must be a finite number'],
    [{ eventDate: '2024-05-17' }, 'eventDate: must be the UTC date of eventTs, 2024-05-18, or absent'],
    [{ eventname: 'x' }, `"eventname": ${keys}`],
    [JSON.parse('{"__proto__":{}}'), `"__proto__": ${keys}`],
  ])('%#: %j', (fields: Record<string, unknown>, message) => {
    const input = Object.fromEntries([...Object.entries(event), ...Object.entries(fields)]);
    expect(() => parseEvent(input, runtime)).toThrow(expect.objectContaining({ status: 400, message }));
  });

  it.each([[null], [[]], ['text'], [5], [undefined]])('%j, which is no object', (input) => {
    expect(() => parseEvent(input, runtime)).toThrow('event: takes an object, got');
  });

  it('more than 1 MiB of UTF-8, and takes exactly that', () => {
    const frame = '{"a":""}'.length + 'page_viewed'.length + 'ada'.length;
    const most = 'x'.repeat(EVENT_BYTES_MAX - frame);
    expect(parse({ properties: { a: most } }).propertiesJson).toHaveLength(most.length + 8);
    expect(() => parse({ properties: { a: `${most}x` } })).toThrow(
      'event: takes at most 1048576 bytes, got 1048577',
    );
    const wide = '😀'.repeat(Math.floor((EVENT_BYTES_MAX - frame) / 4));
    expect(parse({ properties: { a: wide } }).propertiesJson).toContain('😀');
    expect(() => parse({ properties: { a: `${wide}😀` } })).toThrow('takes at most 1048576 bytes');
  });
});
