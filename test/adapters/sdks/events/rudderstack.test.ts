import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMapping } from '../../../../adapters/import/mappings/apply.ts';
import { plainInstants } from '../../import/plain-instants.ts';
import { RUDDERSTACK } from '../../../../adapters/import/mappings/segment.ts';
import { RUDDERSTACK_CALLS, toRudderstackEvent } from '../../../../adapters/sdks/events/rudderstack.ts';
import type { JsonObject } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { attempt, NOW, stored, storedOf } from './stored.ts';

const TIME = '2024-05-18T10:00:00.123Z';
const TRACK = { type: 'track', event: 'Paid', anonymousId: 'anon', messageId: 'm1', originalTimestamp: TIME };

type Asked =
  Parameters<typeof toRudderstackEvent> extends [infer M, number, ...infer Rest] ? [M, ...Rest] : never;
const live = (...[message, ...rest]: Asked) => storedOf(toRudderstackEvent(message, NOW, ...rest), 'id');
const mapped = compileMapping(RUDDERSTACK, plainInstants());

describe('a message of RudderStack', () => {
  it('becomes an event with its time, id, properties, context, and all else below one key', () => {
    const more = { userId: '', channel: 'web', sentAt: TIME, rudderId: 'r' };
    const message = { ...TRACK, ...more, context: { sessionId: 7 }, properties: { total: 5 } };
    expect(live(message)).toEqual({
      ...{ eventName: 'Paid', userId: 'anon', insertId: 'm1', eventTs: Date.parse(TIME) },
      properties: {
        ...{ total: 5, context: { sessionId: 7 } },
        rudderstack: { type: 'track', anonymousId: 'anon', ...more },
      },
    });
  });

  it('leaves a property of the sender that is called as its own key where it is', () => {
    const { properties } = live({ ...TRACK, properties: { rudderstack: 'mine' } });
    expect(properties).toEqual({
      rudderstack: 'mine',
      rudderstack_: { type: 'track', anonymousId: 'anon' },
    });
  });

  it('keeps the time that its program named, beside that of the call', () => {
    const timestamp = '2020-01-01T00:00:00.000Z';
    const event = live({ ...TRACK, timestamp });
    expect(event.eventTs).toBe(Date.parse(timestamp));
    expect(event.properties.rudderstack).toMatchObject({ originalTimestamp: TIME });
  });

  it('may be of the type merge, which Segment does not have', () => {
    const mergeProperties = [{ type: 'email', value: 'a@example.com' }];
    expect(live({ ...TRACK, type: 'merge', event: undefined, mergeProperties })).toMatchObject({
      eventName: 'users_merged',
      properties: { rudderstack: { type: 'merge', mergeProperties } },
    });
    expect(() => live({ ...TRACK, anonymousId: null }, 'merge')).toThrow(
      'userId: takes a userId or an anonymousId, got neither',
    );
  });

  it.each([
    [{ ...TRACK, type: 'x' }, /^type: use one of track, .*, merge, got "x"$/],
    [{ ...TRACK, originalTimestamp: 'soon' }, /^eventTs: /],
    [[], /^event: takes an object/],
  ])('%j is refused', (message, reason) => {
    expect(() => live(message)).toThrow(reason);
  });

  const contents = fc.dictionary(
    fc.oneof(fc.constantFrom('context', 'rudderstack', 'a', '__proto__'), fc.string({ maxLength: 3 })),
    jsonValues,
  );

  it('has the identity and the keys that an import of a dump of it gives', () =>
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(RUDDERSTACK_CALLS)), contents, (type, own) => {
        const { content } = RUDDERSTACK_CALLS[type as keyof typeof RUDDERSTACK_CALLS];
        const library = { name: 'RudderLabs JavaScript SDK' };
        const message = JSON.parse(
          JSON.stringify({
            ...TRACK,
            type,
            event: type === 'track' ? 'Paid' : undefined,
            context: { library },
          }),
        ) as Record<string, unknown>;
        message[content] = JSON.parse(JSON.stringify(own));
        // In a dump, the time was corrected by the time that the request took.
        const dump = { ...message, timestamp: '2024-05-18T10:00:00.456Z' } as JsonObject;
        expect(RUDDERSTACK.fits(dump)).toBe(true);
        const imported = attempt(() => stored(mapped(dump).value));
        const event = attempt(() => live(message));
        if (!('properties' in imported)) {
          // Texts that no event may hold are refused alike.
          expect(event).toEqual(imported);
          return;
        }
        const { properties } = imported;
        const rest = Object.values(properties).find(
          (value) => (value as { timestamp?: string } | null)?.timestamp === dump.timestamp,
        ) as { timestamp?: string };
        delete rest.timestamp;
        expect(imported).toEqual(event);
      }),
      { numRuns: 1000 },
    ));

  it('of any kind is an event or refused', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(TRACK), 'userId', 'properties'), jsonValues),
        (odd) => {
          const got = attempt(() => live({ ...TRACK, ...odd }));
          if ('refused' in got) expect(got.refused).toMatch(/^[\w.]+: /);
          else expect(Object.keys(got.properties)).toContainEqual(expect.stringMatching(/^rudderstack_*$/));
        },
      ),
      { numRuns: 1000 },
    ));
});
