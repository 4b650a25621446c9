import type { CryptoKey } from 'jose';

/** Shorter RSA keys are not trusted. */
export const RSA_BITS_MIN = 2048;
/** Longer keys make each signature check expensive. */
const RSA_BITS_MAX = 8192;
const EXPONENT_BYTES_MAX = 32;

/**
 * Whether signatures by a key can be trusted. With the exponent 1 a signature equals the signed text, so
 * anyone can forge one; with an even exponent no signature is valid. A private key in a published set is
 * known to everyone.
 */
export function isStrong({ type, algorithm }: CryptoKey): boolean {
  if (type !== 'public') return false;
  const { modulusLength, publicExponent } = algorithm as {
    modulusLength?: number;
    publicExponent?: Uint8Array;
  };
  if (modulusLength === undefined || publicExponent === undefined) return true;
  const digits = [...publicExponent];
  const exponent = digits.slice(digits.findIndex((digit) => digit !== 0));
  const last = exponent.at(-1) ?? 0;
  const large = exponent.length > 1 || last >= 3;
  const small = exponent.length <= EXPONENT_BYTES_MAX;
  return modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX && large && small && last % 2 === 1;
}
