import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMapping } from '../../../../adapters/import/mappings/apply.ts';
import { plainInstants } from '../../import/plain-instants.ts';
import { POSTHOG } from '../../../../adapters/import/mappings/posthog.ts';
import { toPosthogEvent } from '../../../../adapters/sdks/events/posthog.ts';
import type { JsonObject } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { attempt, NOW, stored, storedOf } from './stored.ts';

const TIME = '2024-05-18T10:00:00.123Z';
const UUID = '018f8b1c-7a00-7abc-8def-0123456789ab';
const MESSAGE = { event: 'paid', distinct_id: 'ada', uuid: UUID, timestamp: TIME };

type Asked =
  Parameters<typeof toPosthogEvent> extends [infer M, number, ...infer Rest] ? [M, ...Rest] : never;
const live = (...[message, ...rest]: Asked) => storedOf(toPosthogEvent(message, NOW, ...rest), 'id');

describe('a message of PostHog', () => {
  it('becomes an event with its time, id and properties, and all else below one key', () => {
    const message = { ...MESSAGE, properties: { plan: 'pro', $lib: 'web' }, library: 'x', empty: null };
    expect(live(message, { sent_at: '2024-05-18T11:00:00.000Z' })).toEqual({
      ...{ eventName: 'paid', userId: 'ada', insertId: UUID, eventTs: Date.parse(TIME) },
      properties: {
        ...{ plan: 'pro', $lib: 'web' },
        posthog: { library: 'x', sent_at: '2024-05-18T11:00:00.000Z' },
      },
    });
    expect(live(MESSAGE).properties).toEqual({});
    // What is null says nothing itself.
    const shared = { sent_at: '2024-05-18T11:00:00.000Z' };
    expect(live({ ...MESSAGE, sent_at: null }, shared)).toEqual(live(MESSAGE, shared));
  });

  it.each([
    [{ distinct_id: undefined, properties: { distinct_id: 'eve' } }, 'eve'],
    [{ distinct_id: '', properties: { $distinct_id: 'eve' } }, 'eve'],
    [{ distinct_id: 'ada', properties: { distinct_id: 'eve' } }, 'ada'],
    [{ distinct_id: 7 }, '7'],
  ])('%j is of the user %s', (more, userId) => {
    expect(live({ ...MESSAGE, ...more }).userId).toBe(userId);
  });

  it('without a time gets that of its uuid, if this is of version 7, and else that of the server', () => {
    expect(live({ ...MESSAGE, timestamp: undefined })).toMatchObject({
      ...{ eventTs: Date.parse('2024-05-18T09:50:50.368Z'), insertId: UUID },
    });
    const random = '018f8b1c-7a00-4abc-8def-0123456789ab';
    expect(live({ ...MESSAGE, uuid: random, timestamp: undefined })).toMatchObject({
      ...{ eventTs: NOW, insertId: 'made' },
      properties: { posthog: { uuid: random } },
    });
  });

  it('keeps the key of its project nowhere, and a token of the sender', () => {
    const token = 'phc_secret';
    const events = [
      live({ ...MESSAGE, api_key: token, token, properties: { token } }),
      live({ ...MESSAGE, properties: { token } }),
      live({ ...MESSAGE, properties: { token } }, { api_key: token }),
    ];
    expect(JSON.stringify(events)).not.toContain(token);
    expect(live({ ...MESSAGE, properties: { token: 'mine' } }, { api_key: token }).properties).toEqual({
      token: 'mine',
    });
  });

  it('has what changes its person in its properties, wherever it was', () => {
    const message = { ...MESSAGE, $set: { a: 1 }, $set_once: { b: 2 }, properties: { $set: { c: 3 } } };
    expect(live(message).properties).toEqual({ $set: { a: 1, c: 3 }, $set_once: { b: 2 } });
    const odd = { ...MESSAGE, $set: 1, properties: { $set: 2 } };
    expect(live(odd).properties).toEqual({ $set: 2, posthog: { $set: 1 } });
  });

  it('of a person needs no name', () => {
    expect(live({ $distinct_id: 'ada', $set: { a: 1 } }, {}, true)).toMatchObject({
      ...{ eventName: '$identify', userId: 'ada', properties: { $set: { a: 1 } } },
    });
  });

  it.each([
    [1, 'event: takes an object, got the number 1'],
    [{ ...MESSAGE, event: '' }, /^eventName: /],
    [{ ...MESSAGE, distinct_id: null }, 'userId: takes a distinct_id, got nothing'],
    [{ ...MESSAGE, properties: 'x' }, 'properties: takes an object, got the string "x"'],
    [{ ...MESSAGE, timestamp: 'soon' }, /^eventTs: /],
    [{ ...MESSAGE, uuid: 2 ** 60 }, /^uuid: takes a text, or a number below 2\^53/],
  ])('%j is refused', (message, reason) => {
    expect(() => live(message)).toThrow(reason);
  });

  it('has the identity and the keys that an import of an export of it gives', () => {
    const mapped = compileMapping(POSTHOG, plainInstants());
    const names = fc.oneof(
      fc.constantFrom('posthog', '$set', '$person', '__proto__'),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.dictionary(names, jsonValues), (own) => {
        const message = { ...MESSAGE, properties: JSON.parse(JSON.stringify(own)) as JsonObject };
        const imported = attempt(() => stored(mapped(message).value));
        expect(attempt(() => live(message))).toEqual(imported);
      }),
      { numRuns: 1000 },
    );
  });

  it('of any kind is an event or refused', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(MESSAGE), 'properties', '$set', 'token'), jsonValues),
        fc.boolean(),
        (odd, isEngage) => {
          const got = attempt(() => live({ ...MESSAGE, ...odd }, {}, isEngage));
          if ('refused' in got) expect(got.refused).toMatch(/^[\w.]+: /);
          else expect(got.eventTs).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 1000 },
    ));
});
