import type {
  ApiError,
  Batch,
  FindingTools,
  Protocol,
  ProtocolRoute,
  RoutedRequest,
  WireFormat,
} from '../../../src/index.ts';
import {
  fieldOf,
  findEnvelope,
  findList,
  findText,
  HASHED_ID,
  jsonResponse,
} from '../../../src/transport-kit.ts';
import { POSTHOG_PATHS, toPosthogEvent, type PosthogShared } from '../events/posthog.ts';
import { FORM_TYPES } from '../messages/content-types.ts';
import { bytesOfUnwrapped, unwrapText } from '../messages/form.ts';
import { withInsertId } from '../messages/identified.ts';
import {
  anyObject,
  ingestReport,
  instant,
  jsonBody,
  listOf,
  messageOf,
  noItems,
  objectOf,
  only,
  text,
  textOrNull,
  toRef,
} from '../messages/schemas.ts';

/** The project key of PostHog's SDKs is in the body. */
const EVENTS: WireFormat = {
  // The web SDK sends gzip as a text, and beacons as forms.
  types: FORM_TYPES,
  bytesBeside: ({ text: body }, request) => bytesOfUnwrapped(body, isBase64(request)),
  unwrap: async ({ text: body, type }, request, pacer) => {
    return { text: await unwrapText(body, isBase64(request), pacer), type };
  },
  secretIn: async ({ text: body }, _request, pacer) => {
    // An array has no place for a key but its events.
    if (isArray(body)) return undefined;
    return (await findText(body, 'api_key', pacer)) ?? findText(body, 'token', pacer);
  },
  find: ({ text: body }, request, tools) => findMessages(body, request.parameter === 'engage', tools),
  statusOf,
};

function isBase64({ target }: RoutedRequest): boolean {
  return fieldOf(target.queryString, 'compression') === 'base64';
}

function isArray(body: string): boolean {
  return body.trimStart().startsWith('[');
}

/** Finds one message, an array of them, or those of a batch. Throws ApiError: 400, 413. */
async function findMessages(
  body: string,
  isEngage: boolean,
  { pacer, runtime }: FindingTools,
): Promise<Batch> {
  const now = runtime.now();
  const toEvent = (message: unknown, shared: PosthogShared) =>
    withInsertId(toPosthogEvent(message, now, shared, isEngage), HASHED_ID, runtime);
  const alone = (message: unknown) => toEvent(message, {});
  if (isArray(body)) return findList({ text: body, type: 'json' }, alone, pacer);
  return findEnvelope(
    body,
    {
      ...{ member: 'batch', alone },
      // What becomes no part of an event is short.
      shared: ({ sent_at, api_key, token }): PosthogShared => ({ sent_at, api_key: api_key ?? token }),
      toEvent,
    },
    pacer,
  );
}

/** The web SDK drops the events of a 429, and sends those of a 503 again. Only pages name their origin. */
function statusOf({ status }: ApiError, { request }: RoutedRequest): number {
  return status === 429 && request.header('origin') !== undefined ? 503 : status;
}

/**
 * What PostHog's web SDK loads before it sends: that there are no flags, recordings, surveys and the like, so
 * that it asks for none, and that it may send gzip.
 */
const CONFIG = {
  supportedCompression: ['gzip', 'gzip-js'],
  ...{ hasFeatureFlags: false, surveys: false, sessionRecording: false, heatmaps: false },
  ...{ autocaptureExceptions: false, capturePerformance: false, isAuthenticated: false, siteApps: [] },
};

/** The answer to what asks for flags nevertheless: none. */
const FLAGS = {
  ...CONFIG,
  ...{ flags: {}, featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false },
};

/** The routes that store events. */
function toEventRoutes(): readonly ProtocolRoute[] {
  const described = {
    summary: 'Store events as the SDKs of PostHog send them',
    answer: ingestReport(),
    queryParameters: ['compression'],
    requestBody: jsonBody(toRef('PosthogBody'), {
      ...{ api_key: 'shop', event: 'order_placed', distinct_id: 'u1', properties: { plan: 'pro' } },
      ...{ timestamp: '2024-05-18T10:00:00.000Z', uuid: '018f8b1c-7a00-7abc-8def-0123456789ab' },
    }),
  };
  const events = { methods: ['POST'], takes: EVENTS, described };
  return [
    { name: 'posthogEvent', path: '/i/v0/e', ...events },
    { name: 'posthog', path: '/{call}', values: POSTHOG_PATHS, ...events },
  ];
}

/** The routes that an SDK asks before it sends. */
function toAskedRoutes(): readonly ProtocolRoute[] {
  return [
    {
      name: 'posthogScript',
      methods: ['GET'],
      path: '/array/{apiKey}/config.js',
      // An empty script: the SDK then asks for the settings as JSON.
      takes: ({ headers }) => ({
        ...{ status: 200, headers: { ...headers, 'Content-Type': 'text/javascript' }, body: '' },
      }),
      described: {
        summary: 'An empty script that the web SDK of PostHog loads',
        answer: { byType: { 'text/javascript': { schema: text } } },
      },
    },
    {
      name: 'posthogConfig',
      methods: ['GET'],
      path: '/array/{apiKey}/config',
      takes: (request) => jsonResponse(request, JSON.stringify(CONFIG)),
      described: {
        summary: 'What the web SDK of PostHog loads before it sends',
        answer: toRef('PosthogConfig'),
      },
    },
    {
      name: 'posthogFlags',
      methods: ['POST'],
      path: '/{question}',
      values: ['flags', 'decide'],
      takes: (request) => jsonResponse(request, JSON.stringify(FLAGS)),
      described: { summary: 'Where the SDKs of PostHog ask for flags', answer: toRef('PosthogFlags') },
    },
  ];
}

function toSchemas() {
  const no = only(false);
  const config = {
    supportedCompression: listOf(text),
    ...{ hasFeatureFlags: no, surveys: no, sessionRecording: no, heatmaps: no, autocaptureExceptions: no },
    ...{ capturePerformance: no, isAuthenticated: no, siteApps: noItems },
  };
  return {
    PosthogBody: messageOf({
      ...{ api_key: text, batch: listOf(anyObject), sent_at: instant, event: text },
      ...{ distinct_id: textOrNull, uuid: textOrNull, timestamp: instant, properties: anyObject },
    }),
    PosthogConfig: objectOf(config),
    PosthogFlags: objectOf({
      ...config,
      ...{ flags: anyObject, featureFlags: anyObject, featureFlagPayloads: anyObject },
      errorsWhileComputingFlags: no,
    }),
  };
}

/** The protocol of PostHog's SDKs. */
export const posthog = (): Protocol => ({
  name: 'posthog',
  routes: [...toAskedRoutes(), ...toEventRoutes()],
  schemas: toSchemas(),
});
