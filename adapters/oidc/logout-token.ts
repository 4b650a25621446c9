import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload } from 'jose';
import { invalid, isApiError } from '../../src/index.ts';
import type { Ended } from '../../src/store-kit.ts';
import { TEXT_PATTERN } from './claims.ts';
import { providerFetch } from './provider-fetch.ts';
import { isAway } from './refusal.ts';
import { withCircuitBreaker } from './circuit-breaker.ts';

/** What a logout token is verified against. */
interface LogoutOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly jwksUri: string;
  readonly timeoutMs: number;
  readonly toleranceSeconds: number;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** How old a logout token may be. A provider sends it at once, so an older one may be a replay. */
const AGE_SECONDS_MAX = 300;

/** A claim that can be stored and compared; undefined for any other. */
const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && TEXT_PATTERN.test(claim) ? claim : undefined;

/** Makes a function that verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6). */
export function createLogoutReader(options: LogoutOptions): (token: string) => Promise<Ended> {
  const { issuer, clientId, jwksUri, timeoutMs, toleranceSeconds } = options;
  const keys = withCircuitBreaker(
    createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: timeoutMs, [customFetch]: providerFetch }),
    isAway,
  );
  const refused = invalid('logout_token', 'is none of the identity provider for this server');

  async function verify(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        maxTokenAge: AGE_SECONDS_MAX,
        clockTolerance: toleranceSeconds,
        requiredClaims: ['jti', 'events'],
      });
      if (!/^(?:application\/)?(?:logout\+)?jwt$/i.test(protectedHeader.typ ?? 'jwt')) throw refused;
      return payload;
    } catch (error) {
      throw isApiError(error) ? error : refused;
    }
  }

  return async (token) => {
    const { jti, sub, sid, iat, events, nonce } = await verify(token);
    const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, EVENT);
    const providerSession = textOf(sid);
    const subject = textOf(sub);
    const id = textOf(jti);
    // A token with a nonce is an ID token, and must not end a session.
    if (!isLogout || nonce !== undefined || id === undefined || (subject ?? providerSession) === undefined)
      throw refused;
    const until = (iat! + AGE_SECONDS_MAX + toleranceSeconds + 1) * 1000;
    return {
      ...{ issuer, id, until, subject, providerSession },
      at: (iat! + 1 + toleranceSeconds) * 1000,
    };
  };
}
