import type { StoredEvent } from '../../../src/index.ts';

/** What an event takes beside its texts, roughly, in bytes. */
const EVENT_BYTES = 200;

/** A larger event is not kept: it would displace too many others. */
const LARGE_TEXT = 16_384;

/** Events that were read lately, by their ids. */
export interface RecentEvents {
  get(id: number): StoredEvent | undefined;
  add(id: number, event: StoredEvent): void;
}

/**
 * Keeps about as many events as `bytesMax` holds. A row never changes, and its id is never given away again,
 * so that nothing has to be looked up twice. Two generations stand in for an order of use: what is used again
 * moves into the young one, and when that is full the old one is dropped.
 */
export function createRecentEvents(bytesMax: number): RecentEvents {
  let young = new Map<number, StoredEvent>();
  let old = new Map<number, StoredEvent>();
  let bytes = 0;
  const add = (id: number, event: StoredEvent): void => {
    if (event.propertiesJson.length > LARGE_TEXT) return;
    if (bytes >= bytesMax / 2) {
      old = young;
      young = new Map();
      bytes = 0;
    }
    const { eventName, userId, insertId, propertiesJson } = event;
    bytes += EVENT_BYTES + eventName.length + userId.length + insertId.length + propertiesJson.length;
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
    add,
  };
}
