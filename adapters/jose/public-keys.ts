import { importSPKI, importX509, type CryptoKey } from 'jose';
import { ALGORITHMS } from './algorithms.ts';
import { isStrong } from './strength.ts';

/** A public key, imported once for each algorithm that it can verify. */
export type PublicKey = ReadonlyMap<string, CryptoKey>;

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/**
 * Imports a PEM (SPKI) public key or an X.509 certificate. Throws when the text is neither, and when the key
 * fits no algorithm or is too weak.
 */
export async function importPublicKey(pem: string): Promise<PublicKey> {
  const text = pem.trim();
  const importPem = text.startsWith(CERTIFICATE) ? importX509 : importSPKI;
  const keys = new Map<string, CryptoKey>();
  let reason: unknown;
  for (const algorithm of ALGORITHMS) {
    // A key has one type, so most algorithms reject it; trying them all is how we find its type.
    await importPem(text, algorithm).then(
      (key) => {
        if (isStrong(key)) keys.set(algorithm, key);
        else reason = new Error('an RSA key needs 2048 to 8192 bits and an odd exponent of at least 3');
      },
      (error: unknown) => (reason = error),
    );
  }
  if (keys.size === 0) {
    const what = 'the public key is not a PEM (SPKI) key or certificate that can be used';
    throw new Error(what, { cause: reason });
  }
  return keys;
}

/**
 * The algorithms that a tenant's public key can verify; useful to check a key before it is stored. Throws
 * when the text is neither a PEM (SPKI) public key nor an X.509 certificate, and when the key fits no
 * algorithm or is too weak. The dates of a certificate are not checked.
 */
export async function publicKeyAlgorithms(pem: string): Promise<readonly string[]> {
  return [...(await importPublicKey(pem)).keys()];
}
