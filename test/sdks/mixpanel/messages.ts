import { createHash } from 'node:crypto';
import type { Passed } from '../gate.ts';
import type { StoredEvent } from '../world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message as an SDK sends it, and the last segment of its path. */
export interface Sent {
  readonly call: string;
  readonly message: Fields;
}

/** The messages of a request: those of its form, or of its address. */
export function messagesIn({ method, path, body }: Passed): Sent[] {
  const url = new URL(path, 'http://gate');
  const form = method === 'GET' ? url.searchParams : new URLSearchParams(body);
  const data = form.get('data');
  if (data === null) return [];
  const text = /^[[{]/.test(data) ? data : fromCesu8(Buffer.from(data.replaceAll(' ', '+'), 'base64'));
  const call = url.pathname.split('/').filter(Boolean).at(-1)!;
  const messages = [JSON.parse(text)].flat() as Fields[];
  return messages.map((message) => ({ call, message }));
}

/** A text whose characters beyond U+FFFF the web SDK wrote by halves. */
function fromCesu8(bytes: Buffer): string {
  const pair = /\xed([\xa0-\xaf])([\x80-\xbf])\xed([\xb0-\xbf])([\x80-\xbf])/g;
  const utf8 = bytes.toString('latin1').replace(pair, (_pair, ...bits: string[]) => {
    const [a, b, c, d] = bits.slice(0, 4).map((bit) => bit.charCodeAt(0) & 0x3f) as [
      number,
      number,
      number,
      number,
    ];
    const high = 0xd000 | (a << 6) | b;
    const low = 0xd000 | (c << 6) | d;
    return Buffer.from(String.fromCharCode(high, low)).toString('latin1');
  });
  return Buffer.from(utf8, 'latin1').toString();
}

/** What the server makes itself, because the message does not say it. */
const MADE = '(made by the server)';

/** The event that has to be stored for a message, by the page that describes it. */
export function toStored({ call, message }: Sent): StoredEvent {
  if (call === 'engage' || call === 'groups') {
    const { $distinct_id: userId = 'anonymous' } = message;
    const properties = without(message, ['$token', '$distinct_id']);
    const eventName = call === 'engage' ? 'user_profile_updated' : 'group_profile_updated';
    return {
      eventName,
      userId: String(userId),
      eventTs: MADE,
      insertId: MADE,
      properties,
    };
  }
  const { event, properties: held, ...others } = message;
  const { time, distinct_id: userId } = held as Fields;
  const properties = without(held as Fields, ['time', 'distinct_id', 'token']);
  const ms = typeof time === 'number' ? Math.round(time < 1e10 ? time * 1000 : time) : undefined;
  const isKnown = ms !== undefined && typeof properties.$insert_id === 'string';
  const identity = JSON.stringify([event, userId ?? null, properties.$insert_id]);
  return {
    eventName: event as string,
    userId: (userId as string | undefined) ?? 'anonymous',
    eventTs: ms === undefined ? MADE : new Date(ms).toISOString(),
    insertId: isKnown ? `mp-${createHash('sha256').update(identity).digest('hex').slice(0, 32)}` : MADE,
    properties: Object.keys(others).length === 0 ? properties : { ...properties, mixpanel: others },
  };
}

function without(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

/**
 * Stored events in one order, without what the server made for the messages that say less. Each is held
 * against the message at its place: a time that the server made may be that of another message to the
 * millisecond.
 */
export function comparable(stored: readonly StoredEvent[], sent: readonly StoredEvent[]): StoredEvent[] {
  const expected = inOrder(sent);
  return inOrder(stored).map((event, place) => ({
    ...event,
    ...(expected[place]?.eventTs === MADE ? { eventTs: MADE } : {}),
    ...(expected[place]?.insertId === MADE ? { insertId: MADE } : {}),
  }));
}

/** Events in an order of their own, because those without an id have none. */
export function inOrder(events: readonly StoredEvent[]): StoredEvent[] {
  const keyOf = ({ eventName, properties }: StoredEvent) =>
    JSON.stringify([eventName, entriesOf(properties)]);
  return events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function entriesOf(properties: Fields): unknown {
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}
