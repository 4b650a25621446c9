import type { Passed } from './gate.ts';
import type { StoredEvent } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message as an SDK sends it. */
export interface Message extends Fields {
  readonly type: string;
  readonly userId?: string | null;
  readonly anonymousId?: string;
  readonly messageId: string;
}

/** The names of the events of each type; a track names its own. */
const NAMES: Readonly<Record<string, string>> = {
  identify: 'user_identified',
  page: 'page_viewed',
  screen: 'screen_viewed',
  group: 'group_identified',
  alias: 'user_aliased',
};

/** The messages in a request: those of a batch, which share the time of sending, or one alone. */
export function messagesIn({ method, body }: Passed): Message[] {
  if (method !== 'POST') return [];
  const { batch, sentAt, ...message } = JSON.parse(body) as Message & { readonly batch?: readonly Message[] };
  if (batch === undefined) return [{ ...message, sentAt }];
  return batch.map((each) => ({ sentAt, ...each }));
}

/** What the pages of Segment and of RudderStack say of an event. `rest` names the property of all else. */
export function createCalls(rest: string) {
  /** The event that has to be stored for a message. */
  function toStored(message: Message): StoredEvent {
    const { type, userId, anonymousId, messageId } = message;
    const time = message.timestamp === undefined ? 'originalTimestamp' : 'timestamp';
    const content = type === 'identify' || type === 'group' ? 'traits' : 'properties';
    const taken = ['messageId', time, 'writeKey', content, 'context'];
    if (type === 'track') taken.push('event');
    const others = Object.fromEntries(Object.entries(message).filter(([key]) => !taken.includes(key)));
    const own = (message[content] ?? {}) as Fields;
    return {
      eventName: type === 'track' ? (message.event as string) : NAMES[type]!,
      // The web SDK of RudderStack says that it knows no user by an empty text.
      userId: userId === undefined || userId === null || userId === '' ? anonymousId! : userId,
      eventTs: message[time] as string,
      insertId: messageId,
      properties: { ...own, context: message.context, [rest in own ? `${rest}_` : rest]: others },
    };
  }

  return {
    /** The events that have to be stored for a request. */
    eventsIn: (passed: Passed): StoredEvent[] => messagesIn(passed).map(toStored),
    /** An event without what differs with each attempt: the time of sending, and what the SDK counts. */
    withoutAttempt: ({ properties, ...event }: StoredEvent): object => {
      const key = `${rest}_` in properties ? `${rest}_` : rest;
      const others = { ...(properties[key] as object), sentAt: '', _metadata: '' };
      return { ...event, properties: { ...properties, [key]: others } };
    },
  };
}
