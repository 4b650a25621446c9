import type { HttpRequest, HttpResponse } from '../ports.ts';
import type { Headers } from './response.ts';
import type { Target } from './route.ts';

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
  /** Whether a page of another origin may read the answer. */
  isForBrowsers: boolean;
}

/** What is done on one route. Throws ApiError. */
export type Operation = (call: Call) => HttpResponse | Promise<HttpResponse>;
