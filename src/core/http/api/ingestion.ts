import { isSecret } from '../../access/key.ts';
import type { Credentials, Ingestion, Service } from '../../access/service.ts';
import { ApiError, isApiError } from '../../base/errors.ts';
import { NO_LABELS, type Meter } from '../../base/metrics.ts';
import { reserveOrThrow, type MemoryBudget } from '../../bounds/memory-budget.ts';
import { networkOf } from '../../bounds/network.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { nothingAccepted } from '../../engine/intake.ts';
import type { Batch } from '../batch.ts';
import { letPagesRead } from '../dispatch.ts';
import { fieldOf } from '../form.ts';
import type { HttpResponse } from '../message.ts';
import type { Call } from '../operation.ts';
import type { FindingTools, Refused, WireFormat } from '../protocol.ts';
import { INGEST_BODY_BYTES_MAX, KEYED_BODY_BYTES_MAX, readBatchText, type BatchText } from '../request.ts';
import { errorResponse, jsonResponse } from '../response.ts';
import { readDryRun } from './dry-run.ts';

export interface IngestionOptions {
  readonly service: Service;
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
  readonly meter: Meter;
  readonly runtime: FindingTools['runtime'];
}

/** Receives a batch of events in a format, and stores it. Throws ApiError. */
export type Receive = <B extends Batch>(call: Call, format: WireFormat<B>) => Promise<HttpResponse>;

const BEARER_PATTERN = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** What is known of a request as it goes on, in case it is refused. */
type Noted<B extends Batch> = {
  -readonly [K in keyof Refused<B>]: Refused<B>[K];
};

/** A request whose tenant is found. */
interface Taking<B extends Batch> {
  readonly call: Call;
  readonly format: WireFormat<B>;
  readonly ingestion: Ingestion;
  readonly dryRun: boolean;
}

/** A body whose JSON is at hand. */
interface ReadWhole {
  readonly body: BatchText;
  /** Releases the memory that it takes besides the body as it was sent. */
  readonly release: () => void;
}

/** Makes the function by which every format is stored. */
export function createReceive(options: IngestionOptions): Receive {
  const { service, operations, scheduler, memory, meter, runtime } = options;

  /** Stores a batch of events. From here on, the tenant is told why it is refused. Throws ApiError. */
  async function store<B extends Batch>(
    call: Call,
    format: WireFormat<B>,
    refused: Noted<B>,
  ): Promise<HttpResponse> {
    const ingestion = await findIngestion(service, call);
    const dryRun = readDryRun(call.target.queryString);
    if (!dryRun) call.notes.sentToTenantId = ingestion.tenantId;
    return take({ call, format, ingestion, dryRun }, refused);
  }

  async function take<B extends Batch>(
    { call, format, ingestion, dryRun }: Taking<B>,
    refused: Noted<B>,
  ): Promise<HttpResponse> {
    const { request, notes } = call;
    const given = readCredentials(call, format);
    const apiKey = request.header('x-api-key');
    // Two different keys leave open who sends.
    if (ingestion.needsSecret && apiKey !== undefined && given.secret !== apiKey)
      throw new ApiError('invalidSecret');
    const isKeyless = given.secret === undefined && given.writeKey === undefined;
    const keyed = ingestion.needsSecret && isKeyless ? await readKeyed(call, format) : null;
    let read = keyed?.read;
    try {
      const grant = await ingestion.authorize(keyed?.credentials ?? given);
      request.admit?.(grant.tenantId);
      notes.keyId = grant.keyId;
      notes.tenantId = grant.tenantId;
      read ??= await readWhole(call, format, INGEST_BODY_BYTES_MAX, grant.tenantId);
      const { body } = read;
      const batch = await scheduler.run(grant.tenantId, request.signal, (pacer) =>
        format.find(body, call, { pacer, runtime }),
      );
      refused.batch = batch;
      if (!dryRun) meter.count('event_query_ingest_bytes_total', NO_LABELS, batch.bytes, grant.tenantId);
      await grant.take(batch.length, batch.bytes);
      const idempotencyKey = request.header('idempotency-key');
      const { userId, eventNames, isAnonymous: anonymous } = grant;
      const asked = { userId, eventNames, anonymous, idempotencyKey, dryRun, signal: request.signal };
      const report = await operations.append(grant.tenantId, batch.events(), asked);
      if (dryRun) return jsonResponse(call, JSON.stringify(report));
      const { accepted, duplicates, rejected } = report;
      notes.batch = { accepted, duplicates, rejected: rejected.length, bytes: batch.bytes };
      const refusal = nothingAccepted(report);
      if (refusal !== undefined) {
        refused.report = report;
        throw refusal;
      }
      return format.answer?.(report, call, batch) ?? jsonResponse(call, JSON.stringify(report));
    } finally {
      read?.release();
    }
  }

  /** Reads a body, and takes out of it what it wraps; both count for `owner`. Throws ApiError. */
  async function readWhole<B extends Batch>(
    call: Call,
    format: WireFormat<B>,
    bytesMax: number,
    owner: string,
  ): Promise<ReadWhole> {
    const sent = await readBody(call, format, bytesMax, owner);
    const beside = memory.reservation(owner);
    try {
      reserveOrThrow(beside, format.bytesBeside?.(sent, call) ?? 0);
      const { unwrap } = format;
      const { signal } = call.request;
      const body =
        unwrap === undefined
          ? sent
          : await scheduler.run(owner, signal, (pacer) => unwrap(sent, call, pacer));
      return { body, release: () => beside.release() };
    } catch (error) {
      beside.release();
      throw error;
    }
  }

  /**
   * Reads a body whose sender is unknown, to find the secret key in it; null where the format has none
   * there. All of it counts for the client's network.
   */
  async function readKeyed<B extends Batch>(
    call: Call,
    format: WireFormat<B>,
  ): Promise<{
    readonly read: ReadWhole;
    readonly credentials: Credentials;
  } | null> {
    const { secretIn } = format;
    if (secretIn === undefined) return null;
    const { request } = call;
    const network = networkOf(request.address ?? '');
    const read = await readWhole(call, format, KEYED_BODY_BYTES_MAX, network);
    const find = (pacer: Pacer) => secretIn(read.body, call, pacer);
    try {
      const secret = await scheduler.run(network, request.signal, find);
      if (secret === undefined) return { read, credentials: {} };
      // The address of a GET stands for its body, and addresses are logged: no secret counts there.
      return {
        read,
        credentials: request.method === 'GET' ? { writeKey: secret } : { secret },
      };
    } catch (error) {
      read.release();
      throw error;
    }
  }

  return async <B extends Batch>(call: Call, format: WireFormat<B>) => {
    const refused: Refused<B> = {};
    try {
      return await store(call, format, refused);
    } catch (error) {
      const isOwn = format.statusOf === undefined && format.refusal === undefined;
      if (isOwn || !isApiError(error) || error.status >= 500) throw error;
      call.notes.error = error;
      const answer = errorResponse(error, call.headers, format.refusal?.(error, call, refused));
      return { ...answer, status: format.statusOf?.(error, call) ?? answer.status };
    }
  };
}

/**
 * Finds how the tenant of the path takes events in. From here on pages may read the answer, unless the tenant
 * takes events from servers only, and what is refused counts as refused to the tenant. Throws ApiError.
 */
export async function findIngestion(service: Service, call: Call): Promise<Ingestion> {
  try {
    const ingestion = await service.ingestion(call.alias, call.request.header('origin'));
    call.notes.namedTenantId = ingestion.tenantId;
    if (ingestion.isOpenToBrowsers) letPagesRead(call);
    return ingestion;
  } catch (error) {
    letPagesRead(call);
    throw error;
  }
}

/** The body of a request; the query string of a GET, which has none. Throws ApiError: 400, 413, 415. */
async function readBody<B extends Batch>(
  { request, target }: Call,
  { types }: WireFormat<B>,
  bytesMax: number,
  owner: string,
): Promise<BatchText> {
  if (request.method === 'GET') return { text: target.queryString, type: 'json' };
  return readBatchText(request, types, bytesMax, owner);
}

/**
 * The credentials outside the body: an access token or a key as the format has it, or a public write key in
 * the address, since a page sets no headers of a beacon.
 */
export function readCredentials<B extends Batch>(call: Call, { secretOf }: WireFormat<B>): Credentials {
  const { request, target } = call;
  const token = BEARER_PATTERN.exec(request.header('authorization') ?? '')?.[1];
  const secret =
    token !== undefined && isSecret(token, 'ingest') ? token : (secretOf?.(call) ?? secretOfChase(call));
  if (token !== undefined && secret !== token) {
    return { token, bearer: { owner: networkOf(request.address ?? ''), signal: request.signal } };
  }
  if (secret !== undefined) return { secret };
  const writeKey = fieldOf(target.queryString, 'writeKey');
  return writeKey === undefined ? {} : { writeKey };
}

const CHASE_PATTERN = /^Chase +(\S+)$/i;

/** The key in a header `Authorization: Chase <KEY>` or `X-API-Key`, which senders of any format may use. */
function secretOfChase({ request }: Call): string | undefined {
  return CHASE_PATTERN.exec(request.header('authorization') ?? '')?.[1] ?? request.header('x-api-key');
}
