import { ApiError, invalid } from '../base/errors.ts';
import type { EventOperations } from '../engine/engine.ts';
import { onlyReadable, type OperationsOnSome } from '../engine/readable.ts';
import { quote } from '../event/text.ts';
import type { RequestNotes } from './finished.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type { Service } from '../access/service.ts';
import { negotiate, type Offer } from './accept.ts';
import { readJsonText } from './request.ts';
import { addLimitHeaders } from './response.ts';
import type { Target } from './target.ts';

/** A request whose route is found, and the headers of its answer so far. */
export interface RoutedRequest {
  /** The request as the transport has it. */
  readonly request: HttpRequest;
  /** Its path and its query string. */
  readonly target: Target;
  /** The tenant of the path; empty where the path has none. */
  readonly alias: string;
  /** The parameter of the path after the tenant; empty where the path has none. */
  readonly parameter: string;
  /** The headers of the answer. Every step adds its own, so that a refusal carries them as well. */
  readonly headers: Record<string, string | readonly string[]>;
}

/** A request in progress, and the part of its answer that is known so far. */
export interface Call extends RoutedRequest {
  /** What every step finds out for the record of the finished request. */
  readonly notes: RequestNotes;
}

/** The operation behind one route. A public one ignores `authorize`. Throws ApiError. */
export type Operation = (call: Call, authorize: Authorize) => HttpResponse | Promise<HttpResponse>;

/** An authorized question. */
export interface Asked<Q> {
  readonly tenantId: string;
  readonly asked: Q;
  /** The operations on the events that the caller reads. */
  readonly operations: OperationsOnSome;
  /** Authenticates the caller again, for an answer that takes long to send. Throws ApiError 401. */
  readonly confirm: () => Promise<void>;
  /** Takes the rate limit token of a question that `isFree` left uncounted. Throws ApiError 401 and 429. */
  readonly take: () => Promise<void>;
}

/** The ways in which some questions differ from others. */
export interface AdmitOptions {
  /** Whether the question takes parameters in the query string. */
  readonly hasParameters?: boolean;
  /** Whether the question takes no rate limit token, or takes one later. */
  readonly isFree?: boolean;
  /** Whether the question itself judges `Accept`. The answer to any other is JSON. */
  readonly takesAnyAccept?: boolean;
  /**
   * Says what of the answer tells of all events of the tenant, as the first words of a sentence; undefined
   * for nothing. Of what it names, a key that reads only some events is refused.
   */
  readonly ofAll?: () => string | undefined;
}

const JSON_ALONE: readonly Offer[] = [{ type: 'application/json', parameters: { charset: ['utf-8'] } }];

/**
 * Authorizes the caller, then reads and parses the body, then takes a rate limit token. A refused request
 * takes no token. Throws ApiError.
 */
export type Authorize = <Q>(
  call: Call,
  parse: (text: string) => Q,
  options?: AdmitOptions,
) => Promise<Asked<Q>>;

/**
 * A question about a tenant's events. The Query API and the Admin API share it; each passes its own
 * `authorize`. Throws ApiError.
 */
export type Question = (call: Call, authorize: Authorize) => Promise<HttpResponse>;

/** Makes the `Authorize` of the Query API. `parse` receives the text of the body, empty for a GET. */
export function createAuthorize(service: Service, all: EventOperations): Authorize {
  return async (call, parse, options = {}) => {
    const { hasParameters = false, isFree = false, takesAnyAccept = false, ofAll } = options;
    const { request, target, alias, headers, notes } = call;
    const grant = await service.authorize({ apiKey: request.header('x-api-key'), alias });
    const { tenantId } = grant;
    notes.keyId = grant.keyId;
    notes.tenantId = tenantId;
    request.admit?.(tenantId);
    let asked: ReturnType<typeof parse>;
    try {
      const toldOfAll = grant.readable && ofAll?.();
      if (toldOfAll !== undefined) throw new ApiError('partialKey', [toldOfAll]);
      if (!takesAnyAccept) negotiate(request.header('accept'), JSON_ALONE);
      if (!hasParameters) refuseParameters(target.queryString);
      asked = parse(request.method === 'GET' ? '' : await readJsonText(request, tenantId));
    } catch (error) {
      return grant.refuse(error);
    }
    notes.asked = asked ?? null;
    const take = async () => addLimitHeaders(headers, await grant.take());
    if (isFree) addLimitHeaders(headers, await grant.look());
    else await take();
    const operations = grant.readable === undefined ? all : onlyReadable(all, grant.readable);
    return { tenantId, asked, operations, confirm: grant.confirm, take };
  };
}

/**
 * Refuses query parameters on routes that take none: an ignored parameter would be a filter that silently
 * does nothing. Throws ApiError 400.
 */
export function refuseParameters(queryString: string): void {
  if (queryString === '') return;
  throw invalid(
    'query string',
    `takes no parameters, got ${quote(queryString)}; filters go into the body of a POST`,
  );
}
