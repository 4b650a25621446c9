import { invalid, type EventInput } from '../../../src/index.ts';
import { ANONYMOUS, describeValue } from '../../../src/transport-kit.ts';
import {
  exactId,
  isObject,
  present,
  toObject,
  toUserId,
  withRest,
  withShared,
  without,
  type IdentifiedEvent,
} from '../messages/fields.ts';

/** What the events of a request have in common, which their request says once. */
export interface AmplitudeShared {
  readonly client_upload_time?: unknown;
}

/** The fields of a message to which a rule of events may point, in Amplitude's words. */
export const AMPLITUDE_FIELDS: Readonly<Record<string, string>> = {
  eventName: 'event_type',
  userId: 'user_id',
  eventTs: 'time',
  insertId: 'insert_id',
  properties: 'event_properties',
};

/**
 * Turns an event of Amplitude's SDKs into one as a client sends it, which the engine still has to check. Its
 * time is never corrected by `client_upload_time`, since a correction differs with each attempt. An API key
 * may be a secret, so it is not kept. Throws ApiError (400).
 */
export function toAmplitudeEvent(message: unknown, shared: AmplitudeShared = {}): IdentifiedEvent {
  if (!isObject(message)) throw invalid('event', `takes an object, got ${describeValue(message)}`);
  const { event_type: eventName, event_properties: held, time } = message;
  const others = without(message, ['event_type', 'event_properties', 'time', 'api_key']);
  const own = toObject(held);
  if (!isObject(own)) throw invalid('event_properties', `takes an object, got ${describeValue(own)}`);
  const { user_id: userId, device_id: deviceId, insert_id: insertId } = others;
  const eventTs = present(time);
  const event = {
    eventName,
    userId: toUserId(present(userId) ?? present(deviceId) ?? ANONYMOUS),
    eventTs,
    properties: withRest(own, 'amplitude', withShared(others, { ...shared })),
  } as EventInput;
  if (eventTs === undefined || present(insertId) === undefined) return { event };
  // Amplitude recognises an event by its id among those of its device.
  const parts = [exactId('device_id', deviceId ?? null), exactId('insertId', insertId)];
  return { event, identity: JSON.stringify(parts) };
}
