import { invalid, isApiError, type ApiError } from '../base/errors.ts';
import type { StoredEvent } from '../event/event.ts';
import { parseEvent, type EventInput, type EventSource } from '../event/parse-event.ts';
import { sourceOf, type IdempotencyKey } from './idempotency-key.ts';
import type { AppendResult } from '../query/event-store.ts';
import type { Signal } from '../base/signal.ts';

/** How a batch is taken in. */
export interface IngestOptions {
  /** Refuse events of any other user: the `sub` of a token. */
  readonly userId?: string | undefined;
  /**
   * A UUID of version 7 that is made once for a batch and sent again with it: events without `eventTs` get
   * its time, those without `insertId` an id of it, so that the batch is stored once. Throws ApiError (400).
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborted when nobody waits for the report any more; what is not stored by then is not stored. */
  readonly signal?: Signal;
}

/** What became of a batch. */
export interface IngestReport {
  /** How many events are stored now that were not before. */
  readonly accepted: number;
  /** How many were there already, or came earlier in the batch; the first write stays. */
  readonly duplicates: number;
  /** The events that were refused, ascending by their index in the batch, and why. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

/** What a stored event costs in memory beside its properties. */
const EVENT_BYTES = 512;

/** Takes in the events of a batch one by one, and puts together what became of them. */
export function createBatch(userId: string | undefined, own: EventSource, key?: IdempotencyKey) {
  const events: StoredEvent[] = [];
  /** Where in the batch each of the events was. */
  const places: number[] = [];
  const rejected: { index: number; error: string }[] = [];
  let length = 0;
  const source =
    key === undefined
      ? own
      : sourceOf(
          key,
          () => own.now(),
          () => length - 1,
        );

  return {
    events,
    /** Adds an event; about how many bytes of memory it takes. */
    add(input: EventInput | ApiError): number {
      const index = length++;
      try {
        if (isApiError(input)) throw input;
        const event = parseEvent(input, source);
        if (userId !== undefined && event.userId !== userId) {
          throw invalid('userId', 'must equal the sub claim of the access token');
        }
        events.push(event);
        places.push(index);
        return event.propertiesJson.length * 2 + EVENT_BYTES;
      } catch (error) {
        if (!isApiError(error)) throw error;
        rejected.push({ index, error: error.message });
        return EVENT_BYTES;
      }
    },
    report({ duplicates, overNames }: AppendResult, namesMax: number): IngestReport {
      // To make an error costs as much as to take in several events, and there seldom is one.
      if (overNames.length > 0) {
        const takes = `a tenant has at most ${namesMax} distinct event names; this one would be one more`;
        const error = invalid('eventName', takes).message;
        for (const i of overNames) rejected.push({ index: places[i]!, error });
      }
      return {
        accepted: events.length - duplicates.length - overNames.length,
        duplicates: duplicates.length,
        rejected: rejected.sort((a, b) => a.index - b.index),
      };
    },
  };
}
