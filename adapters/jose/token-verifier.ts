import {
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type CryptoKey,
  type JWSHeaderParameters,
  type JWTVerifyOptions,
} from 'jose';
import { ApiError, type TokenVerifier } from '../../src/index.ts';
import {
  createBoundedMap,
  createQueuedLimit,
  type JwtSettings,
  type TokenBearer,
} from '../../src/store-kit.ts';
import { ALGORITHMS } from './algorithms.ts';
import { createFaults } from './faults.ts';
import { createKeySets, type KeySetOptions } from './key-sets.ts';
import { parsePublicKey } from './parse-public-key.ts';
import { importPublicKey, type PublicKey } from './public-keys.ts';
import { createRefusals } from './refusals.ts';

/** `Retry-After` when a tenant's own key cannot be used: an administrator has to set another one. */
const KEY_RETRY_SECONDS = 60;

/** How many signatures are checked at once: the same threads unzip bodies and read files for all tenants. */
const AT_ONCE_MAX = 2;
/** How long a token may wait for its check. */
const WAIT_MS_MAX = 10_000;

/** The sender of a token when the caller does not name one. */
const UNKNOWN: TokenBearer = { owner: '' };

/** How tokens are verified; every field has a default. */
export interface JoseTokenVerifierOptions extends KeySetOptions {
  /** How far the issuer's clock may be off when `exp` and `nbf` are checked; 0. */
  readonly clockToleranceSeconds?: number;
  /** How many imported public keys are cached; 1,000. */
  readonly publicKeysMax?: number;
}

/**
 * Verifies access tokens with the library jose: signature, `iss`, `aud`, `exp`, `nbf` and `sub`. Two
 * signatures are checked at once, shared fairly between the senders of tokens; no sender gets both slots.
 *
 * @see RFC 7519 for the claims of a token, RFC 7515 for its signature, RFC 7517 for sets of keys.
 * @example
 * ```ts
 * import { joseTokenVerifier } from 'event-query/jose';
 * import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
 *
 * const { publicKey, privateKey } = await generateKeyPair('ES256');
 * const claims = new SignJWT().setIssuer('https://login.example').setAudience('shop').setSubject('ada');
 * const token = await claims.setExpirationTime('5m').setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
 *
 * const publicKeyPem = await exportSPKI(publicKey);
 * const settings = { issuer: 'https://login.example', audience: 'shop', publicKeyPem };
 * console.log(await joseTokenVerifier().verify(token, settings));
 * // prints: ada
 * ```
 */
export function joseTokenVerifier(options: JoseTokenVerifierOptions = {}): TokenVerifier {
  const { now = Date.now, clockToleranceSeconds = 0, publicKeysMax = 1_000 } = options;
  const toFault = createFaults(now);
  const keySets = createKeySets(options, toFault);
  const limit = createQueuedLimit(AT_ONCE_MAX, { waitMsMax: WAIT_MS_MAX, now: () => performance.now() });
  const refusals = createRefusals(now);
  const publicKeys = createBoundedMap<string, Promise<PublicKey>>(publicKeysMax);

  /** The claims of a token that one of the tenant's keys has signed; undefined when none has. */
  async function verifySignature(
    token: string,
    { jwksUrl, publicKeyPem = '' }: JwtSettings,
    checks: JWTVerifyOptions,
    { owner, signal }: TokenBearer,
  ) {
    const header = headerOf(token);
    const attempt = (keys: string, find: () => Promise<readonly CryptoKey[]>) =>
      limit.run(owner, signal, () =>
        refusals.unlessRefused(keys, token, async () => tryKeys(token, await find(), checks)),
      );
    if (jwksUrl !== undefined)
      return keySets.use(jwksUrl, (keys) => attempt(keys.digest, () => keys.candidates(header)));
    const key = await publicKeys
      .getOrMake(publicKeyPem, () => importPublicKey(publicKeyPem))
      .catch((error: unknown) => Promise.reject(toFault(publicKeyPem, error, KEY_RETRY_SECONDS)));
    const found = key.get(header.alg);
    return found && attempt(publicKeyPem, () => Promise.resolve([found]));
  }

  return {
    parsePublicKey,
    verify: async (token, settings, bearer = UNKNOWN) => {
      const checks = {
        algorithms: [...ALGORITHMS],
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(now()),
        clockTolerance: clockToleranceSeconds,
      };
      const payload = await verifySignature(token, settings, checks, bearer).catch(toApiError);
      if (payload === undefined) return refuse('no key of the tenant has signed it');
      const subject: unknown = payload.sub;
      return typeof subject === 'string' && subject !== '' ? subject : refuse('sub is not a text');
    },
  };
}

/** The header of a token. Refuses an algorithm that is not allowed. */
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

/** The claims of a token, verified by the first key that has signed it; undefined when none has. */
async function tryKeys(token: string, keys: readonly CryptoKey[], checks: JWTVerifyOptions) {
  for (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload;
    } catch (error) {
      // Any other error of jose is about the token, so no other key helps; an error not of jose is about the
      // key.
      const otherKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (error instanceof errors.JOSEError && !otherKey) throw error;
    }
  }
  return undefined;
}

/**
 * Refuses a token without telling the sender why; the error carries the reason for the log.
 */
function refuse(cause: unknown): never {
  throw new ApiError('invalidToken', [], { cause });
}

/**
 * An error of jose is about the token; anything else, such as an unusable key of the tenant, is not the
 * sender's fault.
 */
function toApiError(error: unknown): never {
  if (error instanceof errors.JOSEError) refuse(error);
  throw error;
}
