import type { ErrorCode } from '../base/errors.ts';
import type { RejectReason } from '../engine/intake.ts';
import { EVENT_INPUT_FIELDS } from '../event/event-fields.ts';
import type { EventShape } from '../event/event-shape.ts';
import { EVENT_BYTES_MAX } from '../event/parse-event.ts';

/**
 * Why events are refused, by the reasons of the metric, each with a sentence that says what would be right.
 * Nothing of what a client sent is in a sentence or in the name of a reason. A function makes them, so
 * that bundles of the engine alone can leave them out.
 */
const EVENT_REASONS = /* @__PURE__ */ describeEvents();

function describeEvents() {
  const { eventName, userId, eventTs, insertId, properties, eventDate } = EVENT_INPUT_FIELDS;
  return {
    eventName: `eventName takes ${eventName.takes}. A public write key may take certain names only.`,
    userId:
      `userId takes ${userId.takes}. ` +
      'With the strategy JWT it must equal the sub claim of the access token.',
    eventTs: `eventTs takes ${eventTs.takes}, from 1970 to 2099 and at most 24 hours in the future.`,
    insertId: `insertId takes ${insertId.takes}, and needs an eventTs beside it.`,
    properties: `properties takes ${properties.takes} with ${toPlain(properties.more)}`,
    eventDate: `eventDate must be ${eventDate.takes}, or absent.`,
    event:
      `An event is an object with the keys ${Object.keys(EVENT_INPUT_FIELDS).join(', ')} and no others. ` +
      `It has at most ${EVENT_BYTES_MAX} bytes.`,
    json: 'The event is not valid JSON.',
    names:
      'The tenant has as many distinct event names as it may have, and this would be one more. ' +
      'Events with names that it has are still stored.',
  } as const satisfies Readonly<Record<RejectReason, string>>;
}

/** Why whole requests are refused, by the codes of the table of errors, with sentences in the same way. */
const REQUEST_REASONS = {
  invalidSecret:
    'The secret key is missing or invalid. The tenant takes events with a valid one only: ' +
    'a key of its own that may ingest, in the header Authorization: Chase <SECRET_KEY> or X-API-Key.',
  invalidWriteKey: 'The public write key is invalid, expired or revoked.',
  originRefused: 'The public write key is not valid for the origin of the page.',
  invalidToken: 'The access token is missing or invalid. The tenant takes events with a valid one only.',
  rateLimited: 'The tenant has sent as many events or bytes a minute as its limits allow.',
  bodyTooLarge: 'The body is larger than a batch may be.',
  unsupportedMediaType: 'The Content-Type or the Content-Encoding of the body is none that is taken.',
  unreadableBody: 'The body could not be read: its encoding is broken, or it did not arrive as a whole.',
  notJson: 'The body is not valid JSON.',
  invalidRequest:
    'The body is no batch of events, has none or too many, or the Idempotency-Key is no UUID of version 7.',
  requestTimeout: 'The body did not arrive in time.',
  overloaded: 'The server was overloaded. The sender is told to try again.',
  unavailable: 'The store could not take events at that time. The sender is told to try again.',
  internal: 'The server failed. Its log has the cause.',
} as const satisfies Readonly<Partial<Record<ErrorCode, string>>>;

/** Why something was refused, as it is counted. */
export type RefusalReason = keyof typeof EVENT_REASONS | keyof typeof REQUEST_REASONS;

/** All reasons. */
export const REFUSAL_REASONS = /* @__PURE__ */ allReasons();

function allReasons() {
  return Object.keys({ ...EVENT_REASONS, ...REQUEST_REASONS }) as readonly RefusalReason[];
}

/** What a tenant's senders were refused for one reason. */
export interface Refusal {
  /** The reason, which also says whether events or requests are counted. */
  readonly reason: RefusalReason;
  /** How many events, or how many requests. */
  readonly count: number;
  /** When the first one was refused, epoch milliseconds. */
  readonly firstAt: number;
  /** When the last one was refused, epoch milliseconds. */
  readonly lastAt: number;
  /** A recent event of these without its values; null where there is none, or anybody may have sent it. */
  readonly example: EventShape | null;
}

/** A refusal in words. */
export interface ToldRefusal extends Refusal {
  /** What is counted. */
  readonly of: 'events' | 'requests';
  /** A sentence that says what would be right. */
  readonly why: string;
}

/** Whether the code of an error is a reason for which requests are refused. */
export function isRequestReason(code: string): code is RefusalReason {
  return Object.hasOwn(REQUEST_REASONS, code);
}

/** Puts the rows of a tenant into words, the latest first. Rows of a newer version keep their name alone. */
export function toldRefusals(refusals: readonly Refusal[]): ToldRefusal[] {
  const words: Readonly<Record<string, string>> = { ...EVENT_REASONS, ...REQUEST_REASONS };
  return refusals
    .map((refusal) => {
      const { reason } = refusal;
      const of = Object.hasOwn(EVENT_REASONS, reason) ? ('events' as const) : ('requests' as const);
      return { ...refusal, of, why: words[reason] ?? `${reason}.` };
    })
    .sort((a, b) => b.lastAt - a.lastAt || (a.reason < b.reason ? -1 : 1));
}

/** The limits of a field, without what its absence means. */
function toPlain(more: string): string {
  return `${more.split('. Absent')[0]!}.`;
}

/** The sum of two rows of one reason, with the later example. */
export function mergeRefusals(known: Refusal | undefined, more: Refusal): Refusal {
  if (known === undefined) return more;
  const [earlier, later] = known.lastAt > more.lastAt ? [more, known] : [known, more];
  return {
    reason: more.reason,
    count: known.count + more.count,
    firstAt: Math.min(known.firstAt, more.firstAt),
    lastAt: later.lastAt,
    example: later.example ?? earlier.example,
  };
}
