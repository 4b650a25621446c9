export { ALGORITHMS } from './algorithms.ts';
export { createKeySets, type KeySetOptions } from './key-sets.ts';
export { parsePublicKey } from './parse-public-key.ts';
export { publicKeyAlgorithms } from './public-keys.ts';
export { joseTokenVerifier, type JoseTokenVerifierOptions } from './token-verifier.ts';
