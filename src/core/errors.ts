import { hideCredentials } from './access/credentials.ts';

/**
 * The one table of errors. Every refusal that a caller can meet is a row here; the README prints this table
 * and a test proves the two equal. `text` is what the body `{"error": text}` says, word by word, unless
 * `varies` is set: then the thrower says where the request is wrong and what would be right, and `text` is
 * the pattern that such a message follows.
 */
export const ERRORS = {
  invalidDate: { status: 400, varies: false, text: 'Invalid date format. Use YYYY-MM-DD format.' },
  invalidRequest: { status: 400, varies: true, text: '<where>: <what would be right>, got <what came>' },
  notJson: { status: 400, varies: true, text: 'The body is not valid JSON: <where>' },
  unreadableBody: { status: 400, varies: true, text: 'The body cannot be read: <why>' },
  nothingAccepted: {
    status: 400,
    varies: true,
    text: 'No event was accepted; the first reason: events[<index>]: <why>',
  },
  missingKey: { status: 401, varies: false, text: 'Missing X-API-Key header' },
  invalidKey: { status: 401, varies: false, text: 'Invalid API key or insufficient permissions' },
  invalidSecret: {
    status: 401,
    varies: false,
    text: 'Missing or invalid secret key. Send the header Authorization: Chase <SECRET_KEY>.',
  },
  invalidToken: {
    status: 401,
    varies: false,
    text: 'Missing or invalid access token. Send the header Authorization: Bearer <ACCESS_TOKEN>.',
  },
  planTooLow: {
    status: 403,
    varies: false,
    text: 'The Query API requires the Builder plan or higher. Upgrade your plan to get access.',
  },
  tenantNotFound: { status: 404, varies: false, text: 'Tenant not found' },
  routeNotFound: { status: 404, varies: false, text: 'Not found' },
  methodNotAllowed: { status: 405, varies: true, text: 'Method not allowed. Use <methods>.' },
  requestTimeout: { status: 408, varies: false, text: 'The request did not arrive in time.' },
  conflict: { status: 409, varies: true, text: '<what> exists already' },
  bodyTooLarge: { status: 413, varies: true, text: 'The body is too large: at most <n> bytes' },
  unsupportedMediaType: {
    status: 415,
    varies: true,
    text: '<header>: <what would be right>, got <what came>',
  },
  rateLimited: { status: 429, varies: false, text: 'Rate limit exceeded. Upgrade for higher limits.' },
  headersTooLarge: { status: 431, varies: false, text: 'The request headers are too large.' },
  internal: { status: 500, varies: false, text: 'Internal server error' },
  unavailable: { status: 503, varies: false, text: 'The service is temporarily unavailable. Retry later.' },
  overloaded: { status: 503, varies: false, text: 'The server is overloaded. Retry later.' },
} as const satisfies Record<string, { status: number; varies: boolean; text: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ApiErrorOptions {
  /** Headers that belong on the answer, for instance `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong underneath. It is for the log and never leaves in an answer. */
  readonly cause?: unknown;
}

/**
 * A refusal that the caller may read: `message` is the text of the answer and names no engine, path or other
 * tenant.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, text: string = ERRORS[code].text, options: ApiErrorOptions = {}) {
    super(hideCredentials(text), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.headers = options.headers ?? {};
  }
}

/**
 * Whether a value is an ApiError of any copy of this package: `instanceof` would miss the twin that the
 * CommonJS build carries when an application loads both builds.
 */
export function isApiError(value: unknown): value is ApiError {
  return value instanceof Error && value.name === 'ApiError' && 'status' in value && 'code' in value;
}

/** A 400 that says where the request is wrong and what would be right. */
export function invalid(where: string, problem: string): ApiError {
  return new ApiError('invalidRequest', `${where}: ${problem}`);
}

/** The store is away or cannot take this now: 503 with `Retry-After`. The cause goes to the log only. */
export function unavailable(cause: unknown, retryAfterSeconds = 1): ApiError {
  return new ApiError('unavailable', undefined, {
    cause,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/**
 * Nobody waits for the answer any more. It is no ApiError, because nobody is there to read it, and no fault:
 * no log speaks of it.
 */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

/** What work throws whose signal is aborted. */
export function aborted(): AbortedError {
  return new AbortedError('Nobody waits for the result any more.');
}
