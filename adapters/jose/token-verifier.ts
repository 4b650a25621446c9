import {
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type CryptoKey,
  type JWSHeaderParameters,
  type JWTVerifyOptions,
} from 'jose';
import { ApiError, type JwtSettings, type TokenVerifier } from '../../src/index.ts';
import { ALGORITHMS } from './algorithms.ts';
import { createCache } from './cache.ts';
import { createFaults } from './faults.ts';
import { createKeySets, type KeySetOptions } from './key-sets.ts';
import { parsePublicKey } from './parse-public-key.ts';
import { importPublicKey, type PublicKey } from './public-keys.ts';

/** When to come again to a tenant whose own key cannot be used: somebody has to set another. */
const KEY_RETRY_SECONDS = 60;

/** How tokens are verified; every field has a default. */
export interface JoseTokenVerifierOptions extends KeySetOptions {
  /** How far the clock of a token's issuer may be off, for `exp` and `nbf`; 0. */
  readonly clockToleranceSeconds?: number;
  /** How many imported public keys are kept; 1,000. */
  readonly publicKeysMax?: number;
}

/**
 * Verifies access tokens by the library jose: signature, `iss`, `aud`, `exp`, `nbf` and
 * `sub`.
 */
export function joseTokenVerifier(options: JoseTokenVerifierOptions = {}): TokenVerifier {
  const { now = Date.now, clockToleranceSeconds = 0, publicKeysMax = 1_000 } = options;
  const toFault = createFaults(now);
  const keySets = createKeySets(options, toFault);
  const publicKeys = createCache<Promise<PublicKey>>(publicKeysMax);

  async function verifySignature(token: string, settings: JwtSettings, checks: JWTVerifyOptions) {
    const { jwksUrl, publicKeyPem = '' } = settings;
    const header = headerOf(token);
    const attempt = (keys: readonly CryptoKey[]) => tryKeys(token, keys, checks);
    if (jwksUrl !== undefined)
      return keySets.use(jwksUrl, async (keys) => attempt(await keys.candidates(header)));
    const key = await publicKeys
      .get(publicKeyPem, () => importPublicKey(publicKeyPem))
      .catch((error: unknown) => Promise.reject(toFault(publicKeyPem, error, KEY_RETRY_SECONDS)));
    const found = key.get(header.alg);
    return found === undefined ? undefined : attempt([found]);
  }

  return {
    parsePublicKey,
    verify: async (token, settings) => {
      const checks = {
        algorithms: [...ALGORITHMS],
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
        clockTolerance: clockToleranceSeconds,
      };
      const payload = await verifySignature(token, settings, checks).catch(toApiError);
      if (payload === undefined) return refuse('no key of the tenant has signed it');
      const subject: unknown = payload.sub;
      return typeof subject === 'string' && subject !== '' ? subject : refuse('sub is not a text');
    },
  };
}

/** The header of a token, with an algorithm that may be. */
function headerOf(token: string): JWSHeaderParameters & { alg: string } {
  let header: JWSHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch (error) {
    return refuse(error);
  }
  const { alg, kid } = header;
  const known = ALGORITHMS.find((algorithm) => algorithm === alg);
  if (known === undefined || (kid !== undefined && typeof kid !== 'string')) {
    return refuse('the algorithm is none of ours, or the key id no text');
  }
  return { ...header, alg: known };
}

/** What a token says, by the first of the keys that has signed it; undefined when none has. */
async function tryKeys(token: string, keys: readonly CryptoKey[], checks: JWTVerifyOptions) {
  for (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload;
    } catch (error) {
      // What else jose throws is about the token, whatever its key; what is not of jose is about the key.
      const otherKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (error instanceof errors.JOSEError && !otherKey) throw error;
    }
  }
  return undefined;
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
