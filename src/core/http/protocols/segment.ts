import type { Pacer } from '../../bounds/scheduler.ts';
import { SEGMENT_PATHS, toSegmentEvent } from '../../compat/segment.ts';
import { userOfBasic } from '../basic.ts';
import type { Batch } from '../batch.ts';
import type { Call } from '../operation.ts';
import { JSON_BATCH_TYPES } from '../request.ts';
import { findEnvelope, findText, oneMessage } from './members.ts';
import { secretOfChase } from './own.ts';
import type { Protocol } from './protocol.ts';

/** How many events Segment takes in a batch, so that none of its SDKs sends more. */
const EVENTS_MAX = 2500;

/** The protocol of Segment's SDKs. Their write key is the user name of Basic credentials, or in the body. */
export const SEGMENT: Protocol = {
  secretOf: (call) => userOfBasic(call.request.header('authorization') ?? '') ?? secretOfChase(call),
  types: JSON_BATCH_TYPES,
  secretIn: ({ text }, _call, pacer) => findText(text, 'writeKey', pacer),
  find: ({ text }, { parameter }, pacer) => findSegmentBatch(text, parameter, pacer),
};

/**
 * Finds the events in the body of a call of Segment's tracking API: one message, or the messages of a batch.
 * `path` is the last segment of the path, a key of `SEGMENT_PATHS`. Throws ApiError: 400, 413.
 */
async function findSegmentBatch(text: string, path: string, pacer: Pacer): Promise<Batch> {
  const call = SEGMENT_PATHS[path as keyof typeof SEGMENT_PATHS];
  if (call !== 'batch') return oneMessage(text, (message) => toSegmentEvent(message, call));
  return findEnvelope(
    text,
    {
      member: 'batch',
      eventsMax: EVENTS_MAX,
      shared: ({ context, integrations, sentAt }) => ({ context, integrations, sentAt }),
      toEvent: (message, shared) => toSegmentEvent(message, undefined, shared),
    },
    pacer,
  );
}

/**
 * What Segment's web SDK needs to send to this tenant: the address below which it asks for the calls. It is
 * told to count nothing of itself, which it would send to Segment.
 */
export function segmentSettings({ request, alias, parameter }: Call): object {
  const apiHost = `${request.header('host') ?? ''}/v1/segment/${alias}/v1`;
  return {
    integrations: { 'Segment.io': { apiKey: parameter, apiHost } },
    metrics: { host: apiHost, sampleRate: 0 },
  };
}
