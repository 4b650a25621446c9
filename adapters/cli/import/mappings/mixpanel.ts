import { isJsonObject } from '../../../../src/internal.ts';
import type { Mapping } from './mapping.ts';

/** A line of Mixpanel's raw export: `{"event", "properties": {"time", "distinct_id", "$insert_id", …}}`. */
export const MIXPANEL: Mapping = {
  title: 'an export of Mixpanel',
  fits: ({ event, properties }) =>
    typeof event === 'string' && isJsonObject(properties) && Object.hasOwn(properties, 'time'),
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
    drop: ['event'],
    rest: 'mixpanel',
  },
};
