import { invalid } from '../base/errors.ts';
import { quote } from '../event/text.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type { Service } from '../access/service.ts';
import { readJsonText } from './request.ts';
import { addLimitHeaders, type Headers } from './response.ts';
import type { Target } from './target.ts';

/** A request on its way through the API, and what is known of its answer so far. */
export interface Call {
  readonly request: HttpRequest;
  readonly target: Target;
  /** The tenant of the path; empty where the path has none. */
  readonly alias: string;
  /**
   * The headers of the answer. Every step adds what it knows, so that a refusal carries it as well.
   */
  readonly headers: Headers;
}

/** What is done on one route; who needs nobody's leave takes no `admit`. Throws ApiError. */
export type Operation = (call: Call, authorize: Authorize) => HttpResponse | Promise<HttpResponse>;

/** A question that was admitted, and counted. */
export interface Asked<Q> {
  readonly tenantId: string;
  readonly asked: Q;
  /** Judges once more who asks, for an answer that takes its time to leave. Throws ApiError 401. */
  readonly confirm: () => Promise<void>;
  /** Takes the token of a question that is counted later. Throws ApiError 401 and 429. */
  readonly take: () => Promise<void>;
}

/** What some questions have that others have not. */
export interface AdmitOptions {
  /** Whether the query string belongs to it. */
  readonly hasParameters?: boolean;
  /** Whether it takes no token, or takes one later. */
  readonly isFree?: boolean;
}

/** Judges who asks, then reads what is asked, then takes a token: a refusal costs none. */
export type Authorize = <Q>(
  call: Call,
  parse: (text: string) => Q,
  options?: AdmitOptions,
) => Promise<Asked<Q>>;

/**
 * A question about a tenant's events: the same of the Query API and of the Admin API, which admit in ways of
 * their own. Throws ApiError.
 */
export type Question = (call: Call, authorize: Authorize) => Promise<HttpResponse>;

/** Makes the one way to ask the Query API: `parse` gets the body's text, an empty one of a GET. */
export function createAuthorize(service: Service): Authorize {
  return async (call, parse, { hasParameters = false, isFree = false } = {}) => {
    const { request, target, alias, headers } = call;
    const grant = await service.authorize({ apiKey: request.header('x-api-key'), alias });
    const { tenantId } = grant;
    request.admit?.(tenantId);
    let asked: ReturnType<typeof parse>;
    try {
      if (!hasParameters) refuseParameters(target.queryString);
      asked = parse(request.method === 'GET' ? '' : await readJsonText(request, tenantId));
    } catch (error) {
      return grant.refuse(error);
    }
    const take = async () => addLimitHeaders(headers, await grant.take());
    if (isFree) addLimitHeaders(headers, await grant.look());
    else await take();
    return { tenantId, asked, confirm: grant.confirm, take };
  };
}

/**
 * Refuses query parameters where there are none: one that were ignored would be a filter that silently does
 * nothing.
 */
export function refuseParameters(queryString: string): void {
  if (queryString === '') return;
  throw invalid(
    'query string',
    `takes no parameters, got ${quote(queryString)}; filters go into the body of a POST`,
  );
}
