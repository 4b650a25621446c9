import type { CryptoKey } from 'jose';
import { expect, it } from 'vitest';
import { isStrong } from '../../../adapters/jose/strength.ts';

function rsa(modulusLength: number, ...publicExponent: number[]): CryptoKey {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength,
    publicExponent: Uint8Array.from(publicExponent),
  };
  return { type: 'public', algorithm, extractable: true, usages: ['verify'] };
}

it.each<[string, CryptoKey]>([
  ['2048 bits and 65537', rsa(2048, 1, 0, 1)],
  ['8192 bits', rsa(8192, 1, 0, 1)],
  ['the exponent 3', rsa(2048, 3)],
  ['257 behind zeros', rsa(2048, 0, 0, 1, 1)],
  ['an exponent of 256 bits', rsa(2048, ...Array<number>(32).fill(255))],
  ['no modulus, as curves have', { ...rsa(2048, 1), algorithm: { name: 'ECDSA' } }],
])('%s is strong', (_name, key) => {
  expect(isStrong(key)).toBe(true);
});

it.each<[string, CryptoKey]>([
  ['2047 bits', rsa(2047, 1, 0, 1)],
  ['8193 bits', rsa(8193, 1, 0, 1)],
  ['the exponent 0', rsa(2048, 0)],
  ['no exponent', rsa(2048)],
  ['the exponent 1', rsa(2048, 1)],
  ['1 behind zeros', rsa(2048, 0, 0, 1)],
  ['the exponent 2', rsa(2048, 2)],
  ['65536', rsa(2048, 1, 0, 0)],
  ['258', rsa(2048, 1, 2)],
  ['an exponent of 264 bits', rsa(2048, ...Array<number>(33).fill(255))],
  ['a private key', { ...rsa(2048, 1, 0, 1), type: 'private' }],
])('%s is not', (_name, key) => {
  expect(isStrong(key)).toBe(false);
});
