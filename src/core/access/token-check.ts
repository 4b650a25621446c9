import { ApiError, invalid, isApiError } from '../base/errors.ts';
import { hideCredentials } from '../base/credentials.ts';
import { parseJwtSettings } from './admin-options.ts';
import { isOwner, rightsOf, type Caller } from './reach.ts';
import type { JwtSettings, Tenant } from './tenant.ts';
import { checkPublicKey, type TokenCheck, type TokenVerifier } from './token.ts';

/** A token to be checked. */
export interface CheckedToken {
  /** The access token. */
  readonly token: string;
  /** Settings to check it with; those of the tenant when null or absent. */
  readonly jwt?: JwtSettings | null;
}

/**
 * Checks a token as the tenant's senders send it, and says why it is refused, as senders never learn. Throws
 * ApiError.
 */
export async function checkToken(
  tokens: Partial<TokenVerifier>,
  tenant: Tenant,
  { token, jwt }: CheckedToken,
  caller: Caller,
): Promise<TokenCheck> {
  if (typeof token !== 'string') throw invalid('token', 'takes an access token as a text');
  checkAddress(jwt, tenant, caller);
  const settings = jwt ? await checkPublicKey(parseJwtSettings(jwt), tokens) : tenant.jwt;
  if (settings === null) throw invalid('jwt', 'the tenant has no settings for JWT yet');
  if (tokens.verify === undefined) throw new ApiError('notSupported', ['check tokens']);
  try {
    const owner = caller.credential?.id ?? caller.by.who;
    return { valid: true, userId: await tokens.verify(token, settings, { owner }) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.code === 'invalidToken') return { valid: false, error: hideCredentials(reasonOf(error)) };
    if (error.code !== 'unavailable' || !(error.cause instanceof Error)) throw error;
    // An administrator who sets keys needs to know what is wrong with them; a 503 would not say it.
    const { message } = error.cause;
    const keys = settings.jwksUrl === undefined ? 'The public key' : `The keys at ${settings.jwksUrl}`;
    return { valid: false, error: `${keys} could not be read: ${message}`, keys: 'unread' };
  }
}

/** Why a token was refused. */
function reasonOf({ cause }: ApiError): string {
  if (cause instanceof Error) return cause.message;
  if (typeof cause === 'string') return cause;
  return 'not signed by these keys for this issuer and audience, or not in its times';
}

/**
 * Refuses a `jwksUrl` without https unless an owner sends it: plain http means a loopback address, where
 * other services of this machine may listen. The tenant's present address passes, since an owner set it.
 * Throws ApiError 400.
 */
export function checkAddress(
  jwt: Partial<JwtSettings> | null | undefined,
  tenant: Pick<Tenant, 'jwt'>,
  caller: Caller,
): void {
  const url: unknown = jwt?.jwksUrl;
  if (isOwner(rightsOf(caller)) || typeof url !== 'string' || url === tenant.jwt?.jwksUrl) return;
  if (!url.startsWith('https://'))
    throw invalid(
      'jwt.jwksUrl',
      'takes an https address; http on a loopback host is for who administers all',
    );
}
