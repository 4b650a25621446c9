import { isJsonObject } from '../../../src/internal.ts';
import type { Mapping } from './mapping.ts';

/** Where Segment, RudderStack and PostHog name a user; a sender of theirs may call a property `time`, too. */
const USERS_OF_OTHERS = ['userId', 'anonymousId', 'distinct_id'];

/** A line of Mixpanel's raw export: `{"event", "properties": {"time", "distinct_id", "$insert_id", …}}`. */
export const MIXPANEL: Mapping = {
  title: 'an export of Mixpanel',
  fits: ({ event, properties, ...others }) =>
    typeof event === 'string' &&
    isJsonObject(properties) &&
    Object.hasOwn(properties, 'time') &&
    !USERS_OF_OTHERS.some((key) => Object.hasOwn(others, key)),
  eventName: ['event'],
  userId: ['properties.distinct_id'],
  eventTs: ['properties.time'],
  // Its own identity is all of these: an id alone repeats where a server made it anew.
  insertId: {
    kind: 'hash',
    prefix: 'mp',
    from: ['event', 'properties.distinct_id', 'properties.$insert_id'],
    needs: 'properties.$insert_id',
  },
  properties: {
    spread: ['properties'],
    without: ['time', 'distinct_id'],
    fields: ['event'],
    rest: 'mixpanel',
  },
};
