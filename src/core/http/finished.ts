import { windowName } from '../access/plan.ts';
import { isAlias } from '../access/tenant.ts';
import type { BucketState } from '../base/token-bucket.ts';
import { hideCredentials } from '../base/credentials.ts';
import { aborted, isAborted, isApiError, type ErrorCode } from '../base/errors.ts';
import type { HttpRequest } from './message.ts';
import type { Headers } from './response.ts';
import type { Route } from './route.ts';

/** What the steps of a request find out about it on their way to the answer. */
export interface RequestNotes {
  /** The id of the tenant for which the request was let in. */
  tenantId?: string | undefined;
  /** The id of the existing tenant that a sender named, whether or not it was let in. */
  namedTenantId?: string | undefined;
  /** The id of the tenant that is told why its events were refused; undefined where none were to be kept. */
  sentToTenantId?: string | undefined;
  /** The id of the key, or of the administrator's session or key, that let the request in. */
  keyId?: string | undefined;
  /** How many rows the answer holds. It grows while an answer in pieces is made. */
  rows?: number | undefined;
  /** What became of a batch of events. */
  batch?:
    | {
        readonly accepted: number;
        readonly duplicates: number;
        readonly rejected: number;
        /** The bytes of the events' JSON, as limits count them. */
        readonly bytes: number;
      }
    | undefined;
  /** The question as it was parsed, or null where it has no body; undefined for what is no question. */
  asked?: unknown;
  /** What the request was refused with, or what broke off its answer. */
  error?: unknown;
}

/** The limit that refused a request: a window of its key's requests, or what its tenant may send. */
export type RefusingLimit = 'minute' | 'day' | 'ingestion';

/**
 * The record of a request that is over, made once: what the access log, the meter, traces, usage and the
 * ledger of refusals read. It says where a request was wrong and never what it held.
 */
export interface FinishedRequest {
  /** The id of the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** The id of the trace that the request belongs to; undefined where none is recorded. */
  readonly traceId: string | undefined;
  readonly method: string;
  /** The name of the route; `unknown` where no route has the path. */
  readonly operation: string;
  /** The path of the route, such as `/v1/events/{tenantId}/multi`; undefined where no route has the path. */
  readonly route: string | undefined;
  /** The alias of the path; undefined where it holds none. The tenant need not exist. */
  readonly tenant: string | undefined;
  /** The id of the key, or of the administrator's session or key; undefined where none was accepted. */
  readonly keyId: string | undefined;
  /** 499 where the client disconnected before the answer began. */
  readonly status: number;
  /** From the end of the wait to the end of the last piece of the answer, in milliseconds. */
  readonly durationMs: number;
  /** How long it waited for its first turn, in milliseconds; undefined if the transport cannot say. */
  readonly waitedMs: number | undefined;
  /** The events, names, properties or groups in the answer; undefined for an answer of another kind. */
  readonly rows: number | undefined;
  /** The bytes of the body that were read, as they were sent; undefined if the transport cannot say. */
  readonly bytesIn: number | undefined;
  /** The bytes of the answer's body that were made. */
  readonly bytesOut: number;
  /** What became of the events of a batch; undefined for other requests. */
  readonly accepted: number | undefined;
  readonly duplicates: number | undefined;
  readonly rejected: number | undefined;
  /** The limit that refused the request. */
  readonly limit: RefusingLimit | undefined;
  /** The code of the refusal; `aborted` where the client did not wait for the end of the answer. */
  readonly error: ErrorCode | 'aborted' | undefined;
  /** Where the request is wrong, such as `filterSet[0].value`. */
  readonly where: string | undefined;
}

/** A request whose answer is made, and how it ended. */
export interface Ending {
  readonly request: Pick<HttpRequest, 'method' | 'waitedMs' | 'bytesIn'>;
  /** The headers of the answer. */
  readonly headers: Headers;
  readonly route: Route | undefined;
  /** The tenant of the path, which need not be an alias. */
  readonly alias: string;
  readonly notes: RequestNotes;
  readonly status: number;
  readonly bytesOut: number;
  readonly durationMs: number;
  readonly traceId: string | undefined;
}

/** The most characters of `where` in a record: a client can make its keys long. */
const WHERE_LENGTH_MAX = 200;

/** Makes the record of a request that is over. */
export function toFinished(ending: Ending): FinishedRequest {
  const { request, headers, route, alias, notes, status, bytesOut, durationMs, traceId } = ending;
  const { keyId, rows, batch, error } = notes;
  const { waitedMs } = request;
  return {
    requestId: headers['X-Request-Id'] as string,
    traceId,
    method: request.method,
    operation: route?.name ?? 'unknown',
    route: route?.path,
    tenant: isAlias(alias) ? alias : undefined,
    keyId,
    status,
    durationMs: toHundredths(durationMs),
    waitedMs: waitedMs === undefined ? undefined : toHundredths(waitedMs),
    rows,
    bytesIn: request.bytesIn,
    bytesOut,
    accepted: batch?.accepted,
    duplicates: batch?.duplicates,
    rejected: batch?.rejected,
    ...toReason(error),
  };
}

/** Rounds to two digits after the point: more of them say nothing. */
export const toHundredths = (value: number): number => Math.round(value * 100) / 100;

function toReason(error: unknown): Pick<FinishedRequest, 'limit' | 'error' | 'where'> {
  if (error === undefined) return { limit: undefined, error: undefined, where: undefined };
  if (isAborted(error)) return { limit: undefined, error: 'aborted', where: undefined };
  if (!isApiError(error)) return { limit: undefined, error: 'internal', where: undefined };
  const { where } = error;
  return {
    limit: error.code === 'rateLimited' ? limitOf(error.limits) : undefined,
    error: error.code,
    where: where === undefined ? undefined : hideCredentials(where.slice(0, WHERE_LENGTH_MAX)),
  };
}

/** The limit that refused: the emptier window, and the longer one of two that are equally empty. */
function limitOf(limits: BucketState | null): RefusingLimit {
  // Only the requests of keys state their limits.
  if (limits === null) return 'ingestion';
  const [first, ...others] = limits.windows;
  let found = first!;
  for (const window of others) {
    const isEmptier = window.remaining < found.remaining;
    if (isEmptier || (window.remaining === found.remaining && window.windowMs > found.windowMs))
      found = window;
  }
  return windowName(found);
}

/**
 * A body in pieces that says, when it ends, how many bytes it had and what broke it off. Each piece is made
 * when it is asked for.
 */
export async function* watched(
  body: AsyncIterable<string>,
  lengthOf: (text: string) => number,
  ended: (bytes: number, error: unknown) => void,
): AsyncGenerator<string, void> {
  let bytes = 0;
  let isWhole = false;
  let error: unknown;
  try {
    for await (const piece of body) {
      bytes += lengthOf(piece);
      yield piece;
    }
    isWhole = true;
  } catch (cause) {
    error = cause;
    throw cause;
  } finally {
    ended(bytes, isWhole ? undefined : (error ?? aborted()));
  }
}
