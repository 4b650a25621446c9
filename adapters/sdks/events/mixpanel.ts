import { invalid, type EventInput } from '../../../src/index.ts';
import { ANONYMOUS, describeValue, readEpoch } from '../../../src/transport-kit.ts';
import {
  exactId,
  isObject,
  present,
  toObject,
  toUserId,
  withRest,
  without,
  type Fields,
  type IdentifiedEvent,
} from '../messages/fields.ts';

/** What becomes of the messages of one of the paths of Mixpanel's ingestion API. */
export interface MixpanelPathRow {
  /** The name of its events; absent where the message itself names its event. */
  readonly eventName?: string;
}

/** The paths of Mixpanel's ingestion API, by their last segment. */
export const MIXPANEL_PATHS = {
  track: {},
  import: {},
  engage: { eventName: 'user_profile_updated' },
  groups: { eventName: 'group_profile_updated' },
} as const satisfies Readonly<Record<string, MixpanelPathRow>>;

/** A path of Mixpanel's ingestion API. */
export type MixpanelPath = keyof typeof MIXPANEL_PATHS;

/** Whether the messages of a path are updates of profiles, which name no event. */
export function isUpdate(path: MixpanelPath): boolean {
  return 'eventName' in MIXPANEL_PATHS[path];
}

/** What an update does to a profile. */
const OPERATIONS = ['$set', '$set_once', '$add', '$append', '$union', '$remove', '$unset', '$delete'];

/** The fields of a message to which a rule of events may point, in Mixpanel's words. */
export const MIXPANEL_FIELDS: Readonly<Record<string, string>> = {
  eventName: 'event',
  userId: 'properties.distinct_id',
  eventTs: 'properties.time',
  insertId: 'properties.$insert_id',
};

/**
 * Turns a message of Mixpanel's SDKs into an event as a client sends it, which the engine still has to check.
 * A token may be a secret, so it is not kept. Throws ApiError (400).
 */
export function toMixpanelEvent(message: unknown, path: MixpanelPath): IdentifiedEvent {
  if (!isObject(message)) throw invalid('event', `takes an object, got ${describeValue(message)}`);
  const { eventName }: MixpanelPathRow = MIXPANEL_PATHS[path];
  return eventName === undefined ? toTracked(message) : toUpdated(message, eventName);
}

function toTracked(message: Fields): IdentifiedEvent {
  const { event } = message;
  const properties = toObject(message.properties);
  if (!isObject(properties)) {
    throw invalid('properties', `takes an object, got ${describeValue(properties)}`);
  }
  const { time, distinct_id: distinctId } = properties;
  const own = without(properties, ['time', 'distinct_id', 'token']);
  const eventTs = toEventTs(time);
  const tracked = {
    eventName: event,
    userId: toUserId(present(distinctId) ?? ANONYMOUS),
    eventTs,
    properties: withRest(own, 'mixpanel', without(message, ['event', 'properties', 'token'])),
  } as EventInput;
  const insertId = own.$insert_id;
  if (eventTs === undefined || present(insertId) === undefined) return { event: tracked };
  // Mixpanel's own identity is all of these and the time. An import of its export makes the same of them.
  return {
    event: tracked,
    identity: JSON.stringify([event, toUserId(distinctId) ?? null, toUserId(exactId('insertId', insertId))]),
  };
}

/** An update of a profile as an event. Mixpanel gives updates no identity. */
function toUpdated(message: Fields, eventName: string): IdentifiedEvent {
  if (!OPERATIONS.some((operation) => Object.hasOwn(message, operation))) {
    throw invalid('event', `takes one of ${OPERATIONS.join(', ')}, got none of them`);
  }
  const { $distinct_id: distinctId, $time: time } = message;
  const update = without(message, ['$token', 'token', '$distinct_id', '$time']);
  const isTime = typeof time === 'number';
  const properties = isTime || present(time) === undefined ? update : { ...update, $time: time };
  return {
    event: {
      eventName,
      userId: toUserId(present(distinctId) ?? ANONYMOUS),
      eventTs: isTime ? toEventTs(time) : undefined,
      properties,
    } as EventInput,
  };
}

/** A time as an event has it: Mixpanel counts seconds or milliseconds. The engine refuses any other value. */
function toEventTs(time: unknown): unknown {
  const value = present(time);
  return typeof value === 'number' || typeof value === 'string' ? (readEpoch(value)?.ms ?? value) : value;
}
