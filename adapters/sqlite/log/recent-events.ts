import { createBoundedMap, type StoredEvent } from '../../../src/store-kit.ts';

/** The memory that an event takes in addition to its texts. */
const EVENT_BYTES = 200;

/** About how many bytes an event takes in memory. Most of its characters take a byte each. */
export function bytesOf({ propertiesJson, eventName, userId, insertId }: StoredEvent): number {
  return EVENT_BYTES + propertiesJson.length + eventName.length + userId.length + insertId.length;
}

/** A larger event is not kept: it would displace too many others. */
const LARGE_TEXT = 16_384;

/** How many events that were read once are remembered by their ids: no two in a row share a place. */
const READ_ONCE = 65_536;

/** Events that were read lately, by their ids. */
export interface RecentEvents {
  get(id: number): StoredEvent | undefined;
  /** Notes that an event was read, and keeps it from its second reading on. */
  note(id: number, event: StoredEvent): void;
}

/**
 * Caches events that are read over and over, up to about `bytesMax`. Reading a whole log once displaces none
 * of them. A row never changes and its id is never used again, so the cache is never stale.
 */
export function createRecentEvents(bytesMax: number): RecentEvents {
  const readOnce = new Float64Array(READ_ONCE).fill(-1);
  const events = createBoundedMap<number, StoredEvent>(bytesMax, bytesOf);
  return {
    get: (id) => events.get(id),
    note(id, event) {
      if (event.propertiesJson.length > LARGE_TEXT) return;
      if (readOnce[id % READ_ONCE] === id) events.set(id, event);
      else readOnce[id % READ_ONCE] = id;
    },
  };
}
