import type { Batch, FindingTools } from '../../../src/index.ts';
import { findEnvelope, HASHED_ID, oneMessage } from '../../../src/transport-kit.ts';
import type { SharedFields } from '../messages/calls.ts';
import type { IdentifiedEvent } from '../messages/fields.ts';
import { withInsertId } from '../messages/identified.ts';

/** How many events Segment takes in a batch, so that no SDK of its kind sends more. */
const EVENTS_MAX = 2500;

/** Makes an event of a message. Throws ApiError (400). */
type CallToEvent<C> = (message: unknown, now: number, call?: C, shared?: SharedFields) => IdentifiedEvent;

/**
 * Finds the events in the body of a call as Segment made them: one message, or the messages of a batch.
 * Throws ApiError: 400, 413.
 */
export async function findCalls<C extends string>(
  text: string,
  call: C | 'batch',
  toEvent: CallToEvent<C>,
  { pacer, runtime }: FindingTools,
): Promise<Batch> {
  const identify = (...asked: Parameters<CallToEvent<C>>) =>
    withInsertId(toEvent(...asked), HASHED_ID, runtime);
  const now = runtime.now();
  if (call !== 'batch') return oneMessage(text, (message) => identify(message, now, call));
  return findEnvelope(
    text,
    {
      member: 'batch',
      eventsMax: EVENTS_MAX,
      shared: ({ context, integrations, sentAt }): SharedFields => ({ context, integrations, sentAt }),
      toEvent: (message, shared) => identify(message, now, undefined, shared),
    },
    pacer,
  );
}
