import type { Pacer } from '../../bounds/scheduler.ts';
import type { SharedFields } from '../../compat/calls.ts';
import type { EventInput } from '../../event/parse-event.ts';
import type { Batch } from '../batch.ts';
import { findEnvelope, oneMessage } from './members.ts';

/** How many events Segment takes in a batch, so that no SDK of its kind sends more. */
const EVENTS_MAX = 2500;

/** Makes an event of a message. Throws ApiError (400). */
type ToEvent<C> = (message: unknown, call?: C, shared?: SharedFields) => EventInput;

/**
 * Finds the events in the body of a call as Segment made them: one message, or the messages of a batch.
 * Throws ApiError: 400, 413.
 */
export async function findCalls<C extends string>(
  text: string,
  call: C | 'batch',
  toEvent: ToEvent<C>,
  pacer: Pacer,
): Promise<Batch> {
  if (call !== 'batch') return oneMessage(text, (message) => toEvent(message, call));
  return findEnvelope(
    text,
    {
      member: 'batch',
      eventsMax: EVENTS_MAX,
      shared: ({ context, integrations, sentAt }): SharedFields => ({ context, integrations, sentAt }),
      toEvent: (message, shared) => toEvent(message, undefined, shared),
    },
    pacer,
  );
}
