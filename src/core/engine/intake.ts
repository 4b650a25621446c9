import type { MetricLabels } from '../base/metrics.ts';
import { ApiError, invalid, isApiError } from '../base/errors.ts';
import { EVENT_INPUT_FIELDS } from '../event/event-fields.ts';
import { shapeOf, type EventShape } from '../event/event-shape.ts';
import type { StoredEvent } from '../event/event.ts';
import { quote } from '../event/text.ts';
import { parseEvent, type EventInput, type EventSource } from '../event/parse-event.ts';
import { sourceOf, type IdempotencyKey } from './idempotency-key.ts';
import type { AppendResult } from '../query/event-store.ts';
import type { Signal } from '../base/signal.ts';

/** How a batch is stored. */
export interface IngestOptions {
  /** The `sub` of the access token. Events of any other user are refused. */
  readonly userId?: string | undefined;
  /** The names that a public write key allows. Events of any other name are refused. */
  readonly eventNames?: readonly string[] | undefined;
  /**
   * A UUID of version 7 that the client makes once for a batch and sends with each retry. Events without
   * `eventTs` get its time and events without `insertId` get an id made from it, so that the batch is stored
   * once. Throws ApiError (400).
   */
  readonly idempotencyKey?: string | undefined;
  /** Whether the batch is only judged: nothing is stored and nothing is counted. Default false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Whether anybody may have sent the events. The ledger of refusals then keeps nothing of what they sent.
   * Default false.
   */
  readonly anonymous?: boolean | undefined;
  /** Aborted when the caller no longer waits for the report. Events that are not stored by then never are. */
  readonly signal?: Signal;
}

/** The result of a batch. */
export interface IngestReport {
  /** How many events were new and are now stored; of a dry run, how many are valid and not twice in it. */
  readonly accepted: number;
  /**
   * How many events were stored before or came earlier in the batch. The first write stays. A dry run does
   * not look at what is stored.
   */
  readonly duplicates: number;
  /** The refused events, ascending by their index in the batch, each with the reason. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
  /** True if nothing was stored, as the batch was only judged. */
  readonly dryRun?: true;
}

/** Why an event was rejected, as it is counted. */
export type RejectReason = MetricLabels<'event_query_events_rejected_total'>['reason'];

/** How many events of a batch were rejected for each reason, and the first of them without its values. */
export type RejectReasons = ReadonlyMap<
  RejectReason,
  { readonly count: number; readonly example: EventShape | null }
>;

/** The memory of an event besides its properties, in approximate bytes. */
const EVENT_BYTES = 512;

/** Makes a collector that parses the events of a batch one by one and then reports on them. */
export function createBatch(
  { userId, eventNames, anonymous = false }: Pick<IngestOptions, 'userId' | 'eventNames' | 'anonymous'>,
  own: EventSource,
  key?: IdempotencyKey,
) {
  const events: StoredEvent[] = [];
  /** The index in the batch of each of `events`. */
  const places: number[] = [];
  const rejected: { index: number; error: string }[] = [];
  const reasons = new Map<RejectReason, { count: number; readonly example: EventShape | null }>();
  const noteReason = (reason: RejectReason, toExample?: () => EventShape) => {
    const noted = reasons.get(reason);
    if (noted !== undefined) noted.count += 1;
    else reasons.set(reason, { count: 1, example: anonymous ? null : (toExample?.() ?? null) });
  };
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
    /** Why events were rejected so far. */
    reasons: reasons as RejectReasons,
    /** Adds an event, or the reason of its refusal. Gives about how many bytes of memory that takes. */
    add(input: EventInput | ApiError): number {
      const index = length++;
      try {
        if (isApiError(input)) throw input;
        const event = parseEvent(input, source);
        if (userId !== undefined && event.userId !== userId) {
          throw invalid('userId', 'must equal the sub claim of the access token');
        }
        if (eventNames !== undefined && !eventNames.includes(event.eventName)) {
          throw invalid('eventName', `is not one of those of the write key, got ${quote(event.eventName)}`);
        }
        events.push(event);
        places.push(index);
        return event.propertiesJson.length * 2 + EVENT_BYTES;
      } catch (error) {
        if (!isApiError(error)) throw error;
        rejected.push({ index, error: error.message });
        noteReason(reasonOf(error), isApiError(input) ? undefined : () => shapeOf(input, error.where));
        return EVENT_BYTES;
      }
    },
    /** The report on a batch that is not stored. Which events are stored already is not looked up. */
    dryReport(): IngestReport {
      const ids = new Set(events.map(({ eventTs, insertId }) => `${eventTs} ${insertId}`));
      return { accepted: ids.size, duplicates: events.length - ids.size, rejected, dryRun: true };
    },
    report({ duplicates, overNames }: AppendResult, namesMax: number): IngestReport {
      // Creating an error costs as much as parsing several events, and it is rarely needed.
      if (overNames.length > 0) {
        const takes = `a tenant has at most ${namesMax} distinct event names; this one would be one more`;
        const error = invalid('eventName', takes).message;
        for (const i of overNames) {
          rejected.push({ index: places[i]!, error });
          noteReason('names');
        }
      }
      return {
        accepted: events.length - duplicates.length - overNames.length,
        duplicates: duplicates.length,
        rejected: rejected.sort((a, b) => a.index - b.index),
      };
    },
  };
}

/** The refusal of a batch of which nothing is or was stored; undefined where no event of it is refused. */
export function nothingAccepted({ accepted, duplicates, rejected }: IngestReport): ApiError | undefined {
  const [first] = rejected;
  if (first === undefined || accepted + duplicates > 0) return undefined;
  return new ApiError('nothingAccepted', [first.index, first.error]);
}

/** The field that an error is about; `event` for the whole. What a client has named itself is no reason. */
function reasonOf({ code, where = '' }: ApiError): RejectReason {
  if (code === 'notJson') return 'json';
  const field = /^\w*/.exec(where)![0];
  return Object.hasOwn(EVENT_INPUT_FIELDS, field) ? (field as keyof typeof EVENT_INPUT_FIELDS) : 'event';
}
