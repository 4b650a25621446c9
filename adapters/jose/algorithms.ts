/**
 * The signature algorithms that tokens may use. All are asymmetric: with a symmetric one, anyone who knows
 * the public key could sign.
 */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
