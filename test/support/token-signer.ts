import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

/** Signs tokens with one key pair. */
export interface TokenSigner {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  /** The public key as a member of a key set, with whatever a test adds. */
  jwk(fields?: object): object;
  /** A token with these claims, and these fields in its header. */
  sign(claims: object, header?: object): Promise<string>;
}

const makers = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS512: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

/** Makes a key pair for an algorithm. */
export function createTokenSigner(alg: keyof typeof makers = 'ES256'): TokenSigner {
  const { publicKey, privateKey } = makers[alg]();
  const signingKey = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return {
    publicKey,
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    jwk: (fields = {}) => ({ ...publicKey.export({ format: 'jwk' }), ...fields }),
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg, ...header }).sign(signingKey),
  };
}
