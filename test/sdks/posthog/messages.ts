import type { Passed } from '../gate.ts';
import type { StoredEvent } from '../world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message as an SDK sends it. */
export interface Message extends Fields {
  readonly event: string;
  readonly uuid: string;
  readonly timestamp: string;
  readonly distinct_id?: string;
  readonly properties: Fields & { readonly distinct_id?: string };
}

interface Envelope {
  readonly api_key: string;
  readonly batch: readonly Message[];
  readonly sent_at: string;
}

/** Whether a request sends events; others ask for flags. */
export const hasEvents = ({ method, path }: Passed): boolean =>
  method === 'POST' && !path.includes('/flags/');

function readEnvelope({ path, body }: Passed): Envelope {
  if (!path.endsWith('?compression=base64')) return JSON.parse(body) as Envelope;
  const base64 = decodeURIComponent(body.slice('data='.length));
  return JSON.parse(Buffer.from(base64, 'base64').toString()) as Envelope;
}

/** The messages in a request. */
export const messagesIn = (passed: Passed): readonly Message[] =>
  hasEvents(passed) ? readEnvelope(passed).batch : [];

/** The events that have to be stored for a request, by the page that describes the protocol. */
export function eventsIn(passed: Passed): StoredEvent[] {
  if (!hasEvents(passed)) return [];
  const { api_key: key, sent_at } = readEnvelope(passed);
  return messagesIn(passed).map((message) => {
    const { event, uuid, timestamp, distinct_id, properties, $set, $set_once, ...rest } = message;
    const own = Object.fromEntries(
      Object.entries(properties).filter(([name, value]) => !(name === 'token' && value === key)),
    );
    return {
      ...{ eventName: event, userId: distinct_id ?? properties.distinct_id!, eventTs: timestamp },
      insertId: uuid,
      properties: {
        ...own,
        ...($set === undefined ? {} : { $set }),
        ...($set_once === undefined ? {} : { $set_once }),
        posthog: { ...rest, sent_at },
      },
    };
  });
}

/** An event without what differs with each attempt: the time of sending. */
export function withoutAttempt({ properties, ...event }: StoredEvent): object {
  return {
    ...event,
    properties: { ...properties, posthog: { ...(properties.posthog as object), sent_at: '' } },
  };
}
