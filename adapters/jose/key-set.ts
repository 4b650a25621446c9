import { createHash } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK, type JWSHeaderParameters } from 'jose';
import { createBoundedMap } from '../../src/store-kit.ts';
import { isStrong } from './strength.ts';

/**
 * How many keys are tried for one token. A set may have several keys with the same id or with none, and
 * anyone can invent a token that no key has signed.
 */
const CANDIDATES_MAX = 4;

/** How many imported keys of one set are cached: a set may have hundreds, each for several algorithms. */
const IMPORTED_MAX = 100;

/** The keys of one endpoint. */
export interface KeySet {
  /** The size of its text. */
  readonly bytes: number;
  /** A digest of its text: two fetches of the same text have the same digest. */
  readonly digest: string;
  /** The keys that may have signed a token with this header: at most four, without broken and weak ones. */
  candidates(header: JWSHeaderParameters): Promise<readonly CryptoKey[]>;
}

/** The key type and the curve that an algorithm requires. */
const KINDS: Readonly<Record<string, { readonly kty: string; readonly crv?: string }>> = {
  RS: { kty: 'RSA' },
  PS: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  Ed: { kty: 'OKP', crv: 'Ed25519' },
};

/**
 * Parses a key set (RFC 7517). Members that cannot be used are skipped. Throws when the text is not a key
 * set, or when it has members and none of them is an object.
 */
export function parseKeySet(text: string): KeySet {
  const set = readJson(text) as { keys?: unknown } | null;
  if (!Array.isArray(set?.keys)) throw new Error('the JWKS endpoint sent no key set');
  const jwks = set.keys.filter(isObject);
  if (jwks.length === 0 && set.keys.length > 0) throw new Error('the JWKS endpoint sent no keys');
  const imported = createBoundedMap<string, Promise<CryptoKey | undefined>>(IMPORTED_MAX);

  /** Imports a key for an algorithm, once while it stays cached; undefined when it is broken or weak. */
  function importOnce(jwk: JWK, index: number, alg: string): Promise<CryptoKey | undefined> {
    return imported.getOrMake(`${index} ${alg}`, () => importKey(jwk, alg));
  }

  return {
    bytes: Buffer.byteLength(text),
    digest: createHash('sha256').update(text).digest('base64'),
    candidates: async ({ alg = '', kid }) => {
      const kind = KINDS[alg] ?? KINDS[alg.slice(0, 2)];
      if (kind === undefined) return [];
      const fitting = [...jwks.entries()].filter(
        ([, jwk]) => jwk.kty === kind.kty && (kind.crv ?? jwk.crv) === jwk.crv && fits(jwk, alg, kid),
      );
      // Keys with the token's id come first; a key without an id may be the right one too.
      fitting.sort(([, a], [, b]) => Number(b.kid !== undefined) - Number(a.kid !== undefined));
      const found: CryptoKey[] = [];
      for (const [index, jwk] of fitting) {
        if (found.length === CANDIDATES_MAX) break;
        const key = await importOnce(jwk, index, alg);
        if (key !== undefined) found.push(key);
      }
      return found;
    },
  };
}

/** Throws its own error: V8's message would quote the text, which is not for the reader of the error. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the JWKS endpoint sent no JSON');
  }
}

/** Whether a key's metadata allows it: its id (when both have one), its algorithm and its use. */
function fits(jwk: JWK, alg: string, kid: string | undefined): boolean {
  if (kid !== undefined && jwk.kid !== undefined && jwk.kid !== kid) return false;
  if (jwk.alg !== undefined && jwk.alg !== alg) return false;
  if (jwk.use !== undefined && jwk.use !== 'sig') return false;
  return jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'));
}

async function importKey(jwk: JWK, alg: string): Promise<CryptoKey | undefined> {
  try {
    const key = await importJWK(jwk, alg);
    return !(key instanceof Uint8Array) && isStrong(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JWK {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
