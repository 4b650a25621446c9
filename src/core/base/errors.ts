import type { IndexProgress } from './signal.ts';
import { hideCredentials } from './credentials.ts';
import type { BucketState } from './token-bucket.ts';

/** What varies in the text of an error. */
type Word = string | number | undefined;

/** A row of the table of errors: a status and a template of the text. */
export interface ErrorRow<A extends readonly Word[]> {
  readonly status: number;
  /** Makes the text of the answer from the words that vary in it. */
  readonly text: (...words: A) => string;
  /** The text for documentation, with names in angle brackets for the words that vary. */
  readonly pattern: string;
}

function fixed(status: number, text: string): ErrorRow<[]> {
  return { status, text: () => text, pattern: text };
}

function varying<A extends readonly Word[]>(
  status: number,
  text: (...words: A) => string,
  names: NoInfer<A>,
): ErrorRow<A> {
  return { status, text, pattern: text(...names) };
}

/**
 * The one table of errors. Every refusal that a caller can receive is a row here, and its text is written
 * nowhere else. The README prints this table, and a test compares the two. `text` makes the exact text of the
 * body `{"error": text}`.
 */
export const ERRORS = {
  invalidDate: fixed(400, 'Invalid date format. Use YYYY-MM-DD format.'),
  invalidRequest: varying(400, (where: string, problem: string) => `${where}: ${problem}`, [
    '<where>',
    '<what would be right>, got <what came>',
  ]),
  notJson: varying(400, (where: string) => `The body is not valid JSON: ${where}`, ['<where>']),
  unreadableBody: varying(400, (why: string) => `The body cannot be read: ${why}`, ['<why>']),
  nothingAccepted: varying(
    400,
    (index: Word, why: string) => `No event was accepted; the first reason: events[${index}]: ${why}`,
    ['<index>', '<why>'],
  ),
  missingKey: fixed(401, 'Missing X-API-Key header'),
  invalidKey: fixed(401, 'Invalid API key or insufficient permissions'),
  invalidSecret: fixed(
    401,
    'Missing or invalid secret key. Send the header Authorization: Chase <SECRET_KEY>.',
  ),
  invalidWriteKey: fixed(
    401,
    'Invalid write key. It is a public write key of this tenant, neither revoked nor expired.',
  ),
  invalidToken: fixed(
    401,
    'Missing or invalid access token. Send the header Authorization: Bearer <ACCESS_TOKEN>.',
  ),
  notSignedIn: fixed(401, 'Not signed in, or the session has ended. Sign in again.'),
  otherSession: fixed(401, 'Another session began in this browser. Load the page again.'),
  linkSpent: fixed(401, 'This sign-in link was used or has expired. Create a new one.'),
  loginLost: fixed(401, 'This sign-in link is invalid, was used or has expired. Sign in again.'),
  signInRefused: varying(401, (why: string) => `The identity provider did not sign you in: ${why}`, [
    '<why>',
  ]),
  noRole: varying(
    403,
    (claim: string, values: string) =>
      `Your account has no role here. Its claim ${claim} holds ${values === '' ? 'nothing' : values}.`,
    ['<claim>', '<values>'],
  ),
  originRefused: fixed(403, 'The write key is not valid for the origin of this request.'),
  roleTooLow: fixed(403, 'Your role does not allow this.'),
  crossSite: fixed(403, 'This request did not come from the dashboard.'),
  planTooLow: fixed(
    403,
    'The Query API requires the Builder plan or higher. Upgrade your plan to get access.',
  ),
  partialKey: varying(
    403,
    (what: string) => `This API key reads only some events. ${what} takes a key that reads all of them.`,
    ['<what>'],
  ),
  tenantNotFound: varying(
    404,
    // The text has the name only on the command line, where the owner asked for the tenant by name.
    (alias?: string) => (alias === undefined ? 'Tenant not found' : `Tenant not found: ${alias}`),
    [],
  ),
  routeNotFound: varying(
    404,
    (hint?: string) => (hint === undefined ? 'Not found' : `Not found. ${hint}`),
    [],
  ),
  methodNotAllowed: varying(405, (methods: string) => `Method not allowed. Use ${methods}.`, ['<methods>']),
  notAcceptable: varying(406, (takes: string, got: string) => `Accept: can be ${takes}, got ${got}`, [
    '<what can be answered>',
    '<what came>',
  ]),
  requestTimeout: fixed(408, 'The request did not arrive in time.'),
  conflict: varying(409, (what: string) => `${what} already exists`, ['<what>']),
  tooManyKeys: varying(
    409,
    (keysMax: string) => `The tenant has ${keysMax} live keys, the maximum. Revoke one first.`,
    ['<n>'],
  ),
  bodyTooLarge: varying(413, (bytesMax: Word) => `The body is too large: at most ${bytesMax} bytes`, ['<n>']),
  unsupportedMediaType: varying(
    415,
    (header: string, takes: string, got: string) => `${header}: takes ${takes}, got ${got}`,
    ['<header>', '<what would be right>', '<what came>'],
  ),
  misdirected: fixed(
    421,
    'The dashboard is available at localhost, at 127.0.0.1 and at the URL of --dashboard-url only.',
  ),
  oldHttp: fixed(
    426,
    'An answer over HTTP/1.0 may break off unseen. Ask by HTTP/1.1 (nginx: proxy_http_version 1.1), or ' +
      'send Accept with the parameter end=present: the last line then says that it is the last.',
  ),
  rateLimited: fixed(429, 'Rate limit exceeded. Upgrade for higher limits.'),
  tooManyChanges: fixed(429, 'Too many changes at once. Wait a moment, then continue.'),
  tooManyAtOnce: fixed(429, 'Too many requests at once. Wait for a response first.'),
  signInBusy: fixed(429, 'Too many sign-ins at once. Try again in a moment.'),
  headersTooLarge: fixed(431, 'The request headers are too large.'),
  internal: fixed(500, 'Internal server error'),
  notSupported: varying(501, (what: string) => `This store cannot ${what}.`, ['<what was asked>']),
  unavailable: fixed(503, 'The service is temporarily unavailable. Retry later.'),
  indexing: varying(
    503,
    (indexed: Word, of: Word, seconds: Word) =>
      `The index of this tenant is being built: ${indexed} of ${of} events. Ask again in ${seconds} s.`,
    ['<n>', '<m>', '<s>'],
  ),
  overloaded: fixed(503, 'The server is overloaded. Retry later.'),
  slow: fixed(503, 'The server is overloaded: requests wait longer than a second.'),
};

/** The name of a row of the table of errors. */
export type ErrorCode = keyof typeof ERRORS;

/** What varies in the text of an error. */
export type ErrorWords<C extends ErrorCode> = Parameters<(typeof ERRORS)[C]['text']>;

/** What an ApiError may carry besides its text. */
export interface ApiErrorOptions {
  /** Headers that belong on the answer, for instance `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error. It goes to the log and never into an answer. */
  readonly cause?: unknown;
  /** Whether the log has a recent entry about the same cause, so that it needs no other. */
  readonly logged?: boolean;
  /** The caller's limits, which the headers of the answer state. */
  readonly limits?: BucketState;
}

/**
 * A refusal that callers may read: `message` is the answer, and names no engine, path or other tenant.
 *
 * @see RFC 9110, section 15, for what each `status` means.
 * @example
 * ```ts
 * import { ApiError, isApiError } from 'event-query';
 *
 * const error: unknown = new ApiError('tenantNotFound', ['shop']);
 * if (isApiError(error)) console.log(error.status, error.code, error.message);
 * // prints: 404 tenantNotFound Tenant not found: shop
 * ```
 */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ApiError';
  /** The name of its row in the table of errors. */
  readonly code: C;
  /** The status code of the answer. */
  readonly status: number;
  /** Headers that belong on the answer; empty for none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the log has a recent entry about the same cause, so that it needs no other. */
  readonly logged: boolean;
  /** Where the request is wrong, such as `pagination.size`; undefined where the error names no place. */
  readonly where: string | undefined;
  /** The caller's limits, which the headers of the answer state; null where they are unknown or absent. */
  limits: BucketState | null;

  /** `words` fill the template of the row `code`; most rows need none. */
  constructor(code: C, ...[words, options = {}]: ErrorArguments<C>) {
    const text = (ERRORS[code].text as (...words: readonly Word[]) => string)(...(words ?? []));
    super(hideCredentials(text), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.headers = options.headers ?? {};
    this.logged = options.logged ?? false;
    this.where = whereOf(code, words?.[0]);
    this.limits = options.limits ?? null;
  }
}

function whereOf(code: ErrorCode, word: Word): string | undefined {
  if (code === 'nothingAccepted') return `events[${word}]`;
  const isPlaced = code === 'invalidRequest' || code === 'notJson' || code === 'unsupportedMediaType';
  return isPlaced ? String(word) : undefined;
}

/**
 * The arguments that an ApiError of a code takes: the words of its text, which some codes need, and options.
 */
export type ErrorArguments<C extends ErrorCode> =
  [] extends ErrorWords<C>
    ? [words?: ErrorWords<C>, options?: ApiErrorOptions]
    : [words: ErrorWords<C>, options?: ApiErrorOptions];

/**
 * Whether a value is an ApiError of any copy of this package. When an application loads both the ES module
 * and the CommonJS build, each has its own class, and `instanceof` would miss errors of the other.
 */
export function isApiError(value: unknown): value is ApiError {
  return value instanceof Error && value.name === 'ApiError' && 'status' in value && 'code' in value;
}

/** Makes a 400 that says where the request is wrong and what would be right. */
export function invalid(where: string, problem: string): ApiError {
  return new ApiError('invalidRequest', [where, problem]);
}

/**
 * Makes a 503 with `Retry-After`: the store is unreachable or cannot do this now. The cause goes to the log
 * only; with `logged`, the log already has it.
 */
export function unavailable(cause: unknown, retryAfterSeconds = 1, logged = false): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new ApiError('unavailable', [], { cause, headers, logged });
}

/** After how many seconds a question about an index that is being built is asked again. */
const INDEXING_SECONDS = 5;

/**
 * Makes a 503 with `Retry-After`: a question took too long because it waits for its index. What is built of
 * it is kept, so that the same question goes on from there when it is asked again. `X-Index-Progress` tells
 * programs that this is the reason of the 503.
 */
export function indexing({ indexed, of }: IndexProgress): ApiError {
  const words: ErrorWords<'indexing'> = [
    indexed.toLocaleString('en'),
    of.toLocaleString('en'),
    INDEXING_SECONDS,
  ];
  const headers = { 'Retry-After': String(INDEXING_SECONDS), 'X-Index-Progress': `${indexed}/${of}` };
  return new ApiError('indexing', words, { headers });
}

/** Makes a 429: a limit is exhausted. After the time of its `Retry-After`, one retry succeeds. */
export function rateLimited(retryAfterMs: number, limits?: BucketState): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const headers = { 'Retry-After': String(seconds) };
  return new ApiError('rateLimited', [], limits === undefined ? { headers } : { headers, limits });
}

/** Makes a 503 with `Retry-After`: the server is overloaded. A request refused in this way took no tokens. */
export function overloaded(retryAfterSeconds = 1): ApiError {
  return new ApiError('overloaded', [], { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/**
 * The caller no longer waits for the result. This is not an ApiError, because no client reads it, and not a
 * fault, so it is not logged.
 */
export class AbortedError extends Error {
  /** As the platform names the errors of what was aborted. */
  override readonly name = 'AbortError';
  /** Tells it from the errors of that name of other work, such as of a `fetch` that took too long. */
  readonly code = 'aborted';
}

/** Makes the error that work throws after its signal is aborted. */
export function aborted(): AbortedError {
  return new AbortedError('Nobody waits for the result any more.');
}

/** Whether an error is `aborted()`, from any copy of this package. */
export function isAborted(value: unknown): value is AbortedError {
  return value instanceof Error && value.name === 'AbortError' && 'code' in value && value.code === 'aborted';
}
