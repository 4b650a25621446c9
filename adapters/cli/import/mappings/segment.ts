import type { JsonObject } from '../../../../src/index.ts';
import { SEGMENT_CALLS, type SegmentCallRow } from '../../../../src/internal.ts';
import type { Mapping } from './mapping.ts';

/** The name of the event of each call; undefined for the one that names it itself. */
const NAMES = new Map<unknown, string | undefined>(
  Object.entries<SegmentCallRow>(SEGMENT_CALLS).map(([call, { eventName }]) => [call, eventName]),
);

/**
 * A call of the Segment protocol. `timestamp` in a dump was corrected by the time a request took, so a
 * repeated call has another one; `originalTimestamp` is the sender's.
 */
export const SEGMENT: Mapping = {
  title: 'a dump of Segment',
  fits: ({ type, anonymousId, userId }) =>
    NAMES.has(type) && (anonymousId !== undefined || userId !== undefined),
  prepare: (record) => {
    const call = NAMES.get(record.type);
    return call === undefined ? record : { ...record, call };
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
