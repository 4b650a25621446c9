import type { Protocol, ProtocolRoute, RoutedRequest, WireFormat } from '../../../src/index.ts';
import { fieldOf, isSecret, jsonResponse } from '../../../src/transport-kit.ts';
import { RUDDERSTACK_CALLS, RUDDERSTACK_PATHS, toRudderstackEvent } from '../events/rudderstack.ts';
import { writeKeyOf } from '../messages/basic.ts';
import { FORM_TYPES } from '../messages/content-types.ts';
import {
  ingestReport,
  instant,
  jsonBody,
  noItems,
  objectOf,
  only,
  text,
  toRef,
} from '../messages/schemas.ts';
import { findCalls } from './call-batch.ts';
import { callMessage } from './call-schema.ts';

/** Its SDK for Node says that gzip is a form, and others say nothing of it. */
const TYPES: WireFormat['types'] = /* @__PURE__ */ Object.assign({ '': 'json' }, FORM_TYPES);

/** The write key of RudderStack's SDKs is the user name of Basic credentials. */
const CALLS: WireFormat = {
  secretOf: writeKeyOf,
  types: TYPES,
  find: ({ text: body }, { parameter }, tools) =>
    findCalls(
      body,
      RUDDERSTACK_PATHS[parameter as keyof typeof RUDDERSTACK_PATHS],
      toRudderstackEvent,
      tools,
    ),
};

/** The beacons of its web SDK: batches. They have no header, so only a public write key comes with them. */
const BEACONS: WireFormat = {
  types: TYPES,
  find: ({ text: body }, _request, tools) => findCalls(body, 'batch', toRudderstackEvent, tools),
};

/**
 * What RudderStack's web SDK loads before it sends: a source without destinations. It is told to report
 * nothing of itself. The SDK sends with the key that its page gave it and does not read the one here, so only
 * a public write key is repeated: anything else in the address may be a secret.
 */
function configOf({ alias, target }: RoutedRequest): object {
  const off = { enabled: false };
  const key = fieldOf(target.queryString, 'writeKey') ?? '';
  return {
    source: {
      ...{ id: alias, name: alias, workspaceId: alias, enabled: true, destinations: [] },
      writeKey: isSecret(key, 'write') ? key : '',
      config: { statsCollection: { errors: off, metrics: off } },
    },
  };
}

function toRoutes(): readonly ProtocolRoute[] {
  const message = {
    ...{ userId: 'u1', messageId: 'a1', originalTimestamp: '2024-05-18T10:00:00.000Z' },
    ...{ event: 'order_placed', properties: { plan: 'pro' } },
  };
  return [
    {
      name: 'rudderstackConfig',
      methods: ['GET'],
      path: '/sourceConfig',
      takes: (request) => jsonResponse(request, JSON.stringify(configOf(request))),
      described: {
        summary: 'What the web SDK of RudderStack loads before it sends',
        answer: toRef('RudderstackConfig'),
        queryParameters: ['writeKey'],
      },
    },
    {
      name: 'rudderstackBeacon',
      methods: ['POST'],
      path: '/beacon/v1/batch',
      takes: BEACONS,
      described: {
        summary: 'Store events as the web SDK of RudderStack sends them by beacons',
        answer: ingestReport(),
        queryParameters: ['writeKey'],
        requestBody: jsonBody(toRef('RudderstackBody'), { batch: [{ type: 'track', ...message }] }),
      },
    },
    {
      name: 'rudderstack',
      methods: ['POST'],
      path: '/v1/{call}',
      values: Object.keys(RUDDERSTACK_PATHS),
      takes: CALLS,
      described: {
        summary: 'Store events as the SDKs of RudderStack send them',
        answer: ingestReport(),
        requestBody: jsonBody(toRef('RudderstackBody'), message),
      },
    },
  ];
}

function toConfigSchema() {
  const off = objectOf({ enabled: only(false) });
  return objectOf({
    source: objectOf({
      ...{ id: text, name: text, workspaceId: text, writeKey: text },
      ...{ enabled: only(true), destinations: noItems },
      config: objectOf({ statsCollection: objectOf({ errors: off, metrics: off }) }),
    }),
  });
}

/** The protocol of RudderStack's SDKs. */
export const rudderstack = (): Protocol => ({
  name: 'rudderstack',
  routes: toRoutes(),
  schemas: {
    RudderstackBody: callMessage(RUDDERSTACK_CALLS, { originalTimestamp: instant }),
    RudderstackConfig: toConfigSchema(),
  },
});
