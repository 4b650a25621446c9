import { createPublicKey, type KeyObject } from 'node:crypto';
import { invalid, type ApiError } from '../../src/index.ts';
import { importPublicKey } from './public-keys.ts';
import { RSA_BITS_MIN } from './strength.ts';

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

/**
 * Parses a PEM public key (SPKI or PKCS#1) or certificate and returns the key as SPKI PEM, the only form that
 * is stored. Throws ApiError 400, which quotes nothing of the text, for everything else: a private key, a
 * shared secret, a weak key, or one that fits none of our algorithms. The dates of a certificate are not
 * checked.
 */
export async function parsePublicKey(text: string): Promise<string> {
  if (text.includes('PRIVATE KEY')) {
    throw refused('holds a PRIVATE key; give the public key, and keep the private one where tokens are made');
  }
  if (!text.includes('-----BEGIN ')) {
    throw refused('takes a PEM public key or certificate; a shared (HMAC) secret cannot be used');
  }
  const key = toKeyObject(text);
  const problem = problemOf(key);
  if (problem !== undefined) throw refused(`${problem}; use RSA, EC P-256, P-384 or P-521, or Ed25519`);
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  // The import that token checks use decides in the end.
  await importPublicKey(pem).catch((error: unknown) => {
    throw refused(
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error),
    );
  });
  return pem;
}

function refused(problem: string): ApiError {
  return invalid('jwt keys', problem);
}

function toKeyObject(text: string): KeyObject {
  try {
    return createPublicKey(text);
  } catch {
    throw refused('takes a PEM public key or certificate, and this is none that can be read');
  }
}

function problemOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): string | undefined {
  if (type === 'ed25519') return undefined;
  if (type === 'rsa') {
    const bits = details?.modulusLength ?? 0;
    return bits >= RSA_BITS_MIN
      ? undefined
      : `an RSA key of ${bits} bits is too weak, ${RSA_BITS_MIN} are the least`;
  }
  if (type !== 'ec') return `keys of the type ${type ?? 'unknown'} cannot check tokens`;
  const curve = details?.namedCurve ?? 'unknown';
  return CURVES.includes(curve) ? undefined : `the curve ${curve} cannot check tokens`;
}
