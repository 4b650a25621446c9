import { createHash } from 'node:crypto';
import type { Passed } from '../gate.ts';
import type { StoredEvent } from '../world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event as an SDK sends it. */
export interface Message extends Fields {
  readonly event_type: string;
  readonly user_id?: string;
  readonly device_id?: string;
  readonly time: number;
  readonly insert_id: string;
}

/** The events in a request, each with the time of its upload. */
export function messagesIn({ method, body }: Passed): Message[] {
  if (method !== 'POST') return [];
  const { events, client_upload_time } = JSON.parse(body) as {
    readonly events: readonly Message[];
    readonly client_upload_time: string;
  };
  return events.map((event) => ({ client_upload_time, ...event }));
}

/** The event that has to be stored for a message, by the page that describes it. */
export function toStored(message: Message): StoredEvent {
  const { event_type: eventName, event_properties, time, ...rest } = message;
  const own = (event_properties ?? {}) as Fields;
  const identity = JSON.stringify([message.device_id ?? null, message.insert_id]);
  const said = Object.entries(rest).filter(([, value]) => !isNothing(value));
  return {
    eventName,
    userId: message.user_id ?? message.device_id ?? 'anonymous',
    eventTs: new Date(time).toISOString(),
    insertId: `amp-${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`,
    properties: { ...own, ['amplitude' in own ? 'amplitude_' : 'amplitude']: Object.fromEntries(said) },
  };
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || JSON.stringify(value) === '{}';
}

/** An event without what differs with each attempt: the time of the upload. */
export function withoutAttempt({ properties, ...event }: StoredEvent): object {
  const key = 'amplitude_' in properties ? 'amplitude_' : 'amplitude';
  const amplitude = { ...(properties[key] as object), client_upload_time: '' };
  return { ...event, properties: { ...properties, [key]: amplitude } };
}
