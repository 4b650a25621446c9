import { errors, jwtVerify, type JWTVerifyOptions } from 'jose';
import { ApiError, type JwtSettings, type TokenVerifier } from '../../src/index.ts';
import { ALGORITHMS } from './algorithms.ts';
import { createCache } from './cache.ts';
import { createKeySets, type KeySetOptions } from './key-sets.ts';
import { importPublicKey, type PublicKey } from './public-keys.ts';

export interface JoseTokenVerifierOptions extends KeySetOptions {
  /** How far the clock of a token's issuer may be off, for `exp` and `nbf`; 0. */
  readonly clockToleranceSeconds?: number;
  /** How many imported public keys are kept; 1,000. */
  readonly publicKeysMax?: number;
}

/**
 * Verifies access tokens by the library jose (SPEC, "JWT rules"): signature, `iss`, `aud`, `exp`, `nbf` and
 * `sub`.
 */
export function joseTokenVerifier(options: JoseTokenVerifierOptions = {}): TokenVerifier {
  const { now = Date.now, clockToleranceSeconds = 0, publicKeysMax = 1_000 } = options;
  const keySets = createKeySets(options);
  const publicKeys = createCache<Promise<PublicKey>>(publicKeysMax);

  async function verifySignature(token: string, settings: JwtSettings, checks: JWTVerifyOptions) {
    const { jwksUrl, publicKeyPem } = settings;
    if (jwksUrl !== undefined) return jwtVerify(token, (header) => keySets.find(jwksUrl, header), checks);
    if (publicKeyPem === undefined) throw new Error('the tenant has neither a public key nor a JWKS address');
    const key = await publicKeys.get(publicKeyPem, () => importPublicKey(publicKeyPem));
    return jwtVerify(
      token,
      ({ alg }) => key.get(alg) ?? refuse(`the public key cannot verify ${alg}`),
      checks,
    );
  }

  return {
    verify: async (token, settings) => {
      const checks = {
        algorithms: [...ALGORITHMS],
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
        clockTolerance: clockToleranceSeconds,
      };
      const { payload } = await verifySignature(token, settings, checks).catch(toApiError);
      const subject: unknown = payload.sub;
      return typeof subject === 'string' && subject !== '' ? subject : refuse('sub is not a text');
    },
  };
}

/**
 * A token that does not hold is refused without a word about why; the reason stays with the error for a
 * log.
 */
function refuse(cause: unknown): never {
  throw new ApiError('invalidToken', [], { cause });
}

/**
 * What jose throws is about the token; anything else, for instance a tenant's unusable key, is not the
 * sender's fault.
 */
function toApiError(error: unknown): never {
  if (error instanceof errors.JOSEError) refuse(error);
  throw error;
}
