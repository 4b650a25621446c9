import { invalid } from '../base/errors.ts';
import { isJsonObject } from '../event/event.ts';
import type { EventInput } from '../event/parse-event.ts';
import { describeValue, quoteAny } from '../event/text.ts';

/** What becomes of one of the calls of Segment's tracking API. */
export interface SegmentCallRow {
  /** The name of its event; absent where the message itself names it, as `event`. */
  readonly eventName?: string;
  /** The field of the message whose keys become the properties. */
  readonly content: 'properties' | 'traits';
}

/** The calls of Segment's tracking API. */
export const SEGMENT_CALLS = {
  track: { content: 'properties' },
  identify: { eventName: 'user_identified', content: 'traits' },
  page: { eventName: 'page_viewed', content: 'properties' },
  screen: { eventName: 'screen_viewed', content: 'properties' },
  group: { eventName: 'group_identified', content: 'traits' },
  alias: { eventName: 'user_aliased', content: 'properties' },
} as const satisfies Readonly<Record<string, SegmentCallRow>>;

/** The name of a call: the `type` of a message. */
export type SegmentCall = keyof typeof SEGMENT_CALLS;

/** The last segment of each path, and the call that it takes. Browsers shorten the name to a letter. */
export const SEGMENT_PATHS = {
  ...{ batch: 'batch', b: 'batch', import: 'batch' },
  ...{ track: 'track', t: 'track', identify: 'identify', i: 'identify', page: 'page', p: 'page' },
  ...{ screen: 'screen', s: 'screen', group: 'group', g: 'group', alias: 'alias', a: 'alias' },
} as const satisfies Readonly<Record<string, SegmentCall | 'batch'>>;

/** What the messages of a batch have in common, which their batch says once. */
export interface SegmentShared {
  readonly context?: unknown;
  readonly integrations?: unknown;
  readonly sentAt?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Turns a message of Segment's SDKs into an event as a client sends it, which the engine still has to check.
 * The sender's time is taken as it is and never corrected by `sentAt`: a correction differs with each
 * attempt, so a retry would be another event. `call` is the call that the address names; absent, the `type`
 * of the message names it. Throws ApiError (400).
 */
export function toSegmentEvent(message: unknown, call?: SegmentCall, shared: SegmentShared = {}): EventInput {
  if (!isJsonObject(message)) throw invalid('event', `takes an object, got ${describeValue(message)}`);
  const type = call ?? parseCall(message.type);
  const { eventName, content }: SegmentCallRow = SEGMENT_CALLS[type];
  const fields: Record<string, unknown> = { ...shared, ...message, type };
  for (const key of ['context', 'integrations'] as const) {
    if (isJsonObject(shared[key]) && isJsonObject(message[key]))
      fields[key] = { ...shared[key], ...message[key] };
  }
  // What the event itself holds is not kept twice. A write key may be a secret, so it is not kept at all.
  const used = new Set<string>([content, 'context', 'writeKey']);
  const use = (key: string): unknown => {
    const value = present(fields[key]);
    if (value !== undefined) used.add(key);
    return value;
  };
  const eventTs = use('timestamp') ?? use('originalTimestamp');
  return {
    eventName: eventName ?? use('event'),
    userId: userIdOf(message),
    eventTs,
    // Without a time of the sender's own, a retry has another one, so the id could not recognise it.
    insertId: eventTs === undefined ? undefined : use('messageId'),
    properties: toProperties(
      { own: fields[content] ?? {}, content, context: fields.context },
      Object.fromEntries(Object.entries(fields).filter(([key]) => !used.has(key))),
    ),
  } as EventInput;
}

function parseCall(type: unknown): SegmentCall {
  if (typeof type === 'string' && Object.hasOwn(SEGMENT_CALLS, type)) return type as SegmentCall;
  throw invalid('type', `use one of ${Object.keys(SEGMENT_CALLS).join(', ')}, got ${quoteAny(type)}`);
}

function userIdOf({ userId, anonymousId }: Fields): unknown {
  const id = present(userId) ?? present(anonymousId);
  if (id === undefined) throw invalid('userId', 'takes a userId or an anonymousId, got neither');
  // Segment's older libraries send numbers. A larger one has lost digits and may be that of somebody else.
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
}

/** The sender's own properties, its context, and the rest of the message below a key. */
function toProperties(
  { own, content, context }: { readonly own: unknown; readonly content: string; readonly context: unknown },
  segment: Fields,
): object {
  if (!isJsonObject(own)) throw invalid(content, `takes an object, got ${describeValue(own)}`);
  const properties: Record<string, unknown> = { ...own };
  if (context !== undefined) properties[freeKey(own, 'context')] = context;
  properties[freeKey(own, 'segment')] = segment;
  return properties;
}

/** A key that no property of the sender has: its own must not be lost. `import` names them alike. */
function freeKey(own: Fields, key: string): string {
  return Object.hasOwn(own, key) ? freeKey(own, `${key}_`) : key;
}

/** SDKs send null or an empty text for what they do not know. */
function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}
