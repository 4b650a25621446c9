import type { Protocol, ProtocolRoute, RoutedRequest, WireFormat } from '../../../src/index.ts';
import { findText, hideCredentials, isSecret, jsonResponse } from '../../../src/transport-kit.ts';
import { SEGMENT_CALLS, SEGMENT_PATHS, toSegmentEvent } from '../events/segment.ts';
import { writeKeyOf } from '../messages/basic.ts';
import { JSON_TYPES } from '../messages/content-types.ts';
import { ingestReport, jsonBody, objectOf, only, text, toRef } from '../messages/schemas.ts';
import { findCalls } from './call-batch.ts';
import { callMessage } from './call-schema.ts';

/** The write key of Segment's SDKs is the user name of Basic credentials, or in the body. */
const CALLS: WireFormat = {
  secretOf: writeKeyOf,
  types: JSON_TYPES,
  secretIn: ({ text: body }, _request, pacer) => findText(body, 'writeKey', pacer),
  find: ({ text: body }, { parameter }, tools) =>
    findCalls(body, SEGMENT_PATHS[parameter as keyof typeof SEGMENT_PATHS], toSegmentEvent, tools),
};

/**
 * What Segment's web SDK needs to send to this tenant: the address below which it asks for the calls. It is
 * told to count nothing of itself, which it would send to Segment. A secret in the address is not repeated;
 * the key that the SDK sends with is public.
 */
function settings({ request, alias, parameter }: RoutedRequest): object {
  const apiHost = `${request.header('host') ?? ''}/v1/segment/${alias}/v1`;
  const isPublic = isSecret(parameter, 'write') || hideCredentials(parameter) === parameter;
  return {
    integrations: { 'Segment.io': { apiKey: isPublic ? parameter : '', apiHost } },
    metrics: { host: apiHost, sampleRate: 0 },
  };
}

const toRoutes = (): readonly ProtocolRoute[] => [
  {
    name: 'segmentSettings',
    methods: ['GET'],
    path: '/v1/projects/{writeKey}/settings',
    takes: (request) => jsonResponse(request, JSON.stringify(settings(request))),
    described: {
      summary: 'What the web SDK of Segment loads before it sends',
      answer: toRef('SegmentSettings'),
    },
  },
  {
    name: 'segmentMetrics',
    methods: ['POST'],
    path: '/v1/m',
    takes: (request) => jsonResponse(request, '{"success":true}'),
    described: { summary: 'Where the web SDK of Segment counts itself', answer: toRef('SegmentSuccess') },
  },
  {
    name: 'segment',
    methods: ['POST'],
    path: '/v1/{call}',
    values: Object.keys(SEGMENT_PATHS),
    takes: CALLS,
    described: {
      summary: 'Store events as the SDKs of Segment send them',
      answer: ingestReport(),
      queryParameters: ['dryRun'],
      requestBody: jsonBody(toRef('SegmentBody'), {
        ...{ event: 'order_placed', userId: 'u1', messageId: 'a1', timestamp: '2024-05-18T10:00:00.000Z' },
        properties: { plan: 'pro' },
      }),
    },
  },
];

/** The protocol of Segment's SDKs. */
export const segment = (): Protocol => ({
  name: 'segment',
  routes: toRoutes(),
  schemas: {
    SegmentBody: callMessage(SEGMENT_CALLS),
    SegmentSettings: objectOf({
      integrations: objectOf({ 'Segment.io': objectOf({ apiKey: text, apiHost: text }) }),
      metrics: objectOf({ host: text, sampleRate: only(0) }),
    }),
    SegmentSuccess: objectOf({ success: only(true) }),
  },
});
