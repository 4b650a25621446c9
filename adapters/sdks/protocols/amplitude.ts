import type {
  ApiError,
  Batch,
  BatchText,
  FindingTools,
  HttpResponse,
  IngestReport,
  Protocol,
  Refused,
  RoutedRequest,
  WireFormat,
} from '../../../src/index.ts';
import { findEnvelope, findText, jsonResponse } from '../../../src/transport-kit.ts';
import { AMPLITUDE_FIELDS, toAmplitudeEvent } from '../events/amplitude.ts';
import { JSON_TYPES } from '../messages/content-types.ts';
import { fieldOfRefusal, withInsertId } from '../messages/identified.ts';
import {
  anyObject,
  ingestReport,
  jsonBody,
  listOf,
  messageOf,
  objectOf,
  only,
  text,
  textOrNull,
  toRef,
  whole,
} from '../messages/schemas.ts';

/** The events of a request of Amplitude's SDKs. */
interface AmplitudeBatch extends Batch {
  /** When the events were found, by the clock of the server. */
  readonly foundAt: number;
  /** Whether each event that was read has a time and an id, so that it is recognised when it comes again. */
  isIdentified(): boolean;
}

async function find(
  { text: body }: BatchText,
  _request: RoutedRequest,
  { pacer, runtime }: FindingTools,
): Promise<AmplitudeBatch> {
  let isIdentified = true;
  const batch = await findEnvelope(
    body,
    {
      member: 'events',
      shared: ({ client_upload_time }) => ({ client_upload_time }),
      toEvent: (message, shared) => {
        const identified = toAmplitudeEvent(message, shared);
        if (identified.identity === undefined) isIdentified = false;
        return withInsertId(identified, 'amp', runtime);
      },
    },
    pacer,
  );
  return { ...batch, foundAt: runtime.now(), isIdentified: () => isIdentified };
}

/**
 * A 400 that names events makes the SDKs drop these and send the others again, which are then duplicates.
 * Without an id the others would be stored twice, so their sender is told that they are stored.
 */
function answer(report: IngestReport, request: RoutedRequest, batch: AmplitudeBatch): HttpResponse {
  const { accepted, duplicates, rejected } = report;
  const stored = {
    ...{ code: 200, events_ingested: accepted + duplicates, payload_size_bytes: batch.bytes },
    server_upload_time: batch.foundAt,
  };
  const [first] = rejected;
  if (first === undefined) return jsonResponse(request, JSON.stringify(stored));
  if (!batch.isIdentified())
    return jsonResponse(request, JSON.stringify({ ...stored, ...invalidOf(report) }));
  const refused = { code: 400, error: `events[${first.index}]: ${first.error}`, ...invalidOf(report) };
  return jsonResponse(request, JSON.stringify(refused), 400);
}

/** The events that were refused, by the field that is wrong, and why. */
function invalidOf({ rejected }: IngestReport): object {
  const byField = new Map<string, number[]>();
  for (const { index, error } of rejected) {
    const field = fieldOfRefusal(error, AMPLITUDE_FIELDS);
    const places = byField.get(field);
    if (places === undefined) byField.set(field, [index]);
    else places.push(index);
  }
  return {
    events_with_invalid_fields: Object.fromEntries(byField),
    events_with_missing_fields: {},
    rejected,
  };
}

/** What is missing where a request is refused as a whole: its SDK drops all of its events then. */
const MISSING: Readonly<Record<number, string>> = { 401: 'api_key', 404: 'tenantId' };

function refusal(
  error: ApiError,
  _request: RoutedRequest,
  { report, batch }: Refused<AmplitudeBatch>,
): object {
  const { status: code, message } = error;
  const said = { code, error: message };
  if (report !== undefined) return { ...said, ...invalidOf(report) };
  if (code === 429) {
    // The SDKs wait longer with the events that are named here.
    const events = Array.from({ length: batch?.length ?? 0 }, (_, index) => index);
    return {
      ...said,
      eps_threshold: 0,
      throttled_devices: {},
      throttled_users: {},
      throttled_events: events,
    };
  }
  // These are sent again, after a pause or in smaller requests.
  if (code === 408 || code === 413) return said;
  return { ...said, missing_field: MISSING[code] ?? 'events' };
}

const UPLOADS: WireFormat<AmplitudeBatch> = {
  types: JSON_TYPES,
  secretIn: ({ text: body }, _request, pacer) => findText(body, 'api_key', pacer),
  find,
  answer,
  refusal,
};

function toSchemas() {
  const fields = { type: 'object', propertyNames: text, additionalProperties: listOf(whole) };
  return {
    AmplitudeBody: messageOf(
      { api_key: text },
      {
        events: listOf(
          messageOf(
            {
              ...{ user_id: textOrNull, device_id: textOrNull, insert_id: textOrNull },
              time: { type: 'number', description: 'epoch milliseconds' },
              event_properties: anyObject,
            },
            { event_type: text },
          ),
        ),
      },
    ),
    AmplitudeAnswer: {
      anyOf: [
        objectOf(
          {
            ...{ code: only(200), events_ingested: whole },
            ...{ payload_size_bytes: whole, server_upload_time: whole },
          },
          {
            ...{ events_with_invalid_fields: fields, events_with_missing_fields: fields },
            rejected: listOf(objectOf({ index: whole, error: text })),
          },
        ),
        // That of a dry run.
        ingestReport(),
      ],
    },
  };
}

/** The protocol of Amplitude's SDKs. */
export function amplitude(): Protocol {
  const described = {
    summary: 'Store events as the SDKs of Amplitude send them',
    answer: toRef('AmplitudeAnswer'),
    requestBody: jsonBody(toRef('AmplitudeBody'), {
      api_key: 'shop',
      events: [
        {
          ...{ event_type: 'order_placed', user_id: 'ada-1', time: 1_716_026_400_000, insert_id: 'a1' },
          event_properties: { plan: 'pro' },
        },
      ],
    }),
  };
  const uploads = { methods: ['POST'], takes: UPLOADS, described };
  return {
    name: 'amplitude',
    routes: [
      { name: 'amplitude', path: '/2/httpapi', ...uploads },
      // As they send it with `useBatch`.
      { name: 'amplitudeBatch', path: '/batch', ...uploads },
    ],
    schemas: toSchemas(),
  };
}
