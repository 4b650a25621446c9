import { invalid, type EventInput } from '../../../src/index.ts';
import { describeValue } from '../../../src/transport-kit.ts';
import {
  isObject,
  present,
  timeOfId,
  toObject,
  toOwnId,
  toUserId,
  withOwnId,
  withRest,
  withShared,
  without,
  type Fields,
  type IdentifiedEvent,
} from '../messages/fields.ts';

/** The last segment of each path. `engage` changes a person, and its message names no event. */
export const POSTHOG_PATHS = ['batch', 'capture', 'e', 'track', 'engage'] as const;

/** What the messages of a batch have in common, which their batch says once. */
export interface PosthogShared {
  readonly sent_at?: unknown;
  /** The key of the project, which is never stored. */
  readonly api_key?: unknown;
}

/** The name of an event that changes a person. */
const IDENTIFY = '$identify';

/** Fields that PostHog itself moves into the properties. */
const MOVED = ['$set', '$set_once'] as const;

/**
 * Turns a message of PostHog's SDKs into an event as a client sends it, which the engine still has to check.
 * The sender's time is taken as it is and never corrected by `sent_at`: a correction differs with each
 * attempt, so a retry would be another event. `now` judges the time in an id. Throws ApiError (400).
 */
export function toPosthogEvent(
  message: unknown,
  now: number,
  { api_key: sharedKey, ...shared }: PosthogShared = {},
  isEngage = false,
): IdentifiedEvent {
  if (!isObject(message)) throw invalid('event', `takes an object, got ${describeValue(message)}`);
  const given = toObject(message.properties);
  if (!isObject(given)) throw invalid('properties', `takes an object, got ${describeValue(given)}`);
  const fields = withShared(message, shared);
  const used = new Set<string>(['properties', 'api_key', 'token']);
  const use = (key: string): unknown => {
    const value = present(fields[key]);
    if (value !== undefined) used.add(key);
    return value;
  };
  const own: Record<string, unknown> = { ...given };
  const key = present(message.api_key) ?? present(message.token) ?? present(sharedKey);
  // The web SDK says the key of the project once more in the properties. Another token is the sender's own.
  if (key === undefined || own.token === key) delete own.token;
  for (const name of MOVED) {
    const moved = fields[name];
    if (moved === undefined || (own[name] !== undefined && !(isObject(own[name]) && isObject(moved))))
      continue;
    used.add(name);
    own[name] = isObject(own[name]) ? { ...own[name], ...(moved as object) } : moved;
  }
  // The web SDK of many years sends no time, but an id that was made with the event and holds its time.
  const eventTs = use('timestamp') ?? timeOfId(fields.uuid, now);
  // Without a time of the sender's own, a retry has another one, so the id could not recognise it.
  const id = eventTs === undefined ? undefined : toOwnId('uuid', present(fields.uuid));
  if (id?.fits === true) used.add('uuid');
  const userId = use('distinct_id') ?? (isEngage ? use('$distinct_id') : undefined);
  const event = {
    eventName: use('event') ?? (isEngage ? IDENTIFY : undefined),
    userId: userIdOf(userId, given),
    eventTs,
    properties: withRest(own, 'posthog', without(fields, [...used])),
  } as EventInput;
  return withOwnId(event, id);
}

function userIdOf(own: unknown, properties: Fields): unknown {
  const id = own ?? present(properties.distinct_id) ?? present(properties.$distinct_id);
  if (id === undefined) throw invalid('userId', 'takes a distinct_id, got nothing');
  return toUserId(id);
}
