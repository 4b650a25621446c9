import { networkOf } from '../../bounds/network.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { ApiError } from '../../base/errors.ts';
import { NO_LABELS, type Meter } from '../../base/metrics.ts';
import type { HttpRequest, HttpResponse } from '../message.ts';
import type { Credentials, Ingestion, Service } from '../../access/service.ts';
import { findBatch } from '../batch.ts';
import { letPagesRead } from '../dispatch.ts';
import type { Call } from '../operation.ts';
import { readBatchText } from '../request.ts';
import { jsonResponse } from '../response.ts';

interface IngestionOptions {
  readonly service: Service;
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly meter: Meter;
}

const CHASE_PATTERN = /^Chase +(\S+)$/i;
const BEARER_PATTERN = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Makes the operation that stores a batch of events. */
export function createIngestion({ service, operations, scheduler, meter }: IngestionOptions) {
  return {
    ingest: async (call: Call): Promise<HttpResponse> => {
      const { request, notes } = call;
      const ingestion = await findIngestion(service, call);
      const grant = await ingestion.authorize(readCredentials(request));
      request.admit?.(grant.tenantId);
      notes.keyId = grant.keyId;
      const { text, type } = await readBatchText(request, grant.tenantId);
      const batch = await scheduler.run(grant.tenantId, request.signal, (pacer) =>
        findBatch(text, type, pacer),
      );
      meter.count('event_query_ingest_bytes_total', NO_LABELS, batch.bytes);
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
    },
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
function readCredentials(request: HttpRequest): Credentials {
  const header = request.header('authorization') ?? '';
  const secret = CHASE_PATTERN.exec(header)?.[1];
  const token = BEARER_PATTERN.exec(header)?.[1];
  if (token === undefined) return secret === undefined ? {} : { secret };
  return { token, bearer: { owner: networkOf(request.address ?? ''), signal: request.signal } };
}
