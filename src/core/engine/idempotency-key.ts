import { createKeyedHash } from '../columns/keyed-hash.ts';
import { invalid } from '../base/errors.ts';
import type { EventSource } from '../event/parse-event.ts';
import { describeValue } from '../event/text.ts';

/** What a client calls a batch by, so that the same batch is recognised when it comes again. */
export interface IdempotencyKey {
  /** A UUID of version 7, in lower case. */
  readonly uuid: string;
  /** When it was made, epoch milliseconds. */
  readonly madeAt: number;
}

/** Bare, or in quotes as the draft of the IETF writes it. */
const KEY_PATTERN = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\1$/i;
/** Digits of an index below 10,000, so that ids sort as their events were sent. */
const INDEX_DIGITS = 4;

/**
 * Reads the header `Idempotency-Key`.
 *
 * @see draft-ietf-httpapi-idempotency-key-header.
 * @throws {ApiError} 400 for what is no UUID of version 7.
 */
export function parseIdempotencyKey(text: string): IdempotencyKey {
  const uuid = KEY_PATTERN.exec(text)?.[2]?.toLowerCase();
  if (uuid === undefined) {
    const takes = 'takes a UUID of version 7, whose time events without eventTs get';
    throw invalid('Idempotency-Key', `${takes}, got ${describeValue(text)}`);
  }
  return { uuid, madeAt: Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) };
}

/**
 * What the events of a batch get that bring no time and no id: the time of the key, and an id of the key, of
 * their place in the batch and of what they say. So a batch that comes again has the identities that it had,
 * wherever and whenever it comes, and nobody needs to remember the key; and another batch under an old key
 * has others, so that none of it is lost.
 */
export function sourceOf(key: IdempotencyKey, now: () => number, index: () => number): EventSource {
  // The seeds are no secrets: an id must be the same in every process.
  const [first, second] = [createKeyedHash([0, 1]), createKeyedHash([0, 2])];
  return {
    now,
    newEventTs: () => key.madeAt,
    newInsertId: ({ eventName, userId, propertiesJson }) => {
      const content = JSON.stringify([eventName, userId]) + propertiesJson;
      const place = String(index()).padStart(INDEX_DIGITS, '0');
      return `${key.uuid}-${place}-${toHex(first.ofText(content, 0))}${toHex(second.ofText(content, 0))}`;
    },
  };
}

function toHex(hash: number): string {
  return hash.toString(16).padStart(8, '0');
}
