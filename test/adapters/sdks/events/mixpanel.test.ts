import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MIXPANEL_PATHS,
  toMixpanelEvent,
  type MixpanelPath,
} from '../../../../adapters/sdks/events/mixpanel.ts';
import { isApiError } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { NOW, storedOf } from './stored.ts';

const TIME = 1_602_611_311_123;
const PAID = { event: 'Paid', properties: { time: TIME, distinct_id: 'ada', $insert_id: 'i1' } };

const stored = (message: unknown, path: MixpanelPath = 'track') =>
  storedOf(toMixpanelEvent(message, path), 'mp');
const withProperties = (properties: object) => ({
  ...PAID,
  properties: { ...PAID.properties, ...properties },
});

describe('an event of Mixpanel', () => {
  it('becomes one with its time, its properties, and all else below one key', () => {
    const message = { ...withProperties({ plan: 'pro', token: 'abc' }), $mp_metadata: { $mp_event_id: 'x' } };
    expect(stored(message)).toEqual({
      ...{ eventName: 'Paid', userId: 'ada', eventTs: TIME },
      insertId: expect.stringMatching(/^mp-[0-9a-f]{32}$/) as string,
      properties: { $insert_id: 'i1', plan: 'pro', mixpanel: { $mp_metadata: { $mp_event_id: 'x' } } },
    });
  });

  it.each<[unknown, number]>([
    [1_602_611_311, 1_602_611_311_000],
    [1_602_611_311.123, TIME],
    ['1602611311', 1_602_611_311_000],
    [TIME, TIME],
    ['2020-10-13T17:48:31.123Z', TIME],
  ])('of the time %j is of that instant', (time, eventTs) => {
    expect(stored(withProperties({ time })).eventTs).toBe(eventTs);
  });

  it.each([undefined, null, ''])('of the time %j gets that of the server and an id of its own', (time) => {
    const { eventTs, insertId, properties } = stored(withProperties({ time }));
    expect({ eventTs, insertId, properties }).toEqual({
      ...{ eventTs: NOW, insertId: 'made' },
      properties: { $insert_id: 'i1' },
    });
  });

  it.each([undefined, null, ''])('with the $insert_id %j gets an id of its own', ($insert_id) => {
    expect(stored(withProperties({ $insert_id }))).toMatchObject({ eventTs: TIME, insertId: 'made' });
  });

  it.each<[unknown, string]>([
    [undefined, 'anonymous'],
    ['', 'anonymous'],
    [null, 'anonymous'],
    [13793, '13793'],
    ['$device:1', '$device:1'],
  ])('of the distinct_id %j is that of the user %s', (distinct_id, userId) => {
    expect(stored(withProperties({ distinct_id })).userId).toBe(userId);
  });

  it('has an id that tells apart all that Mixpanel does', () => {
    const others = [
      { ...PAID, event: 'Seen' },
      withProperties({ distinct_id: 'eve' }),
      withProperties({ $insert_id: 'i2' }),
    ];
    const ids = [PAID, ...others].map((message) => stored(message).insertId);
    expect(new Set(ids).size).toBe(4);
    expect(stored(withProperties({ more: 1 })).insertId).toBe(ids[0]);
  });

  it('never keeps its token', () => {
    const message = { ...withProperties({ token: 'eqk_secret' }), token: 'eqk_secret' };
    expect(JSON.stringify(stored(message))).not.toContain('secret');
    const update = { $token: 'eqk_secret', $distinct_id: 'ada', $set: {} };
    expect(JSON.stringify(stored(update, 'engage'))).not.toContain('secret');
  });

  it('leaves a property of the sender where it is, and names its own key otherwise then', () => {
    const message = { ...withProperties({ mixpanel: 'mine' }), more: 1 };
    expect(stored(message).properties).toEqual({
      $insert_id: 'i1',
      mixpanel: 'mine',
      mixpanel_: { more: 1 },
    });
  });

  it.each([
    [1, 'event: takes an object, got the number 1'],
    [{ ...PAID, properties: [1] }, /^properties: takes an object, got an? /],
    [{ properties: {} }, /^eventName: takes a string .* got nothing$/],
    [withProperties({ time: 'yesterday' }), /^eventTs: takes an ISO 8601/],
    [withProperties({ time: true }), /^eventTs: takes an ISO 8601/],
    [withProperties({ time: 1e17 }), /^eventTs: must lie between 1970 and 2099/],
    [withProperties({ distinct_id: 2 ** 53 }), /^userId: takes a string .* got the number 9007199254740992$/],
    [withProperties({ $insert_id: 2 ** 53 }), /^insertId: takes a text, or a number below/],
  ])('%j is refused', (message, error) => {
    expect(() => stored(message)).toThrow(error);
  });
});

describe('an update of a profile', () => {
  it('of a user becomes an event with its operations', () => {
    const update = { $token: 't', $distinct_id: 'ada', $ip: '0', $set: { plan: 'pro' }, $add: { n: 1 } };
    expect(stored(update, 'engage')).toEqual({
      ...{ eventName: 'user_profile_updated', userId: 'ada', eventTs: NOW, insertId: 'made' },
      properties: { $ip: '0', $set: { plan: 'pro' }, $add: { n: 1 } },
    });
  });

  it('of a group becomes one without a user', () => {
    const update = { $token: 't', $group_key: 'company', $group_id: 'acme', $unset: ['plan'] };
    expect(stored(update, 'groups')).toEqual({
      ...{ eventName: 'group_profile_updated', userId: 'anonymous', eventTs: NOW, insertId: 'made' },
      properties: { $group_key: 'company', $group_id: 'acme', $unset: ['plan'] },
    });
  });

  it('keeps that a profile was deleted', () => {
    const { properties } = stored({ $distinct_id: 'ada', $delete: '' }, 'engage');
    expect(properties).toEqual({ $delete: '' });
  });

  it('has the time that its sender names as a number, and keeps any other', () => {
    const update = { $distinct_id: 'ada', $set: {} };
    expect(stored({ ...update, $time: TIME }, 'engage')).toMatchObject({
      ...{ eventTs: TIME, properties: { $set: {} } },
    });
    const inSeconds = stored({ ...update, $time: Math.floor(TIME / 1000) }, 'engage');
    expect(inSeconds).toMatchObject({ eventTs: Math.floor(TIME / 1000) * 1000, properties: { $set: {} } });
    const local = '2020-10-13T17:48:31';
    expect(stored({ ...update, $time: local }, 'engage')).toMatchObject({
      ...{ eventTs: NOW, properties: { $time: local } },
    });
  });

  it('is refused where it does nothing', () => {
    expect(() => stored({ $distinct_id: 'ada' }, 'engage')).toThrow(
      /^event: takes one of \$set, .* got none/,
    );
  });
});

describe('a message of any kind', () => {
  const FIELDS_OF_EVENTS = new Set(['time', 'distinct_id', 'token', '$token', '$distinct_id', '$time']);
  const fields = fc.constantFrom(
    'event',
    'properties',
    '$set',
    '$distinct_id',
    '$time',
    'token',
    '__proto__',
  );
  const keys = fc.constantFrom(
    ...['time', 'distinct_id', '$insert_id', 'token', 'mixpanel', 'plan', '__proto__'],
  );
  const values = fc.oneof(jsonValues, fc.constantFrom<unknown>('ada', TIME, TIME / 1000, null, '', 7));
  const messages = fc.oneof(
    fc.dictionary(fields, values),
    fc.dictionary(keys, values).map((properties) => ({ event: 'Paid', properties })),
    jsonValues,
  );
  const paths = fc.constantFrom(...(Object.keys(MIXPANEL_PATHS) as MixpanelPath[]));

  it('is an event or refused, and keeps all that its sender said but the token', () =>
    fc.assert(
      fc.property(messages, paths, (generated, path) => {
        const message = JSON.parse(JSON.stringify(generated)) as Record<string, unknown>;
        try {
          const { properties } = stored(message, path);
          const own = (path === 'track' || path === 'import' ? message.properties : message) as object | null;
          const kept = Object.keys(own ?? {}).filter((key) => !FIELDS_OF_EVENTS.has(key));
          expect(Object.keys(properties)).toEqual(expect.arrayContaining(kept));
          expect(Object.keys(properties)).not.toContain('token');
        } catch (error) {
          if (!isApiError(error)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: 2000 },
    ));
});
