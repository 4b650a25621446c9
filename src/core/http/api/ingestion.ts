import { networkOf } from '../../bounds/network.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { ApiError } from '../../base/errors.ts';
import { NO_LABELS, type Meter } from '../../base/metrics.ts';
import type { HttpRequest, HttpResponse } from '../message.ts';
import type { Credentials, Ingestion, Service } from '../../access/service.ts';
import { userOfBasic } from '../basic.ts';
import { findBatch, type Batch } from '../batch.ts';
import { letPagesRead } from '../dispatch.ts';
import type { Call } from '../operation.ts';
import { BATCH_TYPES, JSON_BATCH_TYPES, readBatchText, type BatchType } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { findSegmentBatch } from '../segment-batch.ts';

interface IngestionOptions {
  readonly service: Service;
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly meter: Meter;
}

/** What differs between the protocols in which events are sent. */
interface Protocol {
  /** The content types of a body, and their formats. */
  readonly types: Readonly<Record<string, BatchType>>;
  /** The secret key in an `Authorization` header; undefined where it holds none. */
  readonly secretOf: (authorization: string) => string | undefined;
  /** Finds the events in a body. Throws ApiError: 400, 413. */
  readonly find: (text: string, type: BatchType, call: Call, pacer: Pacer) => Promise<Batch>;
}

const CHASE_PATTERN = /^Chase +(\S+)$/i;
const BEARER_PATTERN = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The protocol of this API. */
const OWN: Protocol = {
  types: BATCH_TYPES,
  secretOf: (authorization) => CHASE_PATTERN.exec(authorization)?.[1],
  find: (text, type, _call, pacer) => findBatch(text, type, pacer),
};

/** The protocol of Segment's SDKs, whose write key is the user name of Basic credentials. */
const SEGMENT: Protocol = {
  types: JSON_BATCH_TYPES,
  secretOf: (authorization) => userOfBasic(authorization) ?? OWN.secretOf(authorization),
  find: (text, _type, { parameter }, pacer) => findSegmentBatch(text, parameter, pacer),
};

/** Makes the operations that store batches of events, and those that the SDKs ask beside. */
export function createIngestion({ service, operations, scheduler, meter }: IngestionOptions) {
  /** Stores a batch of events. Throws ApiError. */
  async function receive(call: Call, protocol: Protocol): Promise<HttpResponse> {
    const { request, notes } = call;
    const ingestion = await findIngestion(service, call);
    const grant = await ingestion.authorize(readCredentials(request, protocol));
    request.admit?.(grant.tenantId);
    notes.keyId = grant.keyId;
    notes.tenantId = grant.tenantId;
    const { text, type } = await readBatchText(request, grant.tenantId, protocol.types);
    const batch = await scheduler.run(grant.tenantId, request.signal, (pacer) =>
      protocol.find(text, type, call, pacer),
    );
    meter.count('event_query_ingest_bytes_total', NO_LABELS, batch.bytes, grant.tenantId);
    await grant.take(batch.length, batch.bytes);
    const idempotencyKey = request.header('idempotency-key');
    const options = { userId: grant.userId, idempotencyKey, signal: request.signal };
    const report = await operations.append(grant.tenantId, batch.events(), options);
    const { accepted, duplicates, rejected } = report;
    notes.batch = { accepted, duplicates, rejected: rejected.length };
    const [first] = rejected;
    if (first !== undefined && accepted + duplicates === 0) {
      throw new ApiError('nothingAccepted', [first.index, first.error]);
    }
    return jsonResponse(call, JSON.stringify(report));
  }

  return {
    ingest: (call: Call) => receive(call, OWN),
    segment: (call: Call) => receive(call, SEGMENT),
    segmentMetrics: async (call: Call) => {
      await findIngestion(service, call);
      return jsonResponse(call, '{"success":true}');
    },
    segmentSettings: async (call: Call) => {
      await findIngestion(service, call);
      return jsonResponse(call, JSON.stringify(segmentSettings(call)));
    },
  };
}

/**
 * What Segment's web SDK needs to send to this tenant: the address below which it asks for the calls. It is
 * told to count nothing of itself, which it would send to Segment.
 */
function segmentSettings({ request, alias, parameter }: Call): object {
  const apiHost = `${request.header('host') ?? ''}/v1/segment/${alias}/v1`;
  return {
    integrations: { 'Segment.io': { apiKey: parameter, apiHost } },
    metrics: { host: apiHost, sampleRate: 0 },
  };
}

/**
 * Finds how the tenant of the path takes events in. From here on pages may read the answer, unless the tenant
 * takes events from servers only. Throws ApiError.
 */
export async function findIngestion(service: Service, call: Call): Promise<Ingestion> {
  try {
    const ingestion = await service.ingestion(call.alias);
    if (ingestion.isOpenToBrowsers) letPagesRead(call);
    return ingestion;
  } catch (error) {
    letPagesRead(call);
    throw error;
  }
}

/** The credentials in the `Authorization` header: a secret key or an access token. */
function readCredentials(request: HttpRequest, { secretOf }: Protocol): Credentials {
  const header = request.header('authorization') ?? '';
  const token = BEARER_PATTERN.exec(header)?.[1];
  if (token !== undefined) {
    return { token, bearer: { owner: networkOf(request.address ?? ''), signal: request.signal } };
  }
  const secret = secretOf(header);
  return secret === undefined ? {} : { secret };
}
