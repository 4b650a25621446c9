import type { StoredEvent } from '../../../src/store-kit.ts';

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
 * of them. A row never changes and its id is never used again, so the cache is never stale. Two generations
 * approximate the order of use: an event that is used again moves into the young generation, and when that is
 * full the old one is dropped.
 */
export function createRecentEvents(bytesMax: number): RecentEvents {
  const readOnce = new Float64Array(READ_ONCE).fill(-1);
  let young = new Map<number, StoredEvent>();
  let old = new Map<number, StoredEvent>();
  let bytes = 0;
  const add = (id: number, event: StoredEvent): void => {
    if (bytes >= bytesMax / 2) {
      old = young;
      young = new Map();
      bytes = 0;
    }
    bytes += bytesOf(event);
    young.set(id, event);
  };
  return {
    get: (id) => {
      const found = young.get(id);
      if (found !== undefined) return found;
      const aged = old.get(id);
      if (aged !== undefined) add(id, aged);
      return aged;
    },
    note(id, event) {
      if (event.propertiesJson.length > LARGE_TEXT) return;
      if (readOnce[id % READ_ONCE] === id) add(id, event);
      else readOnce[id % READ_ONCE] = id;
    },
  };
}
