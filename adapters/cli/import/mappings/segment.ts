import type { JsonObject } from '../../../../src/index.ts';
import type { Mapping } from './mapping.ts';

/** The names of the calls that name no event themselves. */
const NAMES: Readonly<Record<string, string>> = {
  page: 'page_viewed',
  screen: 'screen_viewed',
  identify: 'user_identified',
  group: 'group_identified',
  alias: 'user_aliased',
};

/**
 * A call of the Segment protocol. `timestamp` in a dump was corrected by the time a request took, so a
 * repeated call has another one; `originalTimestamp` is the sender's.
 */
export const SEGMENT: Mapping = {
  title: 'a dump of Segment',
  fits: ({ type, anonymousId, userId }) =>
    typeof type === 'string' &&
    (type === 'track' || Object.hasOwn(NAMES, type)) &&
    (anonymousId !== undefined || userId !== undefined),
  prepare: (record) => {
    const { type } = record;
    return typeof type === 'string' && Object.hasOwn(NAMES, type)
      ? { ...record, call: NAMES[type]! }
      : record;
  },
  words: { call: 'the kind of call' },
  eventName: ['call', 'event'],
  userId: ['userId', 'anonymousId'],
  eventTs: ['originalTimestamp', 'timestamp'],
  insertId: { kind: 'id', from: ['messageId'] },
  properties: {
    spread: ['properties', 'traits'],
    keep: { context: 'context' },
    drop: ['call', 'event', 'originalTimestamp', 'messageId'],
    rest: 'segment',
  },
};

/** The same protocol, with fields of RudderStack. */
export const RUDDERSTACK: Mapping = {
  ...SEGMENT,
  title: 'a dump of RudderStack',
  fits: (record) => SEGMENT.fits(record) && isRudder(record),
  properties: { ...SEGMENT.properties, rest: 'rudderstack' },
};

function isRudder({ rudderId, context }: JsonObject): boolean {
  return rudderId !== undefined || JSON.stringify(context ?? null).includes('"name":"Rudder');
}
