import type { JsonObject } from '../../../src/index.ts';
import { RUDDERSTACK_CALLS, SEGMENT_CALLS, type CallRow } from '../../sdks/index.ts';
import type { Mapping } from './mapping.ts';

/**
 * Makes the mapping of a protocol of calls. `timestamp` in a dump was corrected by the time a request took,
 * so a repeated call has another one; `originalTimestamp` is the sender's.
 */
function createCallMapping(
  calls: Readonly<Record<string, CallRow>>,
  { title, rest }: { readonly title: string; readonly rest: string },
): Mapping {
  /** The name of the event of each call; undefined for the one that names it itself. */
  const names = new Map<unknown, string | undefined>(
    Object.entries(calls).map(([call, { eventName }]) => [call, eventName]),
  );
  return {
    title,
    fits: ({ type, anonymousId, userId }) =>
      names.has(type) && (anonymousId !== undefined || userId !== undefined),
    prepare: (record) => {
      const call = names.get(record.type);
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
      drop: ['call'],
      fields: ['event', 'originalTimestamp', 'messageId'],
      rest,
    },
  };
}

/** A call of the Segment protocol. */
export const SEGMENT = createCallMapping(SEGMENT_CALLS, { title: 'a dump of Segment', rest: 'segment' });

const RUDDER = createCallMapping(RUDDERSTACK_CALLS, { title: 'a dump of RudderStack', rest: 'rudderstack' });

/** The same protocol, with fields of RudderStack. */
export const RUDDERSTACK: Mapping = {
  ...RUDDER,
  fits: (record) => RUDDER.fits(record) && isRudder(record),
};

function isRudder({ rudderId, context }: JsonObject): boolean {
  return rudderId !== undefined || JSON.stringify(context ?? null).includes('"name":"Rudder');
}
