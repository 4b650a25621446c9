import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEGMENT_CALLS, toSegmentEvent } from '../../../../adapters/sdks/events/segment.ts';
import { isApiError } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { NOW, storedOf } from './stored.ts';

const TIMESTAMP = '2024-05-18T10:00:00.123Z';

type Asked =
  Parameters<typeof toSegmentEvent> extends [infer M, number, ...infer Rest] ? [M, ...Rest] : never;
const live = (...[message, ...rest]: Asked) => storedOf(toSegmentEvent(message, NOW, ...rest), 'id');

const TRACK = { type: 'track', event: 'Paid', userId: 'ada', messageId: 'm1', timestamp: TIMESTAMP };

describe('a message of Segment', () => {
  it('becomes an event with its time, id, properties, context, and all else below one key', () => {
    const more = {
      anonymousId: 'anon',
      context: { ip: '::1' },
      integrations: { All: true },
      channel: 'server',
    };
    expect(live({ ...TRACK, ...more, sentAt: TIMESTAMP, properties: { total: 5 } })).toEqual({
      ...{ eventName: 'Paid', userId: 'ada', insertId: 'm1', eventTs: Date.parse(TIMESTAMP) },
      properties: {
        total: 5,
        context: { ip: '::1' },
        segment: { type: 'track', userId: 'ada', ...more, context: undefined, sentAt: TIMESTAMP },
      },
    });
  });

  it.each([
    ['identify', 'user_identified', 'traits', {}],
    ['page', 'page_viewed', 'properties', { name: 'Home', category: 'Docs' }],
    ['screen', 'screen_viewed', 'properties', { name: 'Home' }],
    ['group', 'group_identified', 'traits', { groupId: 'g1' }],
    ['alias', 'user_aliased', 'properties', { previousId: 'before' }],
  ])('of type %s is named %s, and its %s are its properties', (type, eventName, content, fields) => {
    const message = { type, userId: 'ada', timestamp: TIMESTAMP, ...fields, [content]: { plan: 'pro' } };
    expect(live(message)).toMatchObject({
      eventName,
      properties: { plan: 'pro', segment: { type, userId: 'ada', ...fields } },
    });
  });

  it('is of the type that the address names, whatever it says itself', () => {
    expect(live({ ...TRACK, type: 'page' }, 'track').eventName).toBe('Paid');
    expect(live({ ...TRACK, type: undefined }, 'page').eventName).toBe('page_viewed');
  });

  it.each([
    [{ userId: null, anonymousId: 'a' }, 'a'],
    [{ userId: '', anonymousId: 'a' }, 'a'],
    [{ userId: undefined, anonymousId: 7 }, '7'],
    [{ userId: 12, anonymousId: 'a' }, '12'],
    [{ userId: 0 }, '0'],
  ])('of %j is that of the user %s', (ids, userId) => {
    expect(live({ ...TRACK, ...ids }).userId).toBe(userId);
  });

  it('keeps the time of its sender, who may have named it in either way', () => {
    const earlier = '2020-01-01T00:00:00.000Z';
    const sentAt = '2024-05-18T11:00:00.000Z';
    expect(live({ ...TRACK, sentAt }).eventTs).toBe(Date.parse(TIMESTAMP));
    const original = { ...TRACK, timestamp: undefined, originalTimestamp: earlier };
    expect(live(original).eventTs).toBe(Date.parse(earlier));
    // RudderStack's server SDK adds the time of the call to a time that its user names.
    const both = live({ ...TRACK, timestamp: earlier, originalTimestamp: TIMESTAMP });
    expect(both.eventTs).toBe(Date.parse(earlier));
    expect(both.properties.segment).toMatchObject({ originalTimestamp: TIMESTAMP });
  });

  it('without a time gets that of the server and an id of its own, and keeps its messageId', () => {
    expect(live({ ...TRACK, timestamp: null })).toMatchObject({
      ...{ eventTs: NOW, insertId: 'made' },
      properties: { segment: { messageId: 'm1' } },
    });
  });

  it('without a messageId gets one', () => {
    expect(live({ ...TRACK, messageId: '' })).toMatchObject({
      ...{ eventTs: Date.parse(TIMESTAMP), insertId: 'made' },
    });
  });

  it('leaves a property of the sender where it is, and names its own keys otherwise then', () => {
    const own = { segment: 'enterprise', context: 'work', context_: 1 };
    expect(live({ ...TRACK, context: { ip: '::1' }, properties: own }).properties).toEqual({
      ...own,
      context__: { ip: '::1' },
      segment_: { type: 'track', userId: 'ada' },
    });
  });

  it('never keeps its write key', () => {
    expect(JSON.stringify(live({ ...TRACK, writeKey: 'eqk_secret' }))).not.toContain('secret');
  });

  it('takes from its batch what it does not say itself', () => {
    const shared = {
      context: { app: 'shop', ip: '::1' },
      integrations: { All: false },
      sentAt: '2024-05-18T10:00:01.000Z',
    };
    expect(live({ ...TRACK, context: { ip: '::2' } }, undefined, shared).properties).toEqual({
      context: { app: 'shop', ip: '::2' },
      segment: { ...{ type: 'track', userId: 'ada' }, ...shared, context: undefined },
    });
    expect(live({ ...TRACK, sentAt: TIMESTAMP }, undefined, shared).properties.segment).toMatchObject({
      sentAt: TIMESTAMP,
    });
    // What is null or empty says nothing itself.
    const silent = { ...TRACK, context: null, integrations: null, sentAt: '' };
    expect(live(silent, undefined, shared)).toEqual(live(TRACK, undefined, shared));
  });

  it.each([
    [1, 'event: takes an object, got the number 1'],
    [
      { ...TRACK, type: 'delete' },
      'type: use one of track, identify, page, screen, group, alias, got "delete"',
    ],
    [{ ...TRACK, type: 'toString' }, /^type: use one of/],
    [{ ...TRACK, userId: null }, 'userId: takes a userId or an anonymousId, got neither'],
    [{ ...TRACK, userId: 2 ** 53 }, /^userId: takes a string .* got the number 9007199254740992$/],
    [{ ...TRACK, properties: 'x' }, 'properties: takes an object, got the string "x"'],
    [{ ...TRACK, type: 'identify', traits: [1] }, /^traits: takes an object, got an? /],
    [{ ...TRACK, event: '' }, /^eventName: takes a string .* got nothing$/],
    [{ ...TRACK, timestamp: '2015-2-02T00:00:00Z' }, /^eventTs: takes an ISO 8601/],
    [{ ...TRACK, messageId: 2 ** 60 }, /^messageId: takes a text, or a number below 2\^53/],
  ])('%j is refused', (message, error) => {
    expect(() => live(message)).toThrow(error);
  });

  const fields = fc.constantFrom(
    ...[
      'type',
      'event',
      'userId',
      'anonymousId',
      'messageId',
      'timestamp',
      'originalTimestamp',
      'properties',
    ],
    ...['traits', 'context', 'integrations', 'sentAt', 'name', 'writeKey', '__proto__'],
  );
  const values = fc.oneof(
    jsonValues,
    fc.constantFrom<unknown>(
      'ada',
      TIMESTAMP,
      null,
      '',
      { segment: 1, context: 2 },
      ...Object.keys(SEGMENT_CALLS),
    ),
  );
  const messages = fc
    .tuple(fc.dictionary(fields, values), fc.boolean())
    .map(([message, isGood]) => (isGood ? { ...TRACK, ...message } : message));

  it('of any kind is an event or refused, and its own properties stay as they are', () =>
    fc.assert(
      fc.property(fc.oneof(messages, jsonValues), (message) => {
        try {
          const { properties } = live(JSON.parse(JSON.stringify(message)));
          const key = Object.keys(properties).at(-1)!;
          expect(key).toMatch(/^segment_*$/);
          expect(Object.keys(properties[key] as object)).not.toContain('writeKey');
        } catch (error) {
          if (!isApiError(error)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: 2000 },
    ));
});
