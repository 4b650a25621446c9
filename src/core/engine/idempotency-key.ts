import { createKeyedHash } from '../base/keyed-hash.ts';
import { invalid } from '../base/errors.ts';
import { EPOCH_MS_MIN } from '../event/epoch.ts';
import { FUTURE_MS_MAX, type EventSource } from '../event/parse-event.ts';
import { describeValue } from '../event/text.ts';
import { EVENT_TS_MAX, toIsoInstant } from '../event/time.ts';

/** The key that a client gives to a batch, so that a repeated batch is recognised. */
export interface IdempotencyKey {
  /** A UUID of version 7, in lower case. */
  readonly uuid: string;
  /** When the key was made, epoch milliseconds. */
  readonly madeAt: number;
}

/** Matches a key, bare or in quotes as the IETF draft writes it. */
const KEY_PATTERN = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\1$/i;
/** How many digits an index has. Leading zeros make ids sort in the order of the events. */
const INDEX_DIGITS = 4;

/**
 * Reads the header `Idempotency-Key`.
 *
 * @see draft-ietf-httpapi-idempotency-key-header.
 * @throws {ApiError} 400 for a text that is not a UUID of version 7, or is one of a time that no event that
 * arrives `now` may have.
 */
export function parseIdempotencyKey(text: string, now: number): IdempotencyKey {
  const uuid = KEY_PATTERN.exec(text)?.[2]?.toLowerCase();
  if (uuid === undefined) {
    const takes = 'takes a UUID of version 7, whose time events without eventTs get';
    throw invalid('Idempotency-Key', `${takes}, got ${describeValue(text)}`);
  }
  const madeAt = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  if (madeAt < EPOCH_MS_MIN || madeAt > Math.min(EVENT_TS_MAX, now + FUTURE_MS_MAX)) {
    const takes = 'its time must lie between 1990 and 2099 and be at most 24 hours in the future';
    throw invalid('Idempotency-Key', `${takes}, got ${toIsoInstant(madeAt)}`);
  }
  return { uuid, madeAt };
}

/**
 * Makes the source of missing times and ids for the events of a batch with a key. The time is that of the
 * key; the id is made of the key, the event's index in the batch and its content. So a repeated batch gets
 * the same identities in every process, and no store has to keep the key. A different batch under an old key
 * gets other ids, so that none of its events is lost.
 */
export function sourceOf(key: IdempotencyKey, now: () => number, index: () => number): EventSource {
  // The seeds are constants and no secrets, since an id must be the same in every process.
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
