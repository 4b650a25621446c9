import { compareCodePoints } from '../../src/core/event/text.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { EventView } from '../../src/store-kit.ts';
import { sampleEvents } from '../events.ts';
import type { OpenPeer } from './peer.ts';

/** An array of parsed events, newest first, and the predicates that a programmer would write. */
export const openArrayPeer: OpenPeer = ({ rows }) => {
  const events: EventView[] = Array.from(sampleEvents(rows), toEventView);
  events.sort((a, b) => b.eventTs - a.eventTs || compareCodePoints(b.insertId, a.insertId));
  return Promise.resolve({
    count: ({ handWritten }) => {
      let count = 0;
      for (const event of events) if (handWritten(event)) count += 1;
      return count;
    },
    page: ({ handWritten }, offset, size) => {
      const page: EventView[] = [];
      let skip = offset;
      for (const event of events) {
        if (!handWritten(event)) continue;
        if (skip > 0) skip -= 1;
        else if (page.push(event) === size) break;
      }
      return page;
    },
    names: () => [...new Set(events.map(({ eventName }) => eventName))].sort(compareCodePoints),
    close: () => undefined,
  });
};
