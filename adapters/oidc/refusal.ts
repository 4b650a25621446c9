import { ApiError } from '../../src/index.ts';
import { excerpt } from '../../src/store-kit.ts';

/** Error codes of openid-client that mean: the provider answered with an error. */
const ANSWERS = ['OAUTH_RESPONSE_BODY_ERROR', 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'];
/** Error codes that mean: the provider did not answer, or not as OpenID Connect requires. */
const AWAY = [
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
  ...['OAUTH_PARSE_ERROR', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'],
];

interface ClientError {
  readonly code?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
}

/** The error code that the provider answered with; undefined when the error is not its answer. */
export function answerOf(error: unknown): string | undefined {
  const { code, error: said, status } = error as ClientError;
  if (!ANSWERS.includes(String(code)) || (typeof status === 'number' && status >= 500)) return undefined;
  // The code came over the network: repeat it only if it looks like a standard OAuth code.
  return typeof said === 'string' && /^[a-z_]{1,64}$/.test(said) ? said : 'refused';
}

/** Whether an error means that the provider is unavailable. */
export function isAway(error: unknown): boolean {
  const { code, status } = error as ClientError;
  if (error instanceof TypeError || AWAY.includes(String(code))) return true;
  return typeof status === 'number' && status >= 500;
}

/** Makes the 503 for an unavailable provider. Its cause, for the log, contains no token and no body. */
export function away(error: unknown, logged = false): ApiError {
  const { code = 'no code', status = 'none', error: said = 'nothing' } = error as ClientError;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const name = error instanceof Error ? error.name : 'Error';
  const answered = `status ${String(status)}, said ${excerpt(String(said))}`;
  const words = `${name} (${String(code)}), ${answered}${excerpt(cause)}`;
  const headers = { 'Retry-After': '1' };
  return new ApiError('unavailable', [], {
    cause: new Error(`the identity provider: ${words}`),
    headers,
    logged,
  });
}
