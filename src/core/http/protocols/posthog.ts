import type { ApiError } from '../../base/errors.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { HASHED_ID } from '../../compat/fields.ts';
import { toPosthogEvent, type PosthogShared } from '../../compat/posthog.ts';
import { BATCH_EVENTS_MAX, skipBlanks, type Batch } from '../batch.ts';
import { fieldOf } from '../form.ts';
import type { Call } from '../operation.ts';
import { FORM_BATCH_TYPES } from '../request.ts';
import { bytesOfUnwrapped, unwrapText } from './form.ts';
import { withInsertId, type SdksRuntime } from './identified.ts';
import { findEnvelope, findList, findText } from './members.ts';
import { secretOfChase } from './own.ts';
import type { Protocol } from './protocol.ts';

/** The protocol of PostHog's SDKs. Their project key is in the body. */
export const posthogProtocol = (runtime: SdksRuntime): Protocol => ({
  secretOf: secretOfChase,
  // The web SDK sends gzip as a text, and beacons as forms.
  types: FORM_BATCH_TYPES,
  bytesBeside: ({ text }, call) => bytesOfUnwrapped(text, isBase64(call)),
  unwrap: async ({ text, type }, call, pacer) => {
    return { text: await unwrapText(text, isBase64(call), pacer), type };
  },
  secretIn: async ({ text }, _call, pacer) => {
    // An array has no place for a key but its events.
    if (isArray(text)) return undefined;
    return (await findText(text, 'api_key', pacer)) ?? findText(text, 'token', pacer);
  },
  find: ({ text }, call, pacer) => findMessages(text, call.parameter === 'engage', { pacer, runtime }),
  statusOf,
});

function isBase64({ target }: Call): boolean {
  return fieldOf(target.queryString, 'compression') === 'base64';
}

function isArray(text: string): boolean {
  return text[skipBlanks(text, 0, text.length)] === '[';
}

/** Finds one message, an array of them, or those of a batch. Throws ApiError: 400, 413. */
async function findMessages(
  text: string,
  isEngage: boolean,
  { pacer, runtime }: { readonly pacer: Pacer; readonly runtime: SdksRuntime },
): Promise<Batch> {
  const now = runtime.now();
  const toEvent = (message: unknown, shared: PosthogShared) =>
    withInsertId(toPosthogEvent(message, now, shared, isEngage), HASHED_ID, runtime);
  const alone = (message: unknown) => toEvent(message, {});
  if (isArray(text)) return findList(text, { eventsMax: BATCH_EVENTS_MAX, toEvent: alone }, pacer);
  return findEnvelope(
    text,
    {
      ...{ member: 'batch', eventsMax: BATCH_EVENTS_MAX, alone },
      // What becomes no part of an event is short.
      shared: ({ sent_at, api_key, token }): PosthogShared => ({ sent_at, api_key: api_key ?? token }),
      toEvent,
    },
    pacer,
  );
}

/**
 * What PostHog's web SDK loads before it sends: that there are no flags, recordings, surveys and the like, so
 * that it asks for none, and that it may send gzip.
 */
export function posthogConfig(): object {
  return {
    supportedCompression: ['gzip', 'gzip-js'],
    ...{ hasFeatureFlags: false, surveys: false, sessionRecording: false, heatmaps: false },
    ...{ autocaptureExceptions: false, capturePerformance: false, isAuthenticated: false, siteApps: [] },
  };
}

/** The answer to what asks for flags nevertheless: none. */
export function posthogFlags(): object {
  return {
    ...posthogConfig(),
    flags: {},
    featureFlags: {},
    featureFlagPayloads: {},
    errorsWhileComputingFlags: false,
  };
}

/** The web SDK drops the events of a 429, and sends those of a 503 again. Only pages name their origin. */
function statusOf({ status }: ApiError, { request }: Call): number {
  return status === 429 && request.header('origin') !== undefined ? 503 : status;
}
