import { createPublicKey, type KeyObject } from 'node:crypto';
import { messageOf, misuse } from '../errors.ts';

const RSA_BITS_MIN = 2048;
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

/**
 * Reads a PEM public key or certificate and returns the key as SPKI PEM, the one form that is stored. Throws
 * an Error that begins with `where` for everything else: a private key, a shared secret, a key that no
 * algorithm here takes.
 */
export function parsePublicKey(text: string, where: string): string {
  if (text.includes('PRIVATE KEY')) {
    throw misuse(
      `${where} holds a PRIVATE key; give the public key, and keep the private one where tokens are made`,
    );
  }
  const key = toKeyObject(text, where);
  const problem = problemOf(key);
  if (problem !== undefined)
    throw misuse(`${where}: ${problem}; use RSA, EC P-256, P-384 or P-521, or Ed25519`);
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function toKeyObject(text: string, where: string): KeyObject {
  if (!text.includes('-----BEGIN ')) {
    throw misuse(`${where} is no PEM public key or certificate; a shared (HMAC) secret cannot be used`);
  }
  try {
    return createPublicKey(text);
  } catch (error) {
    throw misuse(`${where} is no PEM public key or certificate (${messageOf(error)})`);
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
