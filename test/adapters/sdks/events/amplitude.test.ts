import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAmplitudeEvent, type AmplitudeShared } from '../../../../adapters/sdks/events/amplitude.ts';
import { isApiError } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { NOW, storedOf } from './stored.ts';

const TIME = 1_602_611_311_123;
const PAID = { event_type: 'Paid', user_id: 'ada', device_id: 'd1', time: TIME, insert_id: 'i1' };

const stored = (message: unknown, shared?: AmplitudeShared) =>
  storedOf(toAmplitudeEvent(message, shared), 'amp');

describe('an event of Amplitude', () => {
  it('becomes one with its time, its properties, and all else below one key', () => {
    const more = { session_id: -1, user_properties: { $set: { plan: 'pro' } }, library: 'x/1' };
    const message = { ...PAID, ...more, event_properties: { total: 5 }, groups: {}, country: null };
    expect(stored(message)).toEqual({
      ...{ eventName: 'Paid', userId: 'ada', eventTs: TIME },
      insertId: expect.stringMatching(/^amp-[0-9a-f]{32}$/) as string,
      properties: {
        total: 5,
        amplitude: { user_id: 'ada', device_id: 'd1', insert_id: 'i1', ...more },
      },
    });
  });

  it('takes from its request what it does not say itself', () => {
    const shared = { client_upload_time: '2024-05-18T10:00:00.000Z' };
    expect(stored(PAID, shared).properties.amplitude).toMatchObject(shared);
    expect(stored({ ...PAID, client_upload_time: null }, shared)).toEqual(stored(PAID, shared));
    const own = { client_upload_time: 'mine' };
    expect(stored({ ...PAID, ...own }, shared).properties.amplitude).toMatchObject(own);
  });

  it.each<[object, string]>([
    [{ user_id: null }, 'd1'],
    [{ user_id: '' }, 'd1'],
    [{ user_id: 12 }, '12'],
    [{ user_id: null, device_id: null }, 'anonymous'],
  ])('of %j is that of the user %s', (ids, userId) => {
    expect(stored({ ...PAID, ...ids }).userId).toBe(userId);
  });

  it('without a time gets that of the server and an id of its own, and keeps its insert_id', () => {
    expect(stored({ ...PAID, time: null })).toMatchObject({
      ...{ eventTs: NOW, insertId: 'made' },
      properties: { amplitude: { insert_id: 'i1' } },
    });
  });

  it('without an insert_id gets an id of its own', () => {
    expect(stored({ ...PAID, insert_id: '' })).toMatchObject({ eventTs: TIME, insertId: 'made' });
  });

  it('has an id that tells apart all that Amplitude does', () => {
    const others = [{ device_id: 'd2' }, { device_id: null }, { insert_id: 'i2' }];
    const ids = [{}, ...others].map((other) => stored({ ...PAID, ...other }).insertId);
    expect(new Set(ids).size).toBe(4);
    expect(stored({ ...PAID, user_id: 'eve', session_id: 1 }).insertId).toBe(ids[0]);
  });

  it('never keeps an API key', () => {
    expect(JSON.stringify(stored({ ...PAID, api_key: 'eqk_secret' }))).not.toContain('secret');
  });

  it('leaves a property of the sender where it is, and names its own key otherwise then', () => {
    const own = { amplitude: 'mine', amplitude_: 1 };
    expect(stored({ ...PAID, event_properties: own }).properties).toEqual({
      ...own,
      amplitude__: { user_id: 'ada', device_id: 'd1', insert_id: 'i1' },
    });
  });

  it.each([
    [1, 'event: takes an object, got the number 1'],
    [{ ...PAID, event_properties: 'x' }, 'event_properties: takes an object, got the string "x"'],
    [{ ...PAID, event_type: '' }, /^eventName: takes a string/],
    [{ ...PAID, time: 'yesterday' }, /^eventTs: takes an ISO 8601/],
    [{ ...PAID, user_id: 2 ** 53 }, /^userId: takes a string/],
    [{ ...PAID, device_id: 2 ** 53 }, /^device_id: takes a text, or a number below 2/],
    [{ ...PAID, insert_id: 2 ** 53 }, /^insertId: takes a text/],
  ])('%j is refused', (message, error) => {
    expect(() => stored(message)).toThrow(error);
  });

  const keys = fc.constantFrom(
    ...['event_type', 'user_id', 'device_id', 'time', 'insert_id', 'event_properties', 'user_properties'],
    ...['api_key', 'amplitude', '__proto__'],
  );
  const values = fc.oneof(jsonValues, fc.constantFrom<unknown>('ada', TIME, null, '', 7, { amplitude: 1 }));
  const messages = fc.oneof(
    fc.dictionary(keys, values),
    fc.dictionary(keys, values).map((fields) => ({ ...PAID, ...fields })),
    jsonValues,
  );

  it('of any kind is an event or refused, and keeps all that its sender said but a key', () =>
    fc.assert(
      fc.property(messages, (generated) => {
        const message = JSON.parse(JSON.stringify(generated)) as Record<string, unknown>;
        try {
          const { properties } = stored(message);
          const own = Object.keys(message.event_properties ?? {});
          expect(Object.keys(properties)).toEqual(expect.arrayContaining(own));
          const key = Object.keys(properties).findLast((name) => /^amplitude_*$/.test(name));
          const rest = key === undefined || own.includes(key) ? {} : properties[key];
          expect(Object.keys(rest as object)).not.toContain('api_key');
        } catch (error) {
          if (!isApiError(error)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: 2000 },
    ));
});
