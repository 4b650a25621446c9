import { exactJson } from './exact-json.ts';
import { toIsoDay, toIsoInstant } from './time.ts';

/** A JSON value as `JSON.parse` returns it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** A JSON object as `JSON.parse` returns it. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether a value is an object of JSON, and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An event as every store keeps it. The core has checked each field before a store sees it. */
export interface StoredEvent {
  /** 1 to 256 characters. */
  readonly eventName: string;
  /** 1 to 256 characters. */
  readonly userId: string;
  /** Epoch milliseconds, 1970 to 2099. */
  readonly eventTs: number;
  /** 1 to 128 printable ASCII characters; with the tenant and `eventTs` it is the identity of the event. */
  readonly insertId: string;
  /** The canonical JSON text of the properties, always an object. */
  readonly propertiesJson: string;
  /**
   * When a server took the event in, by its clock: epoch milliseconds, 1970 to 2099. Undefined for events
   * that were stored before servers noted it.
   */
  readonly receivedAt?: number | undefined;
}

/** The fields of an event that an answer has only where its body includes them. */
export const INCLUDABLE = ['receivedAt'] as const;
/** The name of such a field. */
export type Includable = (typeof INCLUDABLE)[number];

/**
 * An event as responses contain it. `P` is the type that you expect of its properties; nothing checks that
 * stored events conform to it.
 */
export interface Event<P = JsonObject> {
  /** What happened: 1 to 256 characters. */
  readonly eventName: string;
  /** Who did it: 1 to 256 characters. */
  readonly userId: string;
  /** When, in UTC: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly eventTs: string;
  /** Parsed from the stored text when it is first read. */
  readonly properties: P;
  /** The UTC date of `eventTs`, `YYYY-MM-DD`. */
  readonly eventDate: string;
  /** With the tenant and `eventTs` the identity of the event: 1 to 128 printable ASCII characters. */
  readonly insertId: string;
  /**
   * When a server took the event in, in UTC, where the body includes it; null for an event that was stored
   * before servers noted it.
   */
  readonly receivedAt?: string | null;
}

/** Whether a value is a list that holds nothing, as which PHP writes an empty object. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Converts a stored event to the form that responses use, with the fields that are included. It parses
 * `properties` on first access.
 */
export function toEvent(stored: StoredEvent, include: readonly Includable[] = []): Event {
  let properties: JsonObject | undefined;
  const event: Event = {
    eventName: stored.eventName,
    userId: stored.userId,
    eventTs: toIsoInstant(stored.eventTs),
    get properties() {
      properties ??= JSON.parse(stored.propertiesJson) as JsonObject;
      return properties;
    },
    eventDate: toIsoDay(stored.eventTs),
    insertId: stored.insertId,
    ...(include.length === 0 ? undefined : { receivedAt: toReceivedAt(stored) ?? null }),
  };
  return Object.defineProperty(event, INSPECT, SHOWN);
}

/** What `console.log` asks for, in Node and in what follows it. It shows no value of a getter by itself. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');
const SHOWN = {
  value(this: Event): Event {
    return { ...this };
  },
};

/** When a stored event arrived, as responses write it; undefined where it was not recorded. */
export function toReceivedAt({ receivedAt }: Pick<StoredEvent, 'receivedAt'>): string | undefined {
  return receivedAt === undefined ? undefined : toIsoInstant(receivedAt);
}

/** The same as JSON, assembled from the stored texts without parsing them. */
export function toEventJson(stored: StoredEvent, include: readonly Includable[] = []): string {
  const instant = toIsoInstant(stored.eventTs);
  return (
    `{"eventName":${JSON.stringify(stored.eventName)},"userId":${JSON.stringify(stored.userId)}` +
    `,"eventTs":"${instant}","properties":${exactJson(stored.propertiesJson)}` +
    `,"eventDate":"${instant.slice(0, 10)}","insertId":${JSON.stringify(stored.insertId)}` +
    (include.length === 0 ? '}' : `,"receivedAt":${JSON.stringify(toReceivedAt(stored) ?? null)}}`)
  );
}
