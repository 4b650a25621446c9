import type { CryptoKey } from 'jose';

/** An RSA key of fewer bits is believed by nobody. */
export const RSA_BITS_MIN = 2048;
/** Larger ones make each check of a signature dear. */
const RSA_BITS_MAX = 8192;
const EXPONENT_BYTES_MAX = 32;

/**
 * Whether a key is good enough to believe what it signed. With the exponent 1 a signature is what it signs,
 * so that anybody can make one; with an even one none is right. A published private key is anybody's.
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
