import type { ApiError } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { AMPLITUDE_FIELDS, toAmplitudeEvent } from '../../compat/amplitude.ts';
import type { IngestReport } from '../../engine/intake.ts';
import { BATCH_EVENTS_MAX, type Batch } from '../batch.ts';
import type { HttpResponse } from '../message.ts';
import type { Call } from '../operation.ts';
import { JSON_BATCH_TYPES, type BatchText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { fieldOfRefusal, withInsertId } from './identified.ts';
import { findEnvelope, findText } from './members.ts';
import { secretOfChase } from './own.ts';
import type { Protocol, Refused } from './protocol.ts';

/** The events of a request of Amplitude's SDKs. */
interface AmplitudeBatch extends Batch {
  /** Whether each event that was read has a time and an id, so that it is recognised when it comes again. */
  isIdentified(): boolean;
}

/** The protocol of Amplitude's SDKs. */
export function amplitudeProtocol(runtime: Pick<Runtime, 'sha256' | 'now'>): Protocol<AmplitudeBatch> {
  async function find({ text }: BatchText, _call: Call, pacer: Pacer): Promise<AmplitudeBatch> {
    let isIdentified = true;
    const batch = await findEnvelope(
      text,
      {
        member: 'events',
        eventsMax: BATCH_EVENTS_MAX,
        shared: ({ client_upload_time }) => ({ client_upload_time }),
        toEvent: (message, shared) => {
          const identified = toAmplitudeEvent(message, shared);
          if (identified.identity === undefined) isIdentified = false;
          return withInsertId(identified, 'amp', runtime);
        },
      },
      pacer,
    );
    return { ...batch, isIdentified: () => isIdentified };
  }

  /**
   * A 400 that names events makes the SDKs drop these and send the others again, which are then duplicates.
   * Without an id the others would be stored twice, so their sender is told that they are stored.
   */
  function answer(report: IngestReport, call: Call, batch: AmplitudeBatch): HttpResponse {
    const { accepted, duplicates, rejected } = report;
    const stored = {
      ...{ code: 200, events_ingested: accepted + duplicates, payload_size_bytes: batch.bytes },
      server_upload_time: runtime.now(),
    };
    if (rejected.length === 0) return jsonResponse(call, JSON.stringify(stored));
    if (!batch.isIdentified()) return jsonResponse(call, JSON.stringify({ ...stored, ...invalidOf(report) }));
    const [{ index, error }] = rejected as [IngestReport['rejected'][number]];
    const refused = { code: 400, error: `events[${index}]: ${error}`, ...invalidOf(report) };
    return jsonResponse(call, JSON.stringify(refused), 400);
  }

  return {
    secretOf: secretOfChase,
    types: JSON_BATCH_TYPES,
    secretIn: ({ text }, _call, pacer) => findText(text, 'api_key', pacer),
    find,
    answer,
    refusal,
  };
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

function refusal(error: ApiError, _call: Call, { report, batch }: Refused<AmplitudeBatch>): object {
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
