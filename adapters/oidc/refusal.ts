import { ApiError } from '../../src/index.ts';

/** The errors of openid-client that are answers of the provider. */
const ANSWERS = ['OAUTH_RESPONSE_BODY_ERROR', 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'];
/** Those that say that it did not answer, or not as a provider does. */
const AWAY = [
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
  ...['OAUTH_PARSE_ERROR', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'],
];

interface ClientError {
  readonly code?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
}

/** What the provider answered no with; undefined where it was no answer of its own. */
export function answerOf(error: unknown): string | undefined {
  const { code, error: said, status } = error as ClientError;
  if (!ANSWERS.includes(String(code)) || (typeof status === 'number' && status >= 500)) return undefined;
  // It came over the network: only what a standard could have named is repeated.
  return typeof said === 'string' && /^[a-z_]{1,64}$/.test(said) ? said : 'refused';
}

/** Whether a provider does not answer, as far as an error tells. */
export function isAway(error: unknown): boolean {
  const { code, status } = error as ClientError;
  if (error instanceof TypeError || AWAY.includes(String(code))) return true;
  return typeof status === 'number' && status >= 500;
}

/** That the provider does not answer. The cause for the log names no token and no body. */
export function away(error: unknown, logged = false): ApiError {
  const { code = 'no code', status = 'none', error: said = 'nothing' } = error as ClientError;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const name = error instanceof Error ? error.name : 'Error';
  const words = `${name} (${String(code)}), status ${String(status)}, said ${String(said)}${cause}`;
  const headers = { 'Retry-After': '1' };
  return new ApiError('unavailable', [], {
    cause: new Error(`the identity provider: ${words}`),
    headers,
    logged,
  });
}
