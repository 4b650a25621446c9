import { invalid } from '../base/errors.ts';
import { checksum } from '../event/checksum.ts';
import { isJsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import { describeValue } from '../event/text.ts';

/** The name of the event that `setProperty` of the web SDK becomes. */
const USER_PROPERTIES_EVENT = 'user_properties_set';
/** The name of the event that a page snapshot of the web SDK or the tag becomes. */
const PAGE_SNAPSHOT_EVENT = 'page_snapshot_taken';

/**
 * Turns the body of `setProperty` into an event as a client sends it, which the engine still has to check: a
 * user, and the user's properties beside it. It has no time and no id, since the body has none, and the same
 * property may be set to the same value twice. Throws ApiError (400).
 */
export function toUserPropertiesEvent(body: unknown): EventInput {
  if (!isJsonObject(body)) throw takesObject(body);
  const { userId, ...properties } = body;
  if (Object.keys(properties).length === 0)
    throw invalid('properties', 'takes at least one property beside userId, got none');
  return { eventName: USER_PROPERTIES_EVENT, userId, properties } as unknown as EventInput;
}

/**
 * Turns a page snapshot into an event as a client sends it, which the engine still has to check. It says what
 * a session saw on a page at an instant of the sender's clock, so the same text once more says nothing new:
 * it is the same event. Throws ApiError (400).
 */
export function toPageSnapshotEvent(body: unknown, text: string): EventInput {
  if (!isJsonObject(body)) throw takesObject(body);
  const { sessionId, timestamp, ...properties } = body;
  for (const field of ['pageUrl', 'snapshot'] as const) {
    const value = properties[field];
    if (typeof value !== 'string') throw invalid(field, `takes a text, got ${describeValue(value)}`);
  }
  if (typeof timestamp !== 'number')
    throw invalid('timestamp', `takes epoch milliseconds, got ${describeValue(timestamp)}`);
  return {
    ...{ eventName: PAGE_SNAPSHOT_EVENT, userId: sessionId, eventTs: timestamp },
    ...{ insertId: `snapshot-${checksum([text]).toString(36)}`, properties },
  } as unknown as EventInput;
}

function takesObject(body: unknown) {
  return invalid('event', `takes an object, got ${describeValue(body)}`);
}
