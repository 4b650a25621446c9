import { invalid, type EventInput } from '../../../src/index.ts';
import { describeValue, freeKey, quote } from '../../../src/transport-kit.ts';
import {
  isObject,
  present,
  timeOfId,
  toObject,
  toOwnId,
  toUserId,
  withOwnId,
  withShared,
  type Fields,
  type IdentifiedEvent,
} from './fields.ts';

/** What becomes of one of the calls of a protocol. */
export interface CallRow {
  /** The name of its event; absent where the message itself names it, as `event`. */
  readonly eventName?: string;
  /** The field of the message whose keys become the properties. */
  readonly content: 'properties' | 'traits';
}

/** A protocol of calls, as Segment made it: its calls, and where the rest of a message goes. */
export interface CallDialect {
  readonly calls: Readonly<Record<string, CallRow>>;
  /** The property that holds the fields of a message that are no part of the event otherwise. */
  readonly rest: string;
}

/** What the messages of a batch have in common, which their batch says once. */
export interface SharedFields {
  readonly context?: unknown;
  readonly integrations?: unknown;
  readonly sentAt?: unknown;
}

/**
 * Turns a message of an SDK into an event as a client sends it, which the engine still has to check. The
 * sender's time is taken as it is and never corrected by `sentAt`: a correction differs with each
 * attempt, so a retry would be another event. `call` is the call that the address names; absent, the `type`
 * of the message names it. `now` judges the time in an id. Throws ApiError (400).
 */
export function toCallEvent(
  { calls, rest }: CallDialect,
  message: unknown,
  now: number,
  call?: string,
  shared: SharedFields = {},
): IdentifiedEvent {
  if (!isObject(message)) throw invalid('event', `takes an object, got ${describeValue(message)}`);
  const type = call ?? parseCall(calls, message.type);
  const { eventName, content } = calls[type]!;
  const fields: Record<string, unknown> = { ...withShared(message, { ...shared }), type };
  for (const key of ['context', 'integrations'] as const) {
    if (isObject(shared[key]) && isObject(message[key])) fields[key] = { ...shared[key], ...message[key] };
  }
  // What the event itself holds is not kept twice. A write key may be a secret, so it is not kept at all.
  const used = new Set<string>([content, 'context', 'writeKey']);
  const use = (key: string): unknown => {
    const value = present(fields[key]);
    if (value !== undefined) used.add(key);
    return value;
  };
  const eventTs = use('timestamp') ?? use('originalTimestamp') ?? timeOfId(fields.messageId, now);
  // Without a time of the sender's own, a retry has another one, so the id could not recognise it.
  const id = eventTs === undefined ? undefined : toOwnId('messageId', present(fields.messageId));
  if (id?.fits === true) used.add('messageId');
  const event = {
    eventName: eventName ?? use('event'),
    userId: userIdOf(message),
    eventTs,
    properties: toProperties(
      { own: toObject(fields[content]), content, context: fields.context },
      { rest, fields: Object.fromEntries(Object.entries(fields).filter(([key]) => !used.has(key))) },
    ),
  } as EventInput;
  return withOwnId(event, id);
}

function parseCall(calls: CallDialect['calls'], type: unknown): string {
  if (typeof type === 'string' && Object.hasOwn(calls, type)) return type;
  const got = typeof type === 'string' ? quote(type) : describeValue(type);
  throw invalid('type', `use one of ${Object.keys(calls).join(', ')}, got ${got}`);
}

function userIdOf({ userId, anonymousId }: Fields): unknown {
  const id = present(userId) ?? present(anonymousId);
  if (id === undefined) throw invalid('userId', 'takes a userId or an anonymousId, got neither');
  return toUserId(id);
}

/** The sender's own properties, its context, and the rest of the message below a key. */
function toProperties(
  { own, content, context }: { readonly own: unknown; readonly content: string; readonly context: unknown },
  { rest, fields }: { readonly rest: string; readonly fields: Fields },
): object {
  if (!isObject(own)) throw invalid(content, `takes an object, got ${describeValue(own)}`);
  const properties: Record<string, unknown> = { ...own };
  if (context !== undefined) properties[freeKey(own, 'context')] = context;
  properties[freeKey(own, rest)] = fields;
  return properties;
}
